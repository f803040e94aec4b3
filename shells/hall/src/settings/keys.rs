//! Every setting there is: its name, its built-in default, what it may hold, and what it means.
//!
//! The table is the one place that knows them: layers are checked against it, the printed configuration is made
//! from it, and the typed settings are read by its names.

use super::value::{Kind, Secret, Value};
use hall_core::HallSettings;
use hall_games::Description;
use hall_verify::replay::quicknet;
use hall_wire::Span;
use std::sync::LazyLock;

/// One setting.
#[derive(Debug)]
pub(crate) struct Key {
    /// `section.key`.
    pub(crate) path: &'static str,
    /// What it may hold.
    pub(crate) kind: Kind,
    default: BuiltIn,
    /// What it means, in one sentence.
    pub(crate) about: &'static str,
    /// For a setting of the core that is one number: how it enters the core's settings.
    pub(crate) sets: Option<fn(&mut HallSettings, u32)>,
}

/// A built-in default.
#[derive(Clone, Copy, Debug)]
enum BuiltIn {
    Text(&'static str),
    Secret,
    Integer(i64),
    Switch(bool),
    Texts(&'static [&'static str]),
    Integers(&'static [i64]),
    /// That of the core, in the unit of the setting.
    OfCore(fn(&HallSettings) -> i64),
}

impl Key {
    /// The built-in default.
    pub(crate) fn default_value(&self) -> Value {
        match self.default {
            BuiltIn::Text(text) => Value::Text(text.to_owned()),
            BuiltIn::Integer(number) => Value::Integer(number),
            BuiltIn::Secret => Value::Secret(Secret::default()),
            BuiltIn::Switch(switch) => Value::Switch(switch),
            BuiltIn::Texts(items) => Value::Texts(items.iter().map(|item| (*item).to_owned()).collect()),
            BuiltIn::Integers(items) => Value::Integers(items.to_vec()),
            BuiltIn::OfCore(of) => Value::Integer(of(&HallSettings::default())),
        }
    }

    /// Its name in the environment: `HALL_SECTION__KEY`.
    pub(crate) fn environment_name(&self) -> String {
        format!("HALL_{}", self.path.replace('.', "__").to_ascii_uppercase())
    }

    /// The section it is in, and its name there.
    pub(crate) fn section_and_name(&self) -> (&'static str, &'static str) {
        self.path.rsplit_once('.').unwrap_or(("", self.path))
    }
}

const fn text(path: &'static str, default: &'static str, about: &'static str) -> Key {
    Key { path, kind: Kind::Text, default: BuiltIn::Text(default), about, sets: None }
}

const fn secret(path: &'static str, about: &'static str) -> Key {
    Key { path, kind: Kind::Secret, default: BuiltIn::Secret, about, sets: None }
}

const fn word(
    path: &'static str,
    among: &'static [&'static str],
    default: &'static str,
    about: &'static str,
) -> Key {
    Key { path, kind: Kind::Word(among), default: BuiltIn::Text(default), about, sets: None }
}

const fn number(path: &'static str, default: i64, min: i64, max: i64, about: &'static str) -> Key {
    Key { path, kind: Kind::Integer(min, max), default: BuiltIn::Integer(default), about, sets: None }
}

const fn switch(path: &'static str, default: bool, about: &'static str) -> Key {
    Key { path, kind: Kind::Switch, default: BuiltIn::Switch(default), about, sets: None }
}

