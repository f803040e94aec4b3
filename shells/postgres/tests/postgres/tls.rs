//! TLS where the connection string asks for it, and then only to a server whose certificate is trusted.

use crate::server::process::server_user;
use crate::server::{LONG, Server, append};
use hall_postgres::{Database, OpenError, Settings, Takeover};
use std::net::TcpListener;
use std::os::unix::fs::{PermissionsExt as _, chown};

#[test]
#[ignore = "needs PostgreSQL"]
fn a_server_is_reached_over_tls_and_only_if_its_certificate_is_trusted() {
    let own = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    let other = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    let mut server = Server::start(&[]);
    let folder = server.folder().to_path_buf();
    for (name, text) in [("own.pem", own.cert.pem()), ("own.key", own.signing_key.serialize_pem())] {
        let path = folder.join(name);
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
        if let Some((user, group)) = server_user() {
            chown(&path, Some(user), Some(group)).unwrap();
        }
    }
    std::fs::write(folder.join("other.pem"), other.cert.pem()).unwrap();
    // The port is free when it is chosen; the server is started with it until it has it.
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    server.kill();
    let settings = [
        "listen_addresses=127.0.0.1",
        "ssl=on",
        &format!("ssl_cert_file={}", folder.join("own.pem").display()),
        &format!("ssl_key_file={}", folder.join("own.key").display()),
    ];
    server.change(port, &settings);
    server.run_again();
    let settings = |roots: &str, mode: &str| {
        let text = format!(
            "host=localhost hostaddr=127.0.0.1 port={port} dbname=postgres user=postgres sslmode={mode}"
        );
        Settings::parse(&text).unwrap().with_tls_roots(folder.join(roots))
    };
    let database = Database::open(&settings("own.pem", "require")).unwrap();
    let mut journal = database.take("node", LONG, Takeover::WhenFree).unwrap();
    append(&mut journal, "one");
    let encrypted = "select bool_and(ssl) from pg_stat_ssl join pg_stat_activity using (pid) \
        where application_name = 'hall append'";
    assert_eq!(server.value(encrypted), "t");
    let refused = Database::open(&settings("other.pem", "require"));
    assert!(matches!(refused, Err(OpenError::Unreachable { .. })), "{refused:?}");
    assert!(matches!(Database::open(&settings("missing.pem", "require")), Err(OpenError::Tls { .. })));
}
