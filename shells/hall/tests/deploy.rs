//! The built program as operators use it: metrics in rules and dashboards, the service manager, the health check, and
//! the files in `deploy`.

#![expect(clippy::unwrap_used, reason = "helpers of tests may unwrap as the tests themselves do")]

use rustix::process::{Pid, Signal, kill_process};
use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::net::UnixDatagram;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

const RULES: &str = include_str!("../deploy/prometheus/alerts.yml");
const DASHBOARD: &str = include_str!("../deploy/grafana/hall.json");
const UNIT: &str = include_str!("../deploy/hall.service");

#[test]
fn every_metric_that_a_rule_or_a_dashboard_names_is_served() {
    let folder = tempfile::tempdir().unwrap();
    let hall = Hall::start(folder.path(), &[]);
    // Metrics with labels have no samples before the first count.
    get(&hall.address, "/api/catalog");
    let served = samples(&hall.metrics());
    for (file, text) in [("alerts.yml", RULES), ("hall.json", DASHBOARD)] {
        let mut named = named(text);
        // Those of a node are only served by one: a test of hall-http looks for them.
        named.retain(|name| !name.starts_with("hall_node_"));
        assert!(named.len() > 20, "{file} names {named:?}");
        let missing: Vec<_> = named.difference(&served).collect();
        assert!(missing.is_empty(), "{file} names {missing:?}, and the hall serves {served:?}");
    }
}

#[test]
fn every_histogram_has_an_unbounded_bucket_so_that_quantiles_can_be_computed() {
    let folder = tempfile::tempdir().unwrap();
    let hall = Hall::start(folder.path(), &[]);
    get(&hall.address, "/api/catalog");
    let metrics = hall.metrics();
    let families =
        metrics.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.strip_suffix(" histogram"));
    let families: Vec<&str> = families.collect();
    assert!(families.len() >= 3, "{families:?}");
    for family in families {
        let is_last =
            |line: &&str| line.starts_with(&format!("{family}_bucket{{")) && line.contains("le=\"+Inf\"");
        assert!(metrics.lines().any(|line| is_last(&line)), "{family} in {metrics}");
    }
}

#[test]
fn the_process_and_the_build_are_measured_under_their_usual_names() {
    let folder = tempfile::tempdir().unwrap();
    let hall = Hall::start(folder.path(), &[]);
    let metrics = hall.metrics();
    let value = |name: &str| -> f64 {
        let line = metrics.lines().find(|line| line.starts_with(&format!("{name} ")));
        line.unwrap_or_else(|| panic!("{name} in {metrics}")).split(' ').nth(1).unwrap().parse().unwrap()
    };
    assert!(value("process_resident_memory_bytes") > 1e6);
    assert!(value("process_open_fds") > 5.0);
    assert!(value("process_start_time_seconds") > 1.7e9);
    assert!(value("process_cpu_seconds_total") >= 0.0);
    assert!(
        metrics.contains(&format!("hall_build_info{{version=\"{}\"", env!("CARGO_PKG_VERSION"))),
        "{metrics}"
    );
    assert!(metrics.ends_with("# EOF\n"));
}

#[test]
fn the_service_manager_learns_that_the_hall_is_open_alive_and_stopping() {
    let folder = tempfile::tempdir().unwrap();
    let manager = Manager::listen(folder.path());
    let hall = Hall::start(
        folder.path(),
        &[("NOTIFY_SOCKET", &manager.path), ("WATCHDOG_USEC", "1000000"), ("WATCHDOG_PID", "")],
    );
    assert!(manager.until("READY=1").contains("STATUS=open at http://127.0.0.1:"));
    for _ in 0..2 {
        manager.until("WATCHDOG=1");
    }
    kill_process(Pid::from_child(&hall.process), Signal::TERM).unwrap();
    manager.until("STOPPING=1");
}

