//! `hall agent` at a running hall: its output, files and refusals; and the program's completions and manual page.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "helpers of tests may unwrap, index and panic as the tests themselves do"
)]

use rustix::process::{Pid, Signal, kill_process};
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

#[test]
fn two_quiet_agents_print_only_their_results_and_save_the_game_as_pgn() {
    let hall = Hall::start();
    let playing = |handle, strategy| {
        let mut agent = hall.agent(handle);
        agent.args(["--strategy", strategy, "--games", "1", "--quiet", "--pgn", "games.pgn"]);
        agent.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let agents = [playing("ada", "search"), playing("bob", "random")];
    let mut ids = Vec::new();
    for agent in agents {
        let output = agent.wait_with_output().unwrap();
        let printed = said(&output.stdout);
        let [ended, tally] = printed.lines().collect::<Vec<_>>()[..] else { panic!("{output:?}") };
        assert!(ended.contains(" after ") && ended.contains(" against "), "{ended}");
        assert!(tally.contains(" done: ") && output.status.success(), "{output:?}");
        ids.push(ended.split([' ', ':']).find(|word| word.starts_with("g_")).unwrap().to_owned());
    }
    assert_eq!(ids[0], ids[1], "they played each other");
    let kept = std::fs::read_to_string(hall.folder.path().join("games.pgn")).unwrap();
    assert_eq!(kept.matches(&format!("[GameId \"{}\"]", ids[0])).count(), 2, "each appends its own: {kept}");
    assert_eq!(kept.matches("\n\n[Event ").count(), 1, "a blank line lies between two games: {kept}");
}

#[test]
fn any_program_plays_by_lines_of_json_and_what_is_wrong_with_it_is_told() {
    let hall = Hall::start();
    let answers =
        |first: &str| format!("read -r line; {first}\nwhile read -r line; do echo '{{\"index\": 0}}'; done");
    let playing = |handle: &str, first: &str| {
        let script = hall.folder.path().join(handle).with_extension("sh");
        std::fs::write(&script, answers(first)).unwrap();
        let mut agent = hall.agent(handle);
        agent.args(["--game", "goofspiel", "--games", "1", "--quiet", "--exec"]);
        agent.arg(format!("/bin/sh {handle}.sh"));
        agent.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let good = playing("good", "echo '{\"index\": 1}'");
    let bad = playing("bad", "echo 'my best card'");
    for (agent, told) in
        [(good, ""), (bad, "turn 0: the program gave no move (it said \"my best card\", which is no answer)")]
    {
        let output = agent.wait_with_output().unwrap();
        let (printed, faults) = (said(&output.stdout), said(&output.stderr));
        assert!(output.status.success() && printed.contains(" after 13 turns"), "{printed}");
        assert!(faults.contains(told) && faults.lines().count() == usize::from(!told.is_empty()), "{faults}");
    }
    let unknown = hall.agent("eve").args(["--exec", "/no/such/program"]).output().unwrap();
    refused(&unknown, 1, &["the program \"/no/such/program\" does not work"]);
    let wrong = hall.agent("eve").args(["--game", "go", "--uci", "stockfish"]).output().unwrap();
    refused(&wrong, 2, &["--uci is for chess and its variants, not for go"]);
    let wrong = hall.agent("eve").args(["--game", "hex", "--pgn", "games.pgn"]).output().unwrap();
    refused(&wrong, 2, &["--pgn is for chess and its variants, not for hex"]);
}

#[test]
fn an_engine_that_is_still_starting_ends_with_the_agent_that_is_interrupted() {
    let hall = Hall::start();
    let script = hall.folder.path().join("slow.sh");
    std::fs::write(&script, "echo $$ > slow.tmp; mv slow.tmp slow.pid; exec sleep 1000").unwrap();
    let mut agent = hall.agent("ada").args(["--uci", "/bin/sh slow.sh"]).spawn().unwrap();
    let pid = hall.folder.path().join("slow.pid");
    until("the engine starts", || pid.exists());
    let pid = std::fs::read_to_string(pid).unwrap();
    kill_process(Pid::from_child(&agent), Signal::INT).unwrap();
    assert!(agent.wait().unwrap().success());
    // A process that has ended and is not reaped yet has an empty command line.
    let words = || std::fs::read(format!("/proc/{}/cmdline", pid.trim()));
    until("the engine ends", || words().map_or(true, |words| words.is_empty()));
}

#[test]
fn agents_with_the_same_token_file_have_the_same_operator_and_others_do_not() {
    let hall = Hall::start();
    let token = hall.folder.path().join("token");
    std::fs::write(&token, "a secret of two agents\n").unwrap();
    let mut operators = Vec::new();
    for (handle, mode) in [("one", 0o600), ("two", 0o644), ("three", 0)] {
        let mut agent = hall.agent(handle);
        if mode != 0 {
            std::fs::set_permissions(&token, std::fs::Permissions::from_mode(mode)).unwrap();
            agent.args(["--operator-token-file", "token"]);
        }
        let mut child = agent.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        while !lines.next().unwrap().unwrap().contains("homologated") {}
        child.kill().unwrap();
        let warned = said(&child.wait_with_output().unwrap().stderr).contains("chmod 600 token");
        assert_eq!(warned, mode == 0o644, "only of a file that others may read");
        operators.push(hall.operator_of(handle));
    }
    assert_eq!(operators[0], operators[1]);
    assert_ne!(operators[0], operators[2]);
}

#[test]
fn an_agent_that_cannot_play_says_in_one_sentence_what_to_do() {
    let hall = Hall::start();
    let mut first = hall.agent("ada");
    let mut child = first.stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    while !lines.next().unwrap().unwrap().contains("homologated") {}
    child.kill().unwrap();
    child.wait().unwrap();
    let other_key = hall.agent_with("ada", "other.json").output().unwrap();
    refused(&other_key, 1, &["the handle ada belongs to another key", "--handle", "--key FILE"]);
    let other_handle = hall.agent_with("bob", "ada.json").output().unwrap();
    refused(&other_handle, 1, &["registered", "under another handle", "--handle"]);
    let no_token = hall.agent("eve").args(["--operator-token-file", "nowhere"]).output().unwrap();
    refused(&no_token, 2, &["the operator token file nowhere"]);
    let no_file = hall.agent("eve").args(["--pgn", "no/such/folder.pgn"]).output().unwrap();
    refused(&no_file, 1, &["the games cannot be written to no/such/folder.pgn"]);
}

#[test]
fn an_agent_waits_for_a_hall_that_may_be_about_to_start() {
    let folder = tempfile::tempdir().unwrap();
    let mut agent = program(folder.path());
    agent.args(["agent", "--handle", "ada", "--hall", "http://127.0.0.1:1", "--key", "k.json"]);
    let mut child = agent.stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let is_trouble =
        |line: &str| line.contains("the hall cannot be reached") && line.contains("; trying again in ");
    while !is_trouble(&lines.next().unwrap().unwrap()) {}
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn the_program_prints_completions_for_shells_and_a_manual_page() {
    let hall = Hall::start();
    for (shell, sign) in
        [("bash", "complete -F _hall"), ("zsh", "#compdef hall"), ("fish", "complete -c hall")]
    {
        let script = said(&hall.program(&["completions", shell]).stdout);
        let option = if shell == "fish" { "operator-token-file" } else { "--operator-token-file" };
        assert!(script.contains(sign) && script.contains(option), "{shell}");
    }
    for (words, told) in [
        (&["man"][..], "hall\\-conform"),
        (&["man", "agent"], "\\-\\-operator\\-token\\-file"),
        (&["man", "admin", "season"], "season"),
    ] {
        let output = hall.program(words);
        let page = said(&output.stdout);
        assert!(output.status.success() && page.contains(".TH ") && page.contains(told), "{words:?}: {page}");
    }
    let unknown = hall.program(&["man", "agnet"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(said(&unknown.stderr).contains("no command `agnet`; it has: serve, agent"), "{unknown:?}");
}

/// Waits for what must happen within ten seconds.
fn until(what: &str, mut happened: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(10);
    while !happened() {
        assert!(Instant::now() < end, "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn said(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// It exited with `code` and printed one line that contains these words.
fn refused(output: &Output, code: i32, words: &[&str]) {
    let text = said(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{output:?}");
    assert!(text.lines().count() == 1 && words.iter().all(|word| text.contains(word)), "{text}");
}

/// A hall on a free port, in whose folder agents keep their files.
struct Hall {
    process: Child,
    url: String,
    folder: tempfile::TempDir,
}

impl Hall {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let set =
            ["storage.path=data", "storage.reserve_mib=0", "server.listen=127.0.0.1:0", "beacon.relays="];
        let mut command = program(folder.path());
        command.arg("serve").args(set.iter().flat_map(|set| ["--set", set]));
        let mut process = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let url = line.split(' ').find(|word| word.starts_with("http://")).unwrap().to_owned();
        Self { process, url, folder }
    }

    /// `hall agent` with its key in a file of its name.
    fn agent(&self, handle: &str) -> Command {
        self.agent_with(handle, &format!("{handle}.json"))
    }

    fn agent_with(&self, handle: &str, key: &str) -> Command {
        let mut command = program(self.folder.path());
        command.args(["agent", "--hall", &self.url, "--handle", handle, "--key", key]);
        command
    }

    fn program(&self, arguments: &[&str]) -> Output {
        program(self.folder.path()).args(arguments).output().unwrap()
    }

    /// The operator id in the public profile.
    fn operator_of(&self, handle: &str) -> String {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let address = format!("{}/api/agents/{handle}", self.url);
        let fetched = runtime.block_on(hall_client::fetch(&address, 1 << 20, Duration::from_secs(10)));
        let body: serde_json::Value = serde_json::from_slice(&fetched.unwrap().body).unwrap();
        body["data"]["agent"]["operator_id"].as_str().unwrap().to_owned()
    }
}

impl Drop for Hall {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn program(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hall"));
    command.current_dir(folder);
    command
}
