//! The settings as the parts of the hall want them, checked.

use super::keys::KEYS;
use super::layers::{SettingsError, Values};
use super::log::{Log, MAX_WITNESSES, WitnessAt};
use super::value::Value;
use crate::house::HouseSettings;
use hall_client::Origin;
use hall_core::{BeaconChain, HallSettings, Timing, Word};
use hall_http::{ClientAddresses, HttpSettings, Network, TlsFiles};
use hall_outbound::BaseUrl;
use hall_outbound::doorbell::Policy;
use hall_tools::logs::Logging;
use hall_wire::{Digest, Span, Timestamp};
use std::collections::{BTreeMap, BTreeSet};
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;
use tracing_subscriber::filter::LevelFilter;

/// Everything that can be set.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// Where agents and spectators are listened to.
    pub(crate) listen: SocketAddr,
    /// The public address, if it is not that of `listen`.
    pub(crate) base_url: Option<Origin>,
    /// Where metrics are served.
    pub(crate) admin_listen: Option<SocketAddr>,
    /// The HTTP shell's own settings; `base_url` and `spares_loopback` are filled in at start.
    pub(crate) http: HttpSettings,
    /// Whether `limits.requests_per_minute` was set in any layer.
    pub(crate) rate_is_chosen: bool,
    /// The data folder and what is done there.
    pub(crate) storage: Storage,
    /// The folder of the private keys, if it is not the data folder.
    pub(crate) keys_path: Option<PathBuf>,
    /// This process among the others of a hall on several machines.
    pub(crate) cluster: Cluster,
    /// The settings that decisions depend on.
    pub(crate) hall: HallSettings,
    /// The agents of the house.
    pub(crate) house: HouseSettings,
    /// The log.
    pub(crate) log: Log,
    /// The randomness beacon.
    pub(crate) beacon: Beacon,
    /// How doorbells are rung.
    pub(crate) doorbell: Doorbell,
    /// How to log.
    pub(crate) logging: Logging,
}

/// The data folder and what is done there.
#[derive(Clone, Debug)]
pub(crate) struct Storage {
    /// Where the journal is.
    pub(crate) engine: StorageEngine,
    /// The data folder.
    pub(crate) path: PathBuf,
    /// Free bytes below which no writes are taken.
    pub(crate) reserve_bytes: u64,
    /// Records between two snapshots; 0 for none.
    pub(crate) snapshot_every: u64,
    /// Memory for blocks read from disk.
    pub(crate) cache_bytes: u64,
    /// Records and rows checked each second; 0 for off.
    pub(crate) scrub_per_second: usize,
}

/// Where the journal is.
#[derive(Clone, Debug)]
pub(crate) enum StorageEngine {
    /// In the data folder.
    Fjall,
    /// In a database.
    Postgres(Box<hall_postgres::Settings>),
}

/// This process among the others of a hall on several machines.
#[derive(Clone, Debug)]
pub(crate) struct Cluster {
    /// Where other nodes are listened to.
    pub(crate) listen: SocketAddr,
    /// Where they reach this one, if that is another address.
    pub(crate) address: Option<String>,
    /// Its name, if it has one besides its address.
    pub(crate) name: Option<String>,
    /// For how long the others leave the lead to a node that says nothing.
    pub(crate) lease: Duration,
}

/// The randomness beacon.
#[derive(Clone, Debug)]
pub(crate) struct Beacon {
    /// Where rounds are fetched; empty for off.
    pub(crate) relays: Vec<BaseUrl>,
    /// Which chain, and when its rounds are due.
    pub(crate) chain: BeaconChain,
    /// Its public key, lowercase hexadecimal.
    pub(crate) public_key: String,
}

/// How doorbells are rung.
#[derive(Clone, Debug)]
pub(crate) struct Doorbell {
    /// Which endpoints may be rung.
    pub(crate) policy: Policy,
    /// Further authorities whose certificates are believed.
    pub(crate) ca_file: Option<PathBuf>,
}

impl Settings {
    /// Whether requests from this machine are left uncounted by a hall at this address (decision 2.8): nobody else
    /// can reach it, no proxy is configured, and no limit is set.
    pub(crate) fn spares_loopback(&self, base_url: &Origin) -> bool {
        let host = base_url.host();
        let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
        let is_loopback = host == "localhost" || address.is_ok_and(|address| address.is_loopback());
        is_loopback
            && self.listen.ip().is_loopback()
            && self.http.trusted_proxies.is_empty()
            && !self.rate_is_chosen
    }