#[test]
fn the_health_check_needs_no_other_program() {
    let folder = tempfile::tempdir().unwrap();
    let hall = Hall::start(folder.path(), &[]);
    let asked = |arguments: &[&str]| command(arguments, folder.path()).output().unwrap();
    let admin = format!("server.admin_listen={}", hall.admin);
    let set = |arguments: &[&'static str]| asked(&[arguments, &["--set", admin.as_str()]].concat());
    assert!(told(&set(&["health"]), 0).contains("/healthz: {\"status\":\"ok\"}"));
    assert!(told(&set(&["health", "--ready"]), 0).contains("\"status\":\"ready\""));
    assert_eq!(asked(&["health", "--url", &format!("http://{}", hall.admin)]).status.code(), Some(0));
    assert_eq!(asked(&["health", "--set", "server.listen=nowhere"]).status.code(), Some(2));
    let mut hall = hall;
    hall.process.kill().unwrap();
    hall.process.wait().unwrap();
    assert_eq!(set(&["health"]).status.code(), Some(1));
}

#[test]
fn refusals_are_in_the_log_with_the_clients_address_as_the_settings_say() {
    for (setting, shown) in
        [("full", "client=\"127.0.0.1\""), ("hashed", "client=\""), ("none", "request_id=")]
    {
        let folder = tempfile::tempdir().unwrap();
        let setting = format!("HALL_LOGGING__CLIENT_ADDRESSES={setting}");
        let (name, value) = setting.split_once('=').unwrap();
        let mut hall = Hall::start(folder.path(), &[(name, value)]);
        get(&hall.address, "/api/nothing");
        kill_process(Pid::from_child(&hall.process), Signal::TERM).unwrap();
        let mut log = String::new();
        hall.process.stderr.take().unwrap().read_to_string(&mut log).unwrap();
        let line = log.lines().find(|line| line.contains("refused")).unwrap_or_else(|| panic!("{log}"));
        assert!(line.contains("INFO") && line.contains("NOT_FOUND") && line.contains(shown), "{line}");
        assert_eq!(line.contains("127.0.0.1"), value == "full", "{line}");
        assert_eq!(line.contains("client="), value != "none", "{line}");
    }
}

#[test]
fn the_example_settings_are_valid_and_the_unit_starts_the_program_with_them() {
    let folder = tempfile::tempdir().unwrap();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("deploy/hall.toml");
    let read = Command::new(env!("CARGO_BIN_EXE_hall"))
        .args(["--config", file.to_str().unwrap(), "serve", "--print-config"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert!(told(&read, 0).contains("base_url = \"https://hall.example\""));
    for line in [
        "Type=notify",
        "ExecStart=/usr/bin/hall --config /etc/hall/hall.toml serve",
        // Exit code 2: wrong settings.
        "RestartPreventExitStatus=2",
        // Where README says that backups go.
        "StateDirectory=hall hall-backups",
    ] {
        assert!(UNIT.lines().any(|known| known == line), "{line}");
    }
    assert!(include_str!("../README.md").contains("`/var/lib/hall-backups`"));
}

/// Names of metrics of the hall in a text.
fn named(text: &str) -> BTreeSet<String> {
    let words = text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
    words
        .filter(|word| word.starts_with("hall_") || word.starts_with("process_"))
        .map(str::to_owned)
        .collect()
}

/// Names of samples that a text of metrics declares.
fn samples(metrics: &str) -> BTreeSet<String> {
    let families = metrics.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split_once(' '));
    let of_family = |(name, kind): (&str, &str)| -> Vec<String> {
        let suffixes: &[&str] = match kind {
            "counter" => &["_total"],
            "histogram" => &["_bucket", "_sum", "_count"],
            "info" => &["_info"],
            _ => &[""],
        };
        suffixes.iter().map(|suffix| format!("{name}{suffix}")).collect()
    };
    families.flat_map(of_family).collect()
}

/// The messages to a service manager.
struct Manager {
    socket: UnixDatagram,
    path: String,
}

impl Manager {
    fn listen(folder: &Path) -> Self {
        let path = folder.join("notify");
        let socket = UnixDatagram::bind(&path).unwrap();
        socket.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        Self { socket, path: path.to_str().unwrap().to_owned() }
    }

    /// Waits for a message with this line.
    fn until(&self, wanted: &str) -> String {
        loop {
            let mut bytes = [0; 4096];
            let count = self.socket.recv(&mut bytes).unwrap_or_else(|error| panic!("{wanted}: {error}"));
            let message = String::from_utf8_lossy(bytes.get(..count).unwrap()).into_owned();
            if message.lines().any(|line| line == wanted) {
                return message;
            }
        }
    }
}

/// A running hall with its data in `data` below a folder.
struct Hall {
    process: Child,
    address: String,
    admin: String,
}

impl Hall {
    fn start(folder: &Path, environment: &[(&str, &str)]) -> Self {
        let mut command = command(&["serve", "--set", "beacon.relays="], folder);
        command.envs([("HALL_SERVER__LISTEN", "127.0.0.1:0"), ("HALL_SERVER__ADMIN_LISTEN", "127.0.0.1:0")]);
        for (name, value) in environment.iter().filter(|(_, value)| !value.is_empty()) {
            command.env(name, value);
        }
        let mut process = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(process.stdout.as_mut().unwrap()).lines();
        let mut after = |mark: &str| {
            let line = lines.find_map(|line| line.unwrap().split_once(mark).map(|(_, rest)| rest.to_owned()));
            line.unwrap().split([' ', '/']).next().unwrap().to_owned()
        };
        let (address, admin) = (after("open at http://"), after("metrics: http://"));
        Self { process, address, admin }
    }

    fn metrics(&self) -> String {
        get(&self.admin, "/metrics")
    }
}

impl Drop for Hall {
    fn drop(&mut self) {
        // After a test that failed; otherwise it has ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The body of an answer.
fn get(address: &str, path: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer.split_once("\r\n\r\n").unwrap().1.to_owned()
}

/// The program, to be run in `folder` with its data in `data` there.
fn command(arguments: &[&str], folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hall"));
    command.args(arguments).current_dir(folder);
    command.env("HALL_STORAGE__PATH", folder.join("data")).env("HALL_STORAGE__RESERVE_MIB", "0");
    command
}

/// Its standard output, if it exited with `code`.
fn told(output: &Output, code: i32) -> String {
    assert_eq!(output.status.code(), Some(code), "{output:?}");
    String::from_utf8(output.stdout.clone()).unwrap()
}
