//! Servers for tests, also those of the program.

#[path = "process.rs"]
pub(crate) mod process;

use hall_journal::{Batch, Head, Journal, JournalReader, Record};
use hall_postgres::{Database, PostgresJournal, Settings, Takeover};
use process::{as_server_user, new_folder, run, spawn};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio_postgres::{NoTls, SimpleQueryMessage};

/// How long a condition may take to become true before a test gives up on it.
const TIMEOUT: Duration = Duration::from_secs(120);

/// A lease that does not pass within a test.
pub(crate) const LONG: Duration = Duration::from_secs(3600);

/// Waits until `condition` is true.
pub(crate) fn until(what: &str, mut condition: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !condition() {
        assert!(begun.elapsed() < TIMEOUT, "not within {TIMEOUT:?}: {what}");
        std::thread::park_timeout(Duration::from_millis(5));
    }
}

/// A server and its folder.
pub(crate) struct Server {
    folder: PathBuf,
    port: u16,
    settings: Vec<String>,
    keeper: Option<Child>,
}

/// The server that the tests share which leave it as it is, each in a schema of its own.
pub(crate) fn shared() -> &'static Server {
    static SHARED: OnceLock<Server> = OnceLock::new();
    SHARED.get_or_init(|| Server::start(&[]))
}

impl Server {
    /// A new server with these settings.
    pub(crate) fn start(settings: &[&str]) -> Self {
        let server = Self::in_new_folder(settings);
        run(as_server_user("cp", &["-R"]).arg(template().join("data")).arg(server.folder()));
        server.started()
    }

    /// A standby of another server, which follows it and is called `standby`.
    pub(crate) fn standby_of(primary: &Self) -> Self {
        let server = Self::in_new_folder(&["cluster_name=standby"]);
        let mut backup = as_server_user("pg_basebackup", &[]);
        backup
            .args(["-U", "postgres", "-R", "-c", "fast", "-X", "stream", "--no-sync", "-h"])
            .arg(&primary.folder);
        run(backup.arg("-D").arg(server.data()));
        server.started()
    }

    fn in_new_folder(settings: &[&str]) -> Self {
        let folder = new_folder();
        let settings = settings.iter().map(|setting| (*setting).to_owned()).collect();
        Self { folder, port: 5432, settings, keeper: None }
    }

    fn started(mut self) -> Self {
        self.run_again();
        self
    }

    /// Starts the server on its folder, once more if processes of a killed one still end.
    pub(crate) fn run_again(&mut self) {
        assert!(self.keeper.is_none(), "it runs");
        until("the server starts", || {
            let keeper = self.keeper.get_or_insert_with(|| spawn(&self.folder, self.port, &self.settings));
            if keeper.try_wait().unwrap().is_some() {
                self.keeper = None;
                let log = std::fs::read_to_string(self.folder.join("log")).unwrap_or_default();
                assert!(
                    log.contains("still in use") || log.contains("in use by"),
                    "the server does not start:\n{log}"
                );
            }
            try_sql(&self.connection(), "select 1").is_ok()
        });
    }