    /// Checks the values and puts them into the shapes in which they are used.
    pub(crate) fn of(values: &Values) -> Result<Self, SettingsError> {
        let mut read = Reader { values, problems: Vec::new() };
        let beacon = read.beacon();
        let settings = Self {
            listen: read.address("server.listen").unwrap_or(SocketAddr::from(([127, 0, 0, 1], 8080))),
            base_url: read.origin("server.base_url"),
            admin_listen: read.address("server.admin_listen"),
            http: read.http(),
            rate_is_chosen: values.is_chosen("limits.requests_per_minute"),
            storage: read.storage(),
            keys_path: read.optional_text("keys.path").map(PathBuf::from),
            cluster: read.cluster(),
            hall: read.hall(&beacon),
            house: HouseSettings {
                agents: read.number("house.agents"),
                after: Span::from_secs(read.number("house.after_seconds")),
            },
            log: read.log(),
            beacon,
            doorbell: read.doorbell(),
            logging: read.logging(),
        };
        if read.problems.is_empty() {
            Ok(settings)
        } else {
            Err(SettingsError::Unusable { problems: read.problems })
        }
    }
}

/// Reads values by name and notes what is wrong with them.
struct Reader<'a> {
    values: &'a Values,
    problems: Vec<String>,
}

impl Reader<'_> {
    fn problem(&mut self, path: &str, text: &str, why: impl std::fmt::Display) {
        self.problems.push(format!("`{path}` is \"{text}\": {why}"));
    }

    fn text(&self, path: &str) -> String {
        let Value::Text(text) = self.values.of(path) else {
            panic!("{path} is not a text in the table of settings");
        };
        text.trim().to_owned()
    }

    fn texts(&self, path: &str) -> Vec<String> {
        let Value::Texts(items) = self.values.of(path) else {
            panic!("{path} is not a list of texts in the table of settings");
        };
        items.clone()
    }

    fn number<N: TryFrom<i64>>(&self, path: &str) -> N {
        let Value::Integer(number) = self.values.of(path) else {
            panic!("{path} is not a number in the table of settings");
        };
        N::try_from(*number).unwrap_or_else(|_| panic!("the range of {path} in the table is too wide"))
    }

    fn seconds(&self, path: &str) -> Duration {
        Duration::from_secs(self.number(path))
    }

    fn optional_text(&self, path: &str) -> Option<String> {
        Some(self.text(path)).filter(|text| !text.is_empty())
    }

    /// `None` for the empty text, and for one that is a problem.
    fn parsed<T, E: std::fmt::Display>(
        &mut self,
        path: &str,
        parse: impl FnOnce(&str) -> Result<T, E>,
    ) -> Option<T> {
        let text = self.optional_text(path)?;
        parse(&text).map_err(|why| self.problem(path, &text, why)).ok()
    }

    fn address(&mut self, path: &str) -> Option<SocketAddr> {
        if path == "server.listen" && self.text(path).is_empty() {
            self.problem(path, "", "write an address with a port, such as 127.0.0.1:8080");
        }
        self.parsed(path, |text| {
            text.parse().map_err(|_| "write an address with a port, such as 127.0.0.1:8080 or [::1]:8080")
        })
    }

    fn origin(&mut self, path: &str) -> Option<Origin> {
        self.parsed(path, Origin::parse)
    }

    fn networks(&mut self, path: &str) -> Vec<Network> {
        let mut networks = Vec::new();
        for text in self.texts(path) {
            match text.parse() {
                Ok(network) => networks.push(network),
                Err(why) => self.problem(path, &text, why),
            }
        }
        networks
    }

    fn tls(&mut self) -> Option<TlsFiles> {
        let (certificate, key) =
            (self.optional_text("server.tls_cert"), self.optional_text("server.tls_key"));
        match (certificate, key) {
            (Some(certificate), Some(key)) => {
                Some(TlsFiles { certificate: certificate.into(), key: key.into() })
            }
            (None, None) => None,
            (Some(_), None) => {
                self.problem("server.tls_key", "", "server.tls_cert needs its private key");
                None
            }
            (None, Some(_)) => {
                self.problem("server.tls_cert", "", "server.tls_key needs its certificate");
                None
            }
        }
    }

    fn http(&mut self) -> HttpSettings {
        HttpSettings {
            base_url: String::new(),
            trusted_proxies: self.networks("server.trusted_proxies"),
            requests_per_minute: self.number("limits.requests_per_minute"),
            spares_loopback: false,
            registrations_per_hour: self.number("limits.registrations_per_hour"),
            challenge_validity: Span::from_secs(self.number("limits.challenge_seconds")),
            max_connections: self.number("server.max_connections"),
            max_connections_per_client: self.number("server.max_connections_per_client"),
            max_streams: self.number("server.max_streams"),
            max_streams_per_client: self.number("server.max_streams_per_client"),
            header_timeout: self.seconds("server.header_seconds"),
            body_timeout: self.seconds("server.body_seconds"),
            idle_timeout: self.seconds("server.idle_seconds"),
            write_stall_timeout: self.seconds("server.stall_seconds"),
            drain_timeout: self.seconds("server.drain_seconds"),
            tls: self.tls(),
            client_addresses: match self.text("logging.client_addresses").as_str() {
                "hashed" => ClientAddresses::Hashed,
                "none" => ClientAddresses::None,
                _ => ClientAddresses::Full,
            },
        }
    }

    fn storage(&mut self) -> Storage {
        let path = self.values.data_folder();
        if path.as_os_str().is_empty() {
            self.problem("storage.path", "", "name a folder");
        }
        let mebibytes = |count: u64| count * 1024 * 1024;
        Storage {
            engine: self.engine(),
            path,
            reserve_bytes: mebibytes(self.number("storage.reserve_mib")),
            snapshot_every: self.number("storage.snapshot_every"),
            cache_bytes: mebibytes(self.number("storage.cache_mib")),
            scrub_per_second: self.number("storage.scrub_per_second"),
        }
    }

    fn cluster(&mut self) -> Cluster {
        let listen = self.address("cluster.listen").unwrap_or(SocketAddr::from(([127, 0, 0, 1], 0)));
        let (address, name) = (self.optional_text("cluster.address"), self.optional_text("cluster.name"));
        if listen.ip().is_unspecified() && address.is_none() {
            let why =
                "no node can be reached there; name this machine in cluster.address, such as 10.0.0.1:7000";
            self.problem("cluster.listen", &listen.to_string(), why);
        }
        for (path, text) in [("cluster.address", &address), ("cluster.name", &name)] {
            if let Some(text) = text.as_deref().filter(|text| text.contains(char::is_whitespace)) {
                self.problem(path, text, "leave out the space in it");
            }
        }
        Cluster { listen, address, name, lease: self.seconds("cluster.lease_seconds") }
    }

    fn engine(&mut self) -> StorageEngine {
        let Value::Secret(connection) = self.values.of("storage.postgres") else {
            panic!("storage.postgres is not a secret in the table of settings");
        };
        let problem = match (self.text("storage.engine").as_str(), connection.expose()) {
            ("postgres", Some(connection)) => match hall_postgres::Settings::parse(connection) {
                Ok(settings) => return StorageEngine::Postgres(Box::new(settings)),
                Err(error) => format!("`storage.postgres`: {error}"),
            },
            ("postgres", None) => {
                "`storage.engine` is \"postgres\", and `storage.postgres` is empty: set it to the \
                                   connection string of the database"
                    .to_owned()
            }
            (_, Some(_)) => {
                "`storage.postgres` is set, and `storage.engine` is \"fjall\", which has no database: set \
                             storage.engine to postgres, or leave storage.postgres out"
                    .to_owned()
            }
            (_, None) => return StorageEngine::Fjall,
        };
        self.problems.push(problem);
        StorageEngine::Fjall
    }

    fn hall(&mut self, beacon: &Beacon) -> HallSettings {
        let mut settings = HallSettings {
            timing: self.timing(),
            beacon: (!beacon.relays.is_empty()).then_some(beacon.chain),
            ..HallSettings::default()
        };
        for key in KEYS.iter() {
            if let Some(set) = key.sets {
                set(&mut settings, self.number(key.path));
            }
        }
        settings
    }

    fn timing(&self) -> BTreeMap<Word, Timing> {
        let clocks = |id: &str| {
            let side = Span::from_secs(self.number(&format!("games.{id}.side_seconds")));
            Timing {
                move_time: Span::from_secs(self.number(&format!("games.{id}.move_seconds"))),
                side_time: (side != Span::ZERO).then_some(side),
            }
        };
        let ids = hall_games::CATALOG.iter().map(|game| game.describe().id);
        ids.filter_map(|id| Some((Word::parse(id)?, clocks(id)))).collect()
    }

    fn log(&mut self) -> Log {
        let origin =
            self.parsed("log.origin", |text| hall_wire::note::check_origin(text).map(|()| text.to_owned()));
        let mut witnesses: Vec<WitnessAt> = Vec::new();
        for text in self.texts("log.witnesses") {
            match WitnessAt::parse(&text) {
                Ok(witness) if witnesses.iter().any(|known| known.key == witness.key) => {
                    self.problem("log.witnesses", &text, "this witness is listed twice");
                }
                Ok(witness) => witnesses.push(witness),
                Err(why) => self.problem("log.witnesses", &text, why),
            }
        }
        if witnesses.len() > MAX_WITNESSES {
            self.problem("log.witnesses", "", format!("a log has at most {MAX_WITNESSES} witnesses"));
        }
        Log { origin, mark_path: self.optional_text("log.mark_path").map(PathBuf::from), witnesses }
    }

    fn beacon(&mut self) -> Beacon {
        let mut relays = Vec::new();
        for relay in self.texts("beacon.relays") {
            match BaseUrl::parse(&relay) {
                Ok(url) => relays.push(url),
                Err(why) => self.problem("beacon.relays", &relay, why),
            }
        }
        let hash = self.text("beacon.chain_hash");
        let chain_hash = Digest::parse(&hash).unwrap_or_else(|| {
            self.problem("beacon.chain_hash", &hash, "write 64 lowercase hex digits");
            Digest::from_bytes([0; 32])
        });
        let public_key = self.text("beacon.public_key");
        if hall_wire::text::decode_hex::<96>(&public_key).is_none() {
            self.problem("beacon.public_key", &public_key, "write 192 lowercase hex digits");
        }
        let genesis = Timestamp::from_millis(self.number::<i64>("beacon.genesis") * 1_000);
        let period = Span::from_secs(self.number("beacon.period"));
        Beacon { relays, chain: BeaconChain { chain_hash, genesis, period }, public_key }
    }

    fn logging(&mut self) -> Logging {
        let filter = self.text("logging.level");
        if filter.is_empty() {
            self.problem("logging.level", "", format!("write {LEVELS}"));
        } else if let Some(word) = no_level(&filter) {
            self.problem(
                "logging.level",
                &filter,
                format!("{word:?} is not a level; write {LEVELS}, or PART=LEVEL"),
            );
        } else if let Err(why) = tracing_subscriber::EnvFilter::try_new(&filter) {
            self.problem("logging.level", &filter, why);
        }
        Logging { json: self.text("logging.format") == "json", filter }
    }

    fn doorbell(&mut self) -> Doorbell {
        let mut ports = BTreeSet::new();
        if let Value::Integers(named) = self.values.of("doorbell.ports") {
            ports.extend(named.iter().filter_map(|port| u16::try_from(*port).ok()));
        }
        if ports.is_empty() {
            self.problem("doorbell.ports", "", "name at least one port");
        }
        let ca_file = self.optional_text("doorbell.ca_file").map(PathBuf::from);
        if let Some(file) = ca_file.as_deref().filter(|file| !file.is_file()) {
            self.problem("doorbell.ca_file", &file.display().to_string(), "there is no such file");
        }
        let allow_private = matches!(self.values.of("doorbell.allow_private_addresses"), Value::Switch(true));
        Doorbell { policy: Policy { ports, allow_private }, ca_file }
    }
}

const LEVELS: &str = "one of error, warn, info, debug, trace and off";

/// The first directive of a log filter that is neither a level nor of the form `PART=LEVEL`. The filter would take such a
/// word for the name of a part, and log nothing else.
fn no_level(filter: &str) -> Option<&str> {
    let directives = filter.split(',').map(str::trim).filter(|directive| !directive.is_empty());
    let mut bare = directives.filter(|directive| !directive.contains('='));
    bare.find(|directive| directive.parse::<LevelFilter>().is_err())
}