const fn texts(path: &'static str, default: &'static [&'static str], about: &'static str) -> Key {
    Key { path, kind: Kind::Texts, default: BuiltIn::Texts(default), about, sets: None }
}

const fn numbers(
    path: &'static str,
    default: &'static [i64],
    min: i64,
    max: i64,
    about: &'static str,
) -> Key {
    Key { path, kind: Kind::Integers(min, max), default: BuiltIn::Integers(default), about, sets: None }
}

/// A number that is a setting of the core, which also has its default: `of` reads it and `sets` writes it.
const fn core_number(
    path: &'static str,
    min: i64,
    max: i64,
    about: &'static str,
    of: fn(&HallSettings) -> i64,
    sets: fn(&mut HallSettings, u32),
) -> Key {
    Key { path, kind: Kind::Integer(min, max), default: BuiltIn::OfCore(of), about, sets: Some(sets) }
}

/// No rate or quota is larger than this.
const LARGEST_RATE: i64 = 1_000_000;
/// A day in seconds: no clock or pause is longer.
const DAY: i64 = 86_400;

fn seconds(span: Span) -> i64 {
    i64::try_from(span.as_millis() / 1_000).unwrap_or(DAY)
}

/// Every setting, section by section, in the order in which they are printed.
pub(crate) static KEYS: LazyLock<Vec<Key>> = LazyLock::new(|| {
    let games = hall_games::CATALOG.iter().flat_map(|game| clocks(&game.describe()));
    BEFORE_GAMES.into_iter().chain(games).chain(AFTER_GAMES).collect()
});

/// The clocks of a game, with its own defaults.
fn clocks(game: &Description) -> [Key; 2] {
    // The table is made once and lives as long as the process.
    let path = |name: &str| -> &'static str { format!("games.{}.{name}", game.id).leak() };
    let about = |what: &str| -> &'static str { format!("{}: {what}", game.name).leak() };
    [
        number(path("move_seconds"), seconds(game.move_time), 1, DAY, about("time for one move.")),
        number(
            path("side_seconds"),
            seconds(game.side_time),
            0,
            365 * DAY,
            about("time for all moves of one side; 0 for none."),
        ),
    ]
}

/// The settings that are printed before those of the games.
const BEFORE_GAMES: [Key; 34] = [
    text("server.listen", "127.0.0.1:8080", "Address and port for agents and spectators."),
    text(
        "server.base_url",
        "",
        "The address under which agents reach the hall, such as https://hall.example; empty for that of server.listen.",
    ),
    text(
        "server.admin_listen",
        "",
        "Address and port for /metrics, /healthz and /readyz; empty for off. Never make it public.",
    ),
    texts(
        "server.trusted_proxies",
        &[],
        "Proxies whose X-Forwarded-For is trusted: addresses or blocks such as 10.0.0.0/8.",
    ),
    text(
        "server.tls_cert",
        "",
        "PEM file with the certificate chain, to serve TLS without a proxy; empty for off.",
    ),
    text("server.tls_key", "", "PEM file with the private key of server.tls_cert."),
    number(
        "server.max_connections",
        8_192,
        1,
        LARGEST_RATE,
        "Connections at the same time, event streams excepted. When there are so many, a silent one of the address that has most is closed for a new one; if none is silent, the new one waits.",
    ),
    number(
        "server.max_connections_per_client",
        512,
        0,
        LARGEST_RATE,
        "Connections of one address at the same time, trusted proxies excepted; 0 for no bound.",
    ),
    number("server.max_streams", 4_096, 0, LARGEST_RATE, "Event streams at the same time."),
    number(
        "server.max_streams_per_client",
        100,
        0,
        LARGEST_RATE,
        "Event streams of one client at the same time; 0 for no bound.",
    ),
    number("server.header_seconds", 10, 1, DAY, "How long the head of a request may take."),
    number("server.body_seconds", 10, 1, DAY, "How long the body of a request may take."),
    number("server.idle_seconds", 75, 1, DAY, "How long a connection may be silent between two requests."),
    number(
        "server.stall_seconds",
        5,
        1,
        DAY,
        "How long a client may leave an answer unread. While more waits, it must also read 256 KiB in 20 seconds.",
    ),
    number(
        "server.drain_seconds",
        10,
        0,
        DAY,
        "How long accepted requests may take to finish when the hall stops.",
    ),
    word(
        "storage.engine",
        &["fjall", "postgres"],
        "fjall",
        "Where the journal is: fjall, in the data folder of one machine, or postgres, in a database that several share.",
    ),
    text("storage.path", "hall-data", "The data folder; created at the first start."),
    secret(
        "storage.postgres",
        "How the database of storage.engine = \"postgres\" is reached, such as postgres://hall:PASSWORD@HOST/hall?sslmode=require \
         or host=/run/postgresql dbname=hall user=hall; empty for none. Keep it in a file or the environment: command lines can \
         be seen by others.",
    ),
    number(
        "storage.reserve_mib",
        256,
        0,
        LARGEST_RATE,
        "Free space in MiB below which the hall takes no writes; it resumes at twice as much.",
    ),
    number(
        "storage.snapshot_every",
        50_000,
        0,
        1_000_000_000,
        "Journal records between two snapshots of the state, which keep a start fast; 0 for none.",
    ),
    number("storage.cache_mib", 32, 1, LARGEST_RATE, "Memory in MiB for blocks read from the journal."),
    number(
        "storage.scrub_per_second",
        200,
        0,
        LARGEST_RATE,
        "Old journal records and rows that are read and checked in the background each second; 0 for off.",
    ),
    text(
        "keys.path",
        "",
        "The folder of the hall's private keys, with the same content on every node; empty for the data folder.",
    ),
    text(
        "cluster.listen",
        "127.0.0.1:0",
        "Address and port where this process listens to the other nodes of a hall in a database; port 0 for any.",
    ),
    text(
        "cluster.address",
        "",
        "Host and port under which the other nodes reach cluster.listen; empty for the address that it has.",
    ),
    text("cluster.name", "", "The name of this node, for people; empty for its address."),
    number(
        "cluster.lease_seconds",
        4,
        2,
        60,
        "How long the other nodes wait for a leader that says nothing before one of them leads.",
    ),
    number(
        "limits.requests_per_minute",
        120,
        0,
        LARGEST_RATE,
        "Requests of one client below /api and /mcp in any 60 seconds, and as many for pages; 0 for no limit. Once set, even to \
         its default, it counts requests from this machine too; unset, a hall that only this machine reaches does not count \
         them.",
    ),
    core_number(
        "limits.joins_per_day",
        0,
        LARGEST_RATE,
        "Successful lobby joins of one agent in one UTC day; 0 for no limit.",
        |core| core.joins_per_day.into(),
        |core, most| core.joins_per_day = most,
    ),
    core_number(
        "limits.concurrent_games",
        0,
        LARGEST_RATE,
        "Live games of one agent at the same time; 0 for no limit.",
        |core| core.concurrent_games.into(),
        |core, most| core.concurrent_games = most,
    ),
    core_number(
        "limits.feedback_per_day",
        0,
        LARGEST_RATE,
        "Feedback posts of one agent in one UTC day; 0 for no limit.",
        |core| core.feedback_per_day.into(),
        |core, most| core.feedback_per_day = most,
    ),
    number("limits.challenge_seconds", 300, 1, DAY, "How long an authentication challenge is valid."),
    number(
        "limits.registrations_per_hour",
        0,
        0,
        LARGEST_RATE,
        "Registrations of one client in an hour; 0 for no limit.",
    ),
    core_number(
        "pairing.sweep_seconds",
        1,
        DAY,
        "Time between two scheduled pairing sweeps.",
        |core| seconds(core.sweep_every),
        |core, seconds| core.sweep_every = Span::from_secs(seconds.into()),
    ),
];

/// The settings that are printed after those of the games.
const AFTER_GAMES: [Key; 16] = [
    number(
        "house.agents",
        0,
        0,
        64,
        "Agents that the hall itself runs, of graded strength; they join when an agent waits for an opponent; 0 for none.",
    ),
    number("house.after_seconds", 10, 0, DAY, "How long an agent waits before an agent of the house joins."),
    text(
        "log.origin",
        "",
        "The name of the hall's log, fixed at the first start; empty for host and port of server.base_url.",
    ),
    text(
        "log.mark_path",
        "",
        "A file on another volume that marks the newest checkpoint, so that an older data folder put back is noticed; empty for \
         none.",
    ),
    texts(
        "log.witnesses",
        &[],
        "Witnesses that cosign the log, each with its key and, after a blank, its address: NAME+ID+KEY https://witness.example.",
    ),
    texts(
        "beacon.relays",
        &hall_outbound::beacon::DEFAULT_RELAYS,
        "HTTP relays of the drand randomness beacon; empty for off. Rounds are verified, so a relay need not be trusted.",
    ),
    text("beacon.chain_hash", quicknet::HASH, "The beacon's chain hash, by default that of quicknet."),
    text("beacon.public_key", quicknet::PUBLIC_KEY, "The beacon's public key, 192 lowercase hex digits."),
    number(
        "beacon.genesis",
        quicknet::GENESIS_SECONDS,
        0,
        253_402_300_799,
        "When the beacon's round 1 was due, in Unix seconds.",
    ),
    number("beacon.period", quicknet::PERIOD_SECONDS, 1, DAY, "Seconds between two beacon rounds."),
    switch(
        "doorbell.allow_private_addresses",
        false,
        "Let doorbells be at private addresses and at names of this machine, for tests only.",
    ),
    numbers("doorbell.ports", &[443], 1, 65_535, "Ports at which a doorbell may be."),
    text(
        "doorbell.ca_file",
        "",
        "PEM file with certificate authorities to trust for doorbells besides the system's.",
    ),
    word(
        "logging.format",
        &["text", "json"],
        "text",
        "How log lines are written, to standard error: text or json.",
    ),
    text(
        "logging.level",
        "info,hall_http=warn,salvo=warn",
        "What is logged: error, warn, info, debug or trace, also by part; plain info has a line for every request.",
    ),
    word(
        "logging.client_addresses",
        &["full", "hashed", "none"],
        "full",
        "How the log shows clients' addresses: full, hashed (under a key that lives as long as the process) or none.",
    ),
];

/// The setting with this name.
pub(crate) fn find(path: &str) -> Option<usize> {
    KEYS.iter().position(|key| key.path == path)
}

/// The known setting whose name is most like `path`, if one is like it at all.
pub(crate) fn nearest(path: &str) -> Option<&'static str> {
    let last = path.rsplit_once('.').map_or(path, |(_, last)| last);
    let distance = |key: &&Key| {
        let (_, name) = key.section_and_name();
        let whole = strsim::osa_distance(key.path, path);
        let of_names = strsim::osa_distance(name, last);
        if key.path.starts_with(path) || name.starts_with(last) && whole < 2 * path.len() {
            // A name that was cut short.
            whole.min(2)
        } else if 3 * of_names <= last.len() {
            // Almost the right name, in the wrong section or in none.
            whole.min(1 + 2 * of_names)
        } else {
            whole
        }
    };
    let (key, distance) =
        KEYS.iter().map(|key| (key, distance(&key))).min_by_key(|(_, distance)| *distance)?;
    (2 * distance <= path.len()).then_some(key.path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_default_has_the_kind_of_its_key_and_every_name_is_unique() {
        for (index, key) in KEYS.iter().enumerate() {
            let value = key.default_value();
            assert_eq!(key.kind.read_toml(&value.to_toml()), Some(value), "{}", key.path);
            assert_eq!(find(key.path), Some(index));
            assert!(key.about.ends_with('.'), "{}", key.path);
        }
    }

    #[test]
    fn every_game_of_the_catalog_has_clock_settings_with_its_own_defaults() {
        for game in hall_games::CATALOG.iter() {
            let game = game.describe();
            for (name, span) in [("move_seconds", game.move_time), ("side_seconds", game.side_time)] {
                let key = &KEYS[find(&format!("games.{}.{name}", game.id)).unwrap()];
                let seconds = i64::try_from(span.as_millis() / 1_000).unwrap();
                assert_eq!(key.default_value(), Value::Integer(seconds), "{}", key.path);
            }
        }
    }

    #[test]
    fn the_nearest_name_is_found_by_spelling_and_by_the_last_part() {
        for (wrong, meant) in [
            ("server.listn", "server.listen"),
            ("serve.listen", "server.listen"),
            ("limits.request_per_minute", "limits.requests_per_minute"),
            ("requests_per_minute", "limits.requests_per_minute"),
            ("chess.move_seconds", "games.chess.move_seconds"),
            ("storage.dir", "storage."),
        ] {
            let found = nearest(wrong).unwrap_or_default();
            assert!(found == meant || meant == "storage." && found.starts_with(meant), "{wrong}: {found}");
        }
        for wrong in ["foo.bar", "limits.foo_of_bars", "x"] {
            assert_eq!(nearest(wrong), None, "{wrong}");
        }
    }
}