    fn data(&self) -> PathBuf {
        self.folder.join("data")
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Kills the server as a crash would, all of its processes with SIGKILL, and waits until their connections have ended.
    pub(crate) fn kill(&mut self) {
        let pids = self
            .value("select string_agg(pid::text, ' ') from pg_stat_activity where pid <> pg_backend_pid()");
        self.tell(&format!("kill {pids}"));
        until("its processes have ended", || !pids.split(' ').any(runs));
    }

    /// Tells the shell what to do, and waits until the server has ended.
    fn tell(&mut self, word: &str) {
        let mut keeper = self.keeper.take().unwrap();
        writeln!(keeper.stdin.as_mut().unwrap(), "{word}").unwrap();
        keeper.wait().unwrap();
    }

    /// Runs statements on a new connection; returns the rows as texts.
    pub(crate) fn sql(&self, sql: &str) -> Vec<Vec<String>> {
        try_sql(&self.connection(), sql).unwrap()
    }

    /// The first column of the first row.
    pub(crate) fn value(&self, sql: &str) -> String {
        self.sql(sql)[0][0].clone()
    }

    /// Changes a setting and waits until new connections have it.
    pub(crate) fn set(&self, setting: &str, value: &str) {
        self.sql(&format!("alter system set {setting} = {value}"));
        self.sql("select pg_reload_conf()");
        let wanted = value.trim_matches('\'').to_owned();
        until("the setting is there", || self.value(&format!("show {setting}")) == wanted);
        // The process that tells the others whether commits wait for standbys is behind none of it now.
        self.sql("checkpoint");
    }

    /// How this server is reached, in a schema that no other test uses.
    pub(crate) fn settings(&self) -> Settings {
        static SCHEMAS: AtomicU64 = AtomicU64::new(0);
        let number = SCHEMAS.fetch_add(1, Ordering::Relaxed);
        self.settings_of("postgres").with_schema(&format!("hall_{number}")).unwrap()
    }

    /// How this server is reached by a role, in the schema `hall`.
    pub(crate) fn settings_of(&self, user: &str) -> Settings {
        Settings::parse(&format!("{} user={user}", self.host())).unwrap()
    }

    /// More settings and another port, from the next start on.
    pub(crate) fn change(&mut self, port: u16, settings: &[&str]) {
        self.port = port;
        self.settings.extend(settings.iter().map(|setting| (*setting).to_owned()));
    }

    /// Where this server and its database are, as a connection string without a user.
    pub(crate) fn host(&self) -> String {
        format!("host={} port={} dbname=postgres", self.folder.display(), self.port)
    }

    fn connection(&self) -> String {
        format!("{} user=postgres application_name=test", self.host())
    }

    /// How many connections with this name wait for something of this kind.
    pub(crate) fn waiting(&self, name: &str, wait_event: &str) -> usize {
        self.sql(&format!(
            "select pid from pg_stat_activity where application_name = '{name}' and state = 'active' and \
             '{wait_event}' in (wait_event, wait_event_type)"
        ))
        .len()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(mut keeper) = self.keeper.take() {
            drop(keeper.stdin.take());
            let _ = keeper.wait();
        } else {
            let _ = std::fs::remove_dir_all(&self.folder);
        }
    }
}

/// A folder with an empty database, made once and copied for every server, because making one takes long.
fn template() -> &'static Path {
    static TEMPLATE: OnceLock<(PathBuf, Child)> = OnceLock::new();
    let make = || {
        let folder = new_folder();
        let mut create =
            as_server_user("initdb", &["--no-sync", "-A", "trust", "-U", "postgres", "-E", "UTF8"]);
        run(create.arg("-D").arg(folder.join("data")));
        let mut keeper = as_server_user("sh", &["-c", r#"read -r word; rm -rf "$1""#, "sh"]);
        let keeper = keeper.arg(&folder).stdin(Stdio::piped()).spawn().unwrap();
        (folder, keeper)
    };
    &TEMPLATE.get_or_init(make).0
}

fn try_sql(connection: &str, sql: &str) -> Result<Vec<Vec<String>>, tokio_postgres::Error> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let (client, connection) = tokio_postgres::connect(connection, NoTls).await?;
        let driving = tokio::spawn(connection);
        let messages = client.simple_query(sql).await?;
        drop(client);
        let _ = driving.await;
        let rows = messages.iter().filter_map(|message| {
            let SimpleQueryMessage::Row(row) = message else { return None };
            Some((0..row.len()).map(|index| row.get(index).unwrap_or_default().to_owned()).collect())
        });
        Ok(rows.collect())
    })
}

/// A transaction that stays open, and holds what it has locked, until it is dropped.
pub(crate) struct Transaction {
    runtime: tokio::runtime::Runtime,
    client: Option<tokio_postgres::Client>,
    driving: Option<tokio::task::JoinHandle<Result<(), tokio_postgres::Error>>>,
}

impl Transaction {
    pub(crate) fn begin(server: &Server, sql: &str) -> Self {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let (client, connection) =
            runtime.block_on(tokio_postgres::connect(&server.connection(), NoTls)).unwrap();
        let driving = runtime.spawn(connection);
        runtime.block_on(client.batch_execute(&format!("begin; {sql}"))).unwrap();
        Self { runtime, client: Some(client), driving: Some(driving) }
    }
}

impl Drop for Transaction {
    fn drop(&mut self) {
        drop(self.client.take());
        let _ = self.driving.take().map(|driving| self.runtime.block_on(driving));
    }
}

/// Opens the database and takes the journal from anybody.
pub(crate) fn take(settings: &Settings) -> PostgresJournal {
    Database::open(settings).unwrap().take("test", LONG, Takeover::Forced).unwrap()
}

/// Whether this process runs. One that has ended may be remembered until somebody asks for its status.
fn runs(pid: &str) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status"));
    status.is_ok_and(|status| !status.contains("State:\tZ"))
}

/// A batch of records without rows.
pub(crate) fn records(texts: &[&str]) -> Batch {
    Batch { records: texts.iter().map(|text| text.as_bytes().to_vec()).collect(), rows: vec![] }
}

/// Appends one record.
pub(crate) fn append(journal: &mut PostgresJournal, text: &str) -> Head {
    journal.append(&records(&[text])).unwrap()
}

/// All records as texts; the reader has checked their chain.
pub(crate) fn texts(reader: &dyn JournalReader) -> Vec<String> {
    let text = |record: Record| String::from_utf8(record.bytes).unwrap();
    reader.records(1, usize::MAX).unwrap().into_iter().map(text).collect()
}
