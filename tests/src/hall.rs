//! The process under test: built once, started on its own folder, used over HTTP, stopped or killed.

use crate::envelope;
use crate::http::{Reply, Request, Wire};
use rustix::process::{Pid, Signal, kill_process};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// How long a start or a stop may take.
const START: Duration = Duration::from_secs(30);

/// Settings of a hall, as `section.key=value`.
#[derive(Clone, Debug)]
pub struct Settings {
    words: Vec<String>,
    /// Another program than the one that was built with the tests.
    program: Option<PathBuf>,
}

impl Default for Settings {
    /// No request limit, because every test comes from one address.
    fn default() -> Self {
        Self::none().set("limits.requests_per_minute=0")
    }
}

impl Settings {
    /// Only the settings that a hall needs to run beside others.
    #[must_use]
    pub const fn none() -> Self {
        Self { words: Vec::new(), program: None }
    }

    /// The same with one more setting.
    #[must_use]
    pub fn set(mut self, setting: &str) -> Self {
        self.words.push(setting.to_owned());
        self
    }

    /// The same for another build of the program.
    #[must_use]
    pub fn of_program(mut self, program: &Path) -> Self {
        self.program = Some(program.to_owned());
        self
    }
}

/// A running hall, killed when dropped.
#[derive(Debug)]
pub struct Hall {
    child: Child,
    address: SocketAddr,
    folder: TempDir,
    settings: Settings,
}

impl Hall {
    /// Starts a hall with [`Settings::default`] on an empty folder.
    #[must_use]
    pub fn start() -> Self {
        Self::with(Settings::default())
    }

    /// Starts a hall on an empty folder.
    #[must_use]
    pub fn with(settings: Settings) -> Self {
        Self::on(folder(), settings)
    }

    /// Starts a hall on a folder that may hold data.
    #[must_use]
    pub fn on(folder: TempDir, settings: Settings) -> Self {
        match Self::try_on(folder, settings) {
            Ok(hall) => hall,
            Err((_, log)) => panic!("the hall does not start:\n{log}"),
        }
    }

    /// Starts a hall. If it does not start, returns the folder with the output of the program.
    ///
    /// # Errors
    /// The folder, and the log with the exit status.
    pub fn try_on(folder: TempDir, settings: Settings) -> Result<Self, (TempDir, String)> {
        Self::start_until(folder, settings, "/readyz")
    }

    /// Starts a hall that takes no writes: it is alive, but not ready.
    #[must_use]
    pub fn on_without_room(folder: TempDir, settings: Settings) -> Self {
        match Self::start_until(folder, settings, "/healthz") {
            Ok(hall) => hall,
            Err((_, log)) => panic!("the hall does not start:\n{log}"),
        }
    }

    fn start_until(folder: TempDir, settings: Settings, probe: &str) -> Result<Self, (TempDir, String)> {
        loop {
            let address = free_address();
            let mut child = command(&data(&folder), &settings, address)
                .stdout(log_file(&folder))
                .stderr(log_file(&folder))
                .spawn()
                .unwrap();
            match await_answer(&mut child, address, probe) {
                Ok(()) => return Ok(Self { child, address, folder, settings }),
                Err(status) => {
                    let log = read_log(&folder);
                    // Another process took the port between our check and the hall's start.
                    if log.lines().last().is_some_and(|line| line.to_lowercase().contains("in use")) {
                        continue;
                    }
                    return Err((folder, format!("{log}\n{status:?}")));
                }
            }
        }
    }

    /// Where it listens.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// What it was started with.
    #[must_use]
    pub const fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Its process id.
    #[must_use]
    pub fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    /// Its data folder.
    #[must_use]
    pub fn data(&self) -> PathBuf {
        data(&self.folder)
    }

    /// Its output since the folder was made.
    #[must_use]
    pub fn log(&self) -> String {
        read_log(&self.folder)
    }

    /// Opens a connection.
    #[must_use]
    pub fn connect(&self) -> Wire {
        Wire::connect(self.address)
    }

