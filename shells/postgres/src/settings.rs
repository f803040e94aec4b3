//! Where the database is, and how it is reached. Owns the only copy of the password, and shows it to nobody.

use crate::error::OpenError;
use crate::servers;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode, TargetSessionAttrs};

/// The schema of a hall unless another is named.
const SCHEMA: &str = "hall";
/// The longest name that PostgreSQL does not cut off, in bytes.
const MAX_SCHEMA_BYTES: usize = 63;
/// How many connections serve readers unless another number is set.
const READERS: usize = 4;
/// How long a connection may take to be made, unless the connection string says so.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// What tells a dead connection, unless the connection string says so.
const KEEPALIVE_IDLE: Duration = Duration::from_secs(3);
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(1);
const KEEPALIVE_RETRIES: u32 = 3;
const USER_TIMEOUT: Duration = Duration::from_secs(5);
/// How long short statements may take unless another time is set.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(5);

/// How a hall reaches its database.
///
/// [`fmt::Display`] and [`fmt::Debug`] name the hosts, the database and the schema, and nothing that is secret.
#[derive(Clone)]
pub struct Settings {
    pub(crate) config: Config,
    pub(crate) schema: String,
    pub(crate) tls_roots: Option<PathBuf>,
    pub(crate) readers: usize,
    pub(crate) answer_timeout: Duration,
}

impl Settings {
    /// Reads a connection string, as `postgres://user:password@host/database?sslmode=require` or
    /// `host=/run/postgresql dbname=hall user=hall`.
    ///
    /// TLS is used where the string says `sslmode=require`, and then always with a check of the server's certificate
    /// and name. Of several servers one is used that accepts writes: the one that was promoted last.
    ///
    /// # Errors
    /// [`OpenError::ConnectionString`] if it is none. The message repeats nothing of it.
    pub fn parse(connection: &str) -> Result<Self, OpenError> {
        // The parser's message may name a part of the string, and that may be a part of a password.
        let mut config: Config = connection.parse().map_err(|_| OpenError::ConnectionString)?;
        if !servers::are_complete(&config) {
            return Err(OpenError::ConnectionString);
        }
        if config.get_hosts().len() > 1 && config.get_target_session_attrs() == TargetSessionAttrs::Any {
            config.target_session_attrs(TargetSessionAttrs::ReadWrite);
        }
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECT_TIMEOUT);
        }
        if config.get_keepalives_idle() == Config::new().get_keepalives_idle() {
            config.keepalives_idle(KEEPALIVE_IDLE);
        }
        if config.get_keepalives_interval().is_none() {
            config.keepalives_interval(KEEPALIVE_INTERVAL);
        }
        if config.get_keepalives_retries().is_none() {
            config.keepalives_retries(KEEPALIVE_RETRIES);
        }
        if config.get_tcp_user_timeout().is_none() {
            config.tcp_user_timeout(USER_TIMEOUT);
        }
        Ok(Self {
            config,
            schema: SCHEMA.to_owned(),
            tls_roots: None,
            readers: READERS,
            answer_timeout: ANSWER_TIMEOUT,
        })
    }

    /// The schema that holds the hall's tables, so that several halls can share a database. The default is `hall`.
    ///
    /// # Errors
    /// [`OpenError::SchemaName`] unless it consists of at most 63 of `a` to `z`, `0` to `9` and `_`, with no digit first,
    /// and does not begin with `pg_`.
    pub fn with_schema(mut self, schema: &str) -> Result<Self, OpenError> {
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
        let first = schema.bytes().next();
        if schema.len() > MAX_SCHEMA_BYTES
            || first.is_none_or(|first| first.is_ascii_digit())
            || !schema.bytes().all(plain)
            || schema.starts_with("pg_")
        {
            return Err(OpenError::SchemaName { name: schema.to_owned() });
        }
        schema.clone_into(&mut self.schema);
        Ok(self)
    }

    /// A file of certificates in PEM that sign the server's. The default is what the operating system trusts.
    #[must_use]
    pub fn with_tls_roots(mut self, file: PathBuf) -> Self {
        self.tls_roots = Some(file);
        self
    }

    /// The number of connections that readers share, at least 1. The default is 4.
    #[must_use]
    pub fn with_readers(mut self, readers: usize) -> Self {
        self.readers = readers.max(1);
        self
    }

    /// How long connecting, taking over, renewing and releasing may take. The default is 5 s. Appends have no such limit,
    /// because giving up on one would not undo it.
    #[must_use]
    pub const fn with_answer_timeout(mut self, timeout: Duration) -> Self {
        self.answer_timeout = timeout;
        self
    }

    pub(crate) fn wants_tls(&self) -> bool {
        self.config.get_ssl_mode() == SslMode::Require
    }

    /// Whether everything that is written and read can be seen on a network.
    pub(crate) fn is_exposed(&self) -> bool {
        let local = |host: &Host| match host {
            Host::Unix(_) => true,
            Host::Tcp(name) => ["localhost", "127.0.0.1", "::1"].contains(&name.as_str()),
        };
        let addresses = self.config.get_hostaddrs();
        let far = if addresses.is_empty() {
            !self.config.get_hosts().iter().all(local)
        } else {
            !addresses.iter().all(std::net::IpAddr::is_loopback)
        };
        far && !self.wants_tls()
    }
}

