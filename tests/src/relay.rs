//! A relay of a drand beacon on this machine, which serves public rounds that were recorded.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};

/// Chain hash of quicknet.
pub const QUICKNET: &str = "52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971";

/// Rounds of quicknet with their signatures.
pub const ROUNDS: [(u64, &str); 4] = [
    (
        1000,
        "b44679b9a59af2ec876b1a6b1ad52ea9b1615fc3982b19576350f93447cb1125e342b73a8dd2bacbe47e4b6b63ed5e39",
    ),
    (
        1001,
        "b33bf3667cbd5a82de3a24b4e0e9fe5513cc1a0e840368c6e31f5fcfa79bea03f73896b25883abf2853d10337fb8fa41",
    ),
    (
        1002,
        "ab066f9c12dd6de1336fca0f925192fb0c72a771c3e4c82ede1fd362c1a770f9eb05843c6308ce2530b53a99c0281a6e",
    ),
    (
        1003,
        "b104c82771698f45fd8dcfead083d482694c31ab519bcef077f126f3736fe98c8392fd5d45d88aeb76b56ccfcb0296d7",
    ),
];

/// The answers of a relay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    /// The recorded rounds.
    Honest,
    /// Each round with the signature of the one before it.
    Forging,
}

/// A relay that runs until the process ends.
#[derive(Debug)]
pub struct Relay {
    /// Its base address.
    pub url: String,
}

impl Relay {
    /// Starts a relay.
    #[must_use]
    pub fn start(manner: Manner) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                std::thread::spawn(move || answer(stream, manner));
            }
        });
        Self { url }
    }
}

/// Answers one request; the caller may disconnect at any time.
fn answer(mut stream: TcpStream, manner: Manner) {
    let mut lines = BufReader::new(stream.try_clone().unwrap()).lines().map_while(Result::ok);
    let Some(first) = lines.next() else { return };
    let _ = lines.find(String::is_empty);
    let path = first.split(' ').nth(1).unwrap_or_default();
    let asked =
        path.strip_prefix(&format!("/{QUICKNET}/public/")).and_then(|round| round.parse::<u64>().ok());
    let place = ROUNDS.iter().position(|(round, _)| Some(*round) == asked);
    let signature = place.map(|place| match manner {
        Manner::Honest => ROUNDS[place].1,
        Manner::Forging => ROUNDS[place.checked_sub(1).unwrap_or(3)].1,
    });
    let (status, body) = match (asked, signature) {
        (Some(round), Some(signature)) => {
            let randomness = hall_wire::Digest::of(&signature_bytes(signature)).to_hex();
            let body =
                serde_json::json!({ "round": round, "randomness": randomness, "signature": signature });
            ("200 OK", body.to_string())
        }
        _ => ("404 Not Found", "{}".to_owned()),
    };
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
    );
    let _ = stream.write_all((head + &body).as_bytes());
}

fn signature_bytes(hex: &str) -> [u8; 48] {
    hall_wire::text::decode_hex(hex).unwrap()
}