    /// Sends a request on a new connection, and checks the reply against all rules for replies.
    #[must_use]
    pub fn send(&self, request: &Request) -> Reply {
        let reply = self.connect().ask(request).unwrap_or_else(|error| {
            panic!("no reply to {} {}: {error}\n{}", request.method, request.target, self.log())
        });
        envelope::check(request, &reply);
        reply
    }

    /// Gets a public document.
    #[must_use]
    pub fn get(&self, target: &str) -> Reply {
        self.send(&Request::get(target))
    }

    /// Runs `hall admin` with these words against this hall.
    #[must_use]
    pub fn admin(&self, words: &[&str]) -> Output {
        Command::new(binary())
            .arg("admin")
            .args(words)
            .arg("--set")
            .arg(format!("storage.path={}", self.data().display()))
            .current_dir(self.folder.path())
            .output()
            .unwrap()
    }

    /// Tries to start a second hall on the same folder, and returns its status and output.
    #[must_use]
    pub fn second(&self) -> Output {
        command(&self.data(), &self.settings, free_address()).output().unwrap()
    }

    /// Sends a signal.
    pub fn signal(&self, signal: Signal) {
        kill_process(self.pid(), signal).unwrap();
    }

    /// Stops it with SIGTERM, and returns folder and status.
    #[must_use]
    pub fn stop(self) -> (TempDir, ExitStatus) {
        self.stop_by(Signal::TERM)
    }

    /// Stops it with a signal, and returns folder and status.
    #[must_use]
    pub fn stop_by(self, signal: Signal) -> (TempDir, ExitStatus) {
        self.signal(signal);
        self.ended()
    }

    /// Waits for its end, and returns folder and status.
    #[must_use]
    pub fn ended(mut self) -> (TempDir, ExitStatus) {
        let status = crate::eventually("the hall stops", START, || self.child.try_wait().unwrap());
        (self.folder_back(), status)
    }

    /// Kills it with SIGKILL, and returns the folder.
    #[must_use]
    pub fn kill(mut self) -> TempDir {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        self.folder_back()
    }

    /// Kills it with SIGKILL and starts it again on the same folder.
    #[must_use]
    pub fn kill_and_restart(self) -> Self {
        let settings = self.settings.clone();
        Self::on(self.kill(), settings)
    }

    /// Kills it with SIGKILL and starts it again on the same folder; [`Hall::address`] changes.
    pub fn kill_and_restart_in_place(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        let folder = self.folder_back();
        *self = Self::on(folder, self.settings.clone());
    }

    /// Stops it with SIGTERM and starts it again on the same folder.
    #[must_use]
    pub fn restart(self) -> Self {
        let settings = self.settings.clone();
        let (folder, status) = self.stop();
        assert!(status.success(), "{status}");
        Self::on(folder, settings)
    }

    fn folder_back(&mut self) -> TempDir {
        std::mem::replace(&mut self.folder, folder())
    }
}

impl Drop for Hall {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// An empty folder for one hall and its log.
#[must_use]
pub fn folder() -> TempDir {
    tempfile::Builder::new().prefix("hall-test-").tempdir().unwrap()
}

/// The same on a file system that is smaller than the largest reserve that can be set.
#[must_use]
pub fn small_folder() -> TempDir {
    let shared_memory = Path::new("/dev/shm");
    if shared_memory.is_dir() {
        return tempfile::Builder::new().prefix("hall-test-").tempdir_in(shared_memory).unwrap();
    }
    folder()
}

/// The data folder of a hall inside its folder.
#[must_use]
pub fn data(folder: &TempDir) -> PathBuf {
    folder.path().join("data")
}

/// A copy of the data of a hall that is stopped.
#[must_use]
pub fn copy_of(original: &TempDir) -> TempDir {
    let to = folder();
    // Keeps holes: most of the store's journal is preallocated space.
    let copying =
        Command::new("cp").args(["-a", "--sparse=always", "-T"]).args([data(original), data(&to)]).status();
    assert!(copying.unwrap().success());
    to
}

/// Runs `hall verify-journal` on a folder whose hall is stopped.
#[must_use]
pub fn verify_journal(folder: &TempDir) -> Output {
    Command::new(binary())
        .arg("verify-journal")
        .arg("--set")
        .arg(format!("storage.path={}", data(folder).display()))
        .current_dir(folder.path())
        .output()
        .unwrap()
}

/// Starts a hall and kills it with SIGKILL after `moment`, ready or not.
pub fn start_and_kill(folder: &TempDir, moment: Duration) {
    let mut child = command(&data(folder), &Settings::default(), free_address())
        .stdout(log_file(folder))
        .stderr(log_file(folder))
        .spawn()
        .unwrap();
    std::thread::sleep(moment);
    child.kill().unwrap();
    child.wait().unwrap();
}

/// The program `hall` beside this one, of the same profile. A test builds it first; any other program uses the existing
/// one. The environment variable `HALL_BINARY` names another one.
///
/// # Panics
/// If it does not build or does not exist.
#[must_use]
pub fn binary() -> &'static Path {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    BINARY.get_or_init(|| {
        if let Some(given) = std::env::var_os("HALL_BINARY") {
            return given.into();
        }
        let own = std::env::current_exe().unwrap();
        let folder = own.parent().unwrap();
        let is_test = folder.ends_with("deps");
        let profile = if is_test { folder.parent().unwrap() } else { folder };
        if is_test {
            build(profile);
        }
        let hall = profile.join("hall");
        assert!(
            hall.exists(),
            "no {}: build it with `cargo build --release -p hall -p hall-tests`",
            hall.display()
        );
        hall
    })
}