impl fmt::Display for Settings {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ports = self.config.get_ports();
        let name =
            self.config.get_dbname().or_else(|| self.config.get_user()).unwrap_or("of the user's name");
        write!(out, "database {name}, schema {} at ", self.schema)?;
        let hosts = self.config.get_hosts();
        for (index, host) in hosts.iter().enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            match host {
                Host::Tcp(host) => {
                    let port = ports.get(index).or_else(|| ports.first()).copied().unwrap_or(5432);
                    write!(out, "{comma}{host}:{port}")?;
                }
                Host::Unix(path) => write!(out, "{comma}{}", path.display())?,
            }
        }
        if hosts.is_empty() {
            write!(out, "{:?}", self.config.get_hostaddrs())?;
        }
        Ok(())
    }
}

impl fmt::Debug for Settings {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Settings({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_message_repeats_any_part_of_a_connection_string_that_cannot_be_read() {
        let broken = [
            "postgres://hall:hunter2@db:port/hall",
            "host=db password=swordfish hunter2=1",
            "host=db password='hunter2",
            "hunter2",
            "host=db password=hunter2 sslmode=verify-full",
            "postgres://hall:hunter2@/hall",
            "host=one,two port=1,2,3 password=hunter2",
        ];
        for connection in broken {
            let error = Settings::parse(connection).unwrap_err();
            let told = format!("{error} {error:?}");
            assert!(!told.contains("hunter2") && !told.contains("swordfish"), "{told}");
        }
    }

    #[test]
    fn settings_show_where_the_database_is_and_no_password() {
        let settings = Settings::parse("postgres://hall:hunter2@db.example:6543/games").unwrap();
        assert_eq!(settings.to_string(), "database games, schema hall at db.example:6543");
        assert!(!format!("{settings:?} {settings:#?}").contains("hunter2"));
    }

    #[test]
    fn a_schema_has_a_plain_name() {
        let settings = || Settings::parse("host=/run user=hall").unwrap();
        for good in ["hall", "_a1", "a".repeat(63).as_str()] {
            assert!(settings().with_schema(good).is_ok(), "{good}");
        }
        for bad in ["", "1a", "Hall", "a b", "a\"b", "pg_hall", "a".repeat(64).as_str()] {
            assert!(settings().with_schema(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn of_several_hosts_one_is_sought_that_accepts_writes() {
        let several = Settings::parse("postgres://hall@one,two/hall").unwrap();
        assert_eq!(several.config.get_target_session_attrs(), TargetSessionAttrs::ReadWrite);
        let single = Settings::parse("postgres://hall@one/hall").unwrap();
        assert_eq!(single.config.get_target_session_attrs(), TargetSessionAttrs::Any);
    }

    #[test]
    fn only_a_network_without_tls_is_exposed() {
        let exposed = |text: &str| Settings::parse(text).unwrap().is_exposed();
        assert!(exposed("postgres://hall@db.example/hall"));
        assert!(!exposed("postgres://hall@db.example/hall?sslmode=require"));
        assert!(!exposed("postgres://hall@localhost/hall"));
        assert!(!exposed("host=/run/postgresql user=hall"));
    }
}
