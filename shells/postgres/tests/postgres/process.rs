//! The processes of a server: Debian's binaries on a folder that is thrown away, over a unix socket.
//!
//! A shell stands between the caller and its server and holds a pipe: when the caller ends, however it ends, the pipe
//! closes, and the shell stops the server by its process id and removes the folder. Servers refuse to run as root, so root
//! starts them as `postgres` or `nobody`.

use std::os::unix::fs::{MetadataExt as _, chown};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// An empty folder that belongs to the user of the server.
pub(crate) fn new_folder() -> PathBuf {
    let folder = tempfile::Builder::new().prefix("hall-pg-").tempdir().unwrap().keep();
    if let Some((user, group)) = server_user() {
        chown(&folder, Some(user), Some(group)).unwrap();
    }
    folder
}

/// Starts a server under its shell.
pub(crate) fn spawn(folder: &Path, port: u16, settings: &[String]) -> Child {
    // A server that ends by itself takes the shell along, so that the test notices.
    const SCRIPT: &str = r#"
        folder=$1; shift
        ( "$@" >"$folder/log" 2>&1; kill -TERM $$ 2>/dev/null ) &
        word=
        read -r word processes
        trap '' TERM
        server=$(head -n 1 "$folder/data/postmaster.pid")
        case $word in
            kill) kill -KILL "$server" $processes 2>/dev/null; wait ;;
            *) kill -QUIT "$server" 2>/dev/null; wait; rm -rf "$folder" ;;
        esac"#;
    let mut command = as_server_user("sh", &["-c", SCRIPT, "sh"]);
    command.arg(folder).arg(binary("postgres")).arg("-D").arg(folder.join("data")).arg("-k").arg(folder);
    command.args(["-c", "listen_addresses=", "-p", &port.to_string()]);
    for setting in settings {
        command.args(["-c", setting]);
    }
    command.stdin(Stdio::piped()).stdout(Stdio::null()).current_dir("/").spawn().unwrap()
}

/// A program of the server or of the system, run as a user that may run a server.
pub(crate) fn as_server_user(program: &str, arguments: &[&str]) -> Command {
    let program = if ["sh", "cp"].contains(&program) { PathBuf::from(program) } else { binary(program) };
    let mut command = match server_user() {
        None => Command::new(program),
        Some((user, group)) => {
            let mut command = Command::new("setpriv");
            command
                .arg(format!("--reuid={user}"))
                .arg(format!("--regid={group}"))
                .arg("--clear-groups")
                .arg(program);
            command
        }
    };
    command.args(arguments).current_dir("/");
    command
}

/// The user and the group of the server; `None` to stay who we are.
pub(crate) fn server_user() -> Option<(u32, u32)> {
    if std::fs::metadata("/proc/self").unwrap().uid() != 0 {
        return None;
    }
    let id = |user: &str, what: &str| {
        let output = Command::new("id").args([what, user]).output().unwrap();
        String::from_utf8(output.stdout).unwrap().trim().parse().ok()
    };
    let user = ["postgres", "nobody"].into_iter().find_map(|user| Some((id(user, "-u")?, id(user, "-g")?)));
    Some(user.expect("a user postgres or nobody"))
}

/// A program of the newest PostgreSQL that Debian has installed, or of the folder in `HALL_POSTGRES_BIN`.
fn binary(program: &str) -> PathBuf {
    if let Some(folder) = std::env::var_os("HALL_POSTGRES_BIN") {
        return Path::new(&folder).join(program);
    }
    let versions = std::fs::read_dir("/usr/lib/postgresql").expect("Debian's package postgresql");
    let newest = versions
        .filter_map(|entry| entry.unwrap().file_name().to_str()?.parse::<u32>().ok())
        .max()
        .expect("a version of PostgreSQL");
    PathBuf::from(format!("/usr/lib/postgresql/{newest}/bin/{program}"))
}

pub(crate) fn run(command: &mut Command) {
    let output = command.stdin(Stdio::null()).output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
}