/// Builds it with the features of `cargo test --workspace`, so that nothing is compiled a second time.
fn build(profile: &Path) {
    let mut build = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    build.args(["build", "--quiet", "--workspace", "--all-targets", "--manifest-path"]);
    build.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.toml"));
    build.arg("--target-dir").arg(profile.parent().unwrap());
    if profile.ends_with("release") {
        build.arg("--release");
    }
    // Cargo's variables for this package must not reach the build: build scripts that read them would run again, and
    // everything that depends on those would be compiled again.
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy();
        if name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_") {
            build.env_remove(&*name);
        }
    }
    assert!(build.status().unwrap().success(), "hall does not build");
}

fn command(data: &Path, settings: &Settings, address: SocketAddr) -> Command {
    let mut command = Command::new(settings.program.as_deref().unwrap_or_else(|| binary()));
    command.arg("serve");
    // Tests connect only to this machine; those of the beacon set their own relays.
    command.arg("--set").arg("beacon.relays=");
    // The same across a restart on another port, unless a test sets another one.
    command.arg("--set").arg("server.base_url=http://hall.test");
    for setting in &settings.words {
        command.arg("--set").arg(setting);
    }
    command.arg("--set").arg(format!("server.listen={address}"));
    command.arg("--set").arg(format!("storage.path={}", data.display()));
    command.current_dir(data.parent().unwrap()).stdin(Stdio::null());
    command
}

/// A port below those that the system uses for outgoing connections, so that no client can take it.
#[must_use]
pub fn free_address() -> SocketAddr {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    const FIRST: u16 = 10_000;
    const COUNT: u16 = 20_000;
    let start = u16::try_from(std::process::id() % u32::from(COUNT)).unwrap();
    loop {
        let step = NEXT.fetch_add(1, Ordering::Relaxed);
        let port = FIRST + (start.wrapping_mul(37) % COUNT + step) % COUNT;
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        if TcpListener::bind(address).is_ok() {
            return address;
        }
    }
}

fn await_answer(child: &mut Child, address: SocketAddr, probe: &str) -> Result<(), ExitStatus> {
    let begun = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return Err(status);
        }
        let reply = Wire::try_connect(address).and_then(|mut wire| wire.ask(&Request::get(probe)));
        if reply.is_ok_and(|reply| reply.status == 200) {
            return Ok(());
        }
        assert!(begun.elapsed() < START, "the hall is not ready after {START:?}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn log_file(folder: &TempDir) -> std::fs::File {
    std::fs::File::options().create(true).append(true).open(folder.path().join("log")).unwrap()
}

/// The output of the hall of a folder, which may have ended.
#[must_use]
pub fn read_log(folder: &TempDir) -> String {
    String::from_utf8_lossy(&std::fs::read(folder.path().join("log")).unwrap_or_default()).into_owned()
}
