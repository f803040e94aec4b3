//! A PostgreSQL server of the run.

use crate::server::CpuClock;
use std::path::PathBuf;
use std::process::Child;
use std::time::Duration;

#[path = "../../../../shells/postgres/tests/postgres/process.rs"]
mod process;

/// How long the server may take to start.
const START: Duration = Duration::from_secs(60);
/// The number of its socket, which is alone in its folder.
const PORT: u16 = 5432;

/// A server with these databases, stopped when dropped.
pub(crate) struct Postgres {
    folder: PathBuf,
    keeper: Child,
}

impl Postgres {
    /// Starts one on an empty folder, with the settings that it has by default.
    pub(crate) fn start(databases: &[&str]) -> Self {
        let folder = process::new_folder();
        let mut create = process::as_server_user("initdb", &["-A", "trust", "-U", "postgres", "-E", "UTF8"]);
        process::run(create.arg("-D").arg(folder.join("data")));
        let keeper = process::spawn(&folder, PORT, &[]);
        let server = Self { folder, keeper };
        let answers = || server.psql("postgres", "select 1").output().unwrap().status.success().then_some(());
        hall_tests::eventually("the database server answers", START, answers);
        for database in databases {
            server.ask("postgres", &format!("create database {database}"));
        }
        server
    }

    /// How a hall reaches one of its databases.
    pub(crate) fn connection(&self, database: &str) -> String {
        format!("host={} port={PORT} user=postgres dbname={database}", self.folder.display())
    }

    /// Runs one statement; the first column of the first row.
    pub(crate) fn ask(&self, database: &str, sql: &str) -> String {
        let output = self.psql(database, sql).output().unwrap();
        assert!(output.status.success(), "{sql}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    /// Bytes that it has written to its log of changes so far.
    pub(crate) fn logged_bytes(&self) -> f64 {
        self.ask("postgres", "select pg_current_wal_insert_lsn() - '0/0'").parse().unwrap()
    }

    /// Bytes that its databases take.
    pub(crate) fn stored_bytes(&self) -> f64 {
        self.ask("postgres", "select sum(pg_database_size(oid)) from pg_database").parse().unwrap()
    }

    /// Processor time so far of the connections on which halls append.
    pub(crate) fn used_by_appends(&self) -> Duration {
        let sql =
            "select string_agg(pid::text, ' ') from pg_stat_activity where application_name = 'hall append'";
        let pids = self.ask("postgres", sql);
        pids.split(' ').map(|pid| CpuClock::of(pid.parse().unwrap()).used()).sum()
    }

    /// Processor time of all its processes so far.
    pub(crate) fn used(&self) -> Duration {
        let file = std::fs::read_to_string(self.folder.join("data/postmaster.pid")).unwrap();
        CpuClock::of(file.lines().next().unwrap().parse().unwrap()).used_with_children()
    }

    fn psql(&self, database: &str, sql: &str) -> std::process::Command {
        let mut psql =
            process::as_server_user("psql", &["-U", "postgres", "-qAt", "-d", database, "-c", sql]);
        psql.arg("-p").arg(PORT.to_string()).arg("-h").arg(&self.folder);
        psql
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        drop(self.keeper.stdin.take());
        let _ = self.keeper.wait();
    }
}
