//! The built program as a witness and as a monitor of a log.

use crate::hall::{Hall, binary, folder, free_address};
use crate::http::{Reply, Request, Wire};
use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use tempfile::TempDir;

/// A witness, killed when dropped.
#[derive(Debug)]
pub struct Witness {
    child: Child,
    address: SocketAddr,
    logs: Vec<String>,
    folder: TempDir,
    /// Its key, in the form that verifiers of its cosignatures use.
    pub key: String,
}

impl Witness {
    /// Starts a witness of the logs with these keys, on an empty folder.
    #[must_use]
    pub fn of(logs: &[&str]) -> Self {
        let logs: Vec<String> = logs.iter().map(|key| (*key).to_owned()).collect();
        let (folder, address) = (folder(), free_address());
        let (child, key) = start(&folder, address, &logs);
        Self { child, address, logs, folder, key }
    }

    /// The setting with which a hall has its log cosigned here.
    #[must_use]
    pub fn setting(&self) -> String {
        format!("log.witnesses={} http://{}", self.key, self.address)
    }

    /// Kills it with SIGKILL and starts it again on the same folder and address.
    #[must_use]
    pub fn kill_and_restart(mut self) -> Self {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        let (child, key) = start(&self.folder, self.address, &self.logs);
        assert_eq!(key, self.key);
        self.child = child;
        self
    }

    /// Sends a request.
    #[must_use]
    pub fn ask(&self, method: &str, target: &str, body: Option<&str>) -> Reply {
        let body = body.map(|body| body.as_bytes().to_vec());
        Wire::connect(self.address).ask(&Request { body, ..Request::new(method, target) }).unwrap()
    }

    /// Submits a checkpoint.
    #[must_use]
    pub fn add(&self, body: &str) -> Reply {
        self.ask("POST", "/add-checkpoint", Some(body))
    }

    /// Its evidence that a log lied.
    #[must_use]
    pub fn evidence(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.folder.path().join("state")).unwrap();
        let paths = entries.map(|entry| entry.unwrap().path());
        let evidence = paths.filter(|path| path.to_string_lossy().contains("evidence-"));
        evidence.map(|path| std::fs::read_to_string(path).unwrap()).collect()
    }
}

impl Drop for Witness {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Starts the program, and returns it with the key that it prints.
fn start(folder: &TempDir, address: SocketAddr, logs: &[String]) -> (Child, String) {
    let mut command = Command::new(binary());
    command.args(["witness", "--key", "witness.key", "--state", "state", "--name", "witness.test/w1"]);
    command.arg("--listen").arg(address.to_string());
    for log in logs {
        command.arg("--log").arg(log);
    }
    let mut child = command.current_dir(folder.path()).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    let key = lines.find_map(|line| line.trim().strip_prefix("key: ").map(str::to_owned));
    let key = key.unwrap_or_else(|| panic!("the witness does not start: {:?}", child.wait()));
    // The rest of its output is read, so that it never blocks.
    std::thread::spawn(move || lines.for_each(drop));
    (child, key)
}

/// The key of a hall's log, as it names it itself.
#[must_use]
pub fn log_key(hall: &Hall) -> String {
    hall.get("/api/official").data()["official"]["log"]["public_key"].as_str().unwrap().to_owned()
}

/// A monitor that follows the log of a hall or of an impostor.
#[derive(Debug)]
pub struct Monitor(TempDir);

impl Monitor {
    /// A monitor that has seen nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self(folder())
    }

    /// The folder with its records.
    #[must_use]
    pub fn folder(&self) -> PathBuf {
        self.0.path().join("kept")
    }

    /// Looks once.
    #[must_use]
    pub fn look(&self, hall: &Hall) -> Output {
        self.look_for(&[], hall.address())
    }

    /// Looks once at the hall at this address, and reports what these agents do.
    #[must_use]
    pub fn look_for(&self, agents: &[&str], address: SocketAddr) -> Output {
        let mut command = Command::new(binary());
        command
            .args(["monitor", &format!("http://{address}"), "--once", "--patience", "0", "--keep"])
            .arg(self.folder());
        for agent in agents {
            command.args(["--agent", agent]);
        }
        command.output().unwrap()
    }

    /// Looks once, and finds no problem.
    pub fn is_content_with(&self, hall: &Hall) {
        let output = self.look(hall);
        assert!(output.status.success(), "{output:?}");
    }

    /// Looks once, raises an alarm, and returns the evidence.
    #[must_use]
    pub fn alarm(&self, hall: &Hall) -> String {
        let output = self.look(hall);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.starts_with("ALARM: "), "{said}");
        let path = said.lines().find_map(|line| line.strip_prefix("The evidence is in ")).unwrap();
        std::fs::read_to_string(path.trim_end_matches('.')).unwrap()
    }
}

impl Default for Monitor {
    fn default() -> Self {
        Self::new()
    }
}
