//! The layers of settings.

use super::layers::{SettingsError, Sources, Values};
use super::value::Value;
use super::{Settings, StorageEngine, as_toml};
use std::path::PathBuf;

#[test]
fn a_higher_layer_wins_over_every_lower_one() {
    let file = Some("[pairing]\nsweep_seconds = 20\n");
    let variable = ("HALL_PAIRING__SWEEP_SECONDS", "30");
    for (file, environment, set, expected) in [
        (None, &[][..], &[][..], 300),
        (file, &[], &[], 20),
        (file, &[variable], &[], 30),
        (file, &[variable], &["pairing.sweep_seconds=40"], 40),
        (None, &[variable], &[], 30),
        (file, &[], &["pairing.sweep_seconds=40", "pairing.sweep_seconds=50"], 50),
    ] {
        let values = gather(file, environment, set).unwrap();
        assert_eq!(values.of("pairing.sweep_seconds"), &Value::Integer(expected));
        assert_eq!(values.of("server.listen"), &Value::Text("127.0.0.1:8080".to_owned()));
    }
}

#[test]
fn lists_are_separated_by_commas_outside_the_file() {
    let networks = |items: &[&str]| Value::Texts(items.iter().map(|item| (*item).to_owned()).collect());
    for (text, expected) in [
        ("", networks(&[])),
        ("10.0.0.0/8", networks(&["10.0.0.0/8"])),
        ("10.0.0.0/8, ::1", networks(&["10.0.0.0/8", "::1"])),
    ] {
        let values = gather(None, &[("HALL_SERVER__TRUSTED_PROXIES", text)], &[]).unwrap();
        assert_eq!(values.of("server.trusted_proxies"), &expected, "{text}");
    }
    let ports = gather(Some("[doorbell]\nports = [443, 8443]\n"), &[], &[]).unwrap();
    let same = gather(None, &[], &["doorbell.ports=443,8443"]).unwrap();
    assert_eq!(ports, same);
}

#[test]
fn an_unknown_key_is_refused_with_its_place_and_the_nearest_known_one() {
    for (file, environment, set, told) in [
        (Some("[server]\nlisten_on = \"x\"\n"), &[][..], &[][..], ["server.listen_on", "`server.listen`"]),
        (Some("[sever]\nlisten = \"x\"\n"), &[], &[], ["hall.toml", "`server.listen`"]),
        (
            Some("[games.chess]\nmove_secs = 1\n"),
            &[],
            &[],
            ["games.chess.move_secs", "`games.chess.move_seconds`"],
        ),
        (None, &[("HALL_LIMITS__JOINS", "1")], &[], ["HALL_LIMITS__JOINS", "`limits.joins_per_day`"]),
        (None, &[("HALL_SERVER_LISTEN", "x")], &[], ["HALL_SERVER__LISTEN", "`server.listen`"]),
        (None, &[], &["limits.joins=1"], ["--set", "`limits.joins_per_day`"]),
        (None, &[], &["limits=1"], ["--set", "there is no setting `limits`"]),
    ] {
        let error = gather(file, environment, set).unwrap_err().to_string();
        assert!(told.iter().all(|part| error.contains(part)), "{error}");
    }
}

#[test]
fn variables_of_other_programs_are_ignored() {
    assert_eq!(gather(None, &[("HALL_OPERATOR_TOKEN", "x")], &[]).unwrap(), Values::default());
}

#[test]
fn a_value_of_the_wrong_kind_or_range_is_refused_with_the_accepted_values() {
    for (file, told) in [
        ("[server]\nlisten = 8080\n", "`server.listen` takes a text, not 8080"),
        (
            "[limits]\njoins_per_day = -1\n",
            "`limits.joins_per_day` takes a whole number from 0 to 1000000, not -1",
        ),
        ("[limits]\njoins_per_day = \"5\"\n", "takes a whole number"),
        ("[limits]\nchallenge_seconds = 0\n", "takes a whole number from 1"),
        ("[logging]\nformat = \"xml\"\n", "`logging.format` takes one of text, json, not \"xml\""),
        ("[doorbell]\nports = [0]\n", "a list of whole numbers from 1 to 65535"),
        ("[doorbell]\nallow_private_addresses = 1\n", "true or false"),
        ("[server.listen]\nport = 1\n", "`server.listen` takes a text"),
        ("server = 1\n", "there is no setting `server`"),
        ("[server\n", "is not TOML"),
    ] {
        let error = gather(Some(file), &[], &[]).unwrap_err().to_string();
        assert!(error.contains(told), "{error}");
    }
    for (set, told) in [
        ("limits.joins_per_day=many", "takes a whole number from 0 to 1000000, not \"many\""),
        ("limits.joins_per_day=", "takes a whole number"),
        ("server.listen", "write it as section.key=value"),
    ] {
        let error = gather(None, &[], &[set]).unwrap_err().to_string();
        assert!(error.contains(told), "{error}");
    }
}

#[test]
fn who_only_needs_the_data_folder_is_told_it_whatever_else_cannot_be_used() {
    let set = ["server.listen=localhost", "storage.engine=postgres", "storage.path=there"];
    let values = gather(None, &[("HALL_SERVER__LISTEN", "bad:1")], &set).unwrap();
    assert!(Settings::of(&values).is_err());
    assert_eq!(values.data_folder(), std::path::Path::new("there"));
}

#[test]
fn all_unusable_values_are_reported_at_once() {
    let set = [
        "server.listen=localhost",
        "server.base_url=https://hall.example/path",
        "server.trusted_proxies=10.0.0.0/40",
        "server.tls_cert=cert.pem",
        "beacon.chain_hash=ABCD",
        "beacon.public_key=00",
        "log.origin=two words",
        "log.witnesses=PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW https://witness.example",
        "logging.level=hall=loud",
        "doorbell.ca_file=/nowhere/ca.pem",
        "storage.path=",
    ];
    let values = gather(None, &[], &set).unwrap();
    let error = Settings::of(&values).unwrap_err();
    let SettingsError::Unusable { problems } = error else { panic!("{error}") };
    for key in [
        "server.listen",
        "server.base_url",
        "server.trusted_proxies",
        "server.tls_key",
        "beacon.chain_hash",
        "beacon.public_key",
        "log.origin",
        "log.witnesses",
        "logging.level",
        "doorbell.ca_file",
        "storage.path",
    ] {
        assert!(problems.iter().any(|problem| problem.contains(key)), "{key} in {problems:?}");
    }
    assert_eq!(problems.len(), 11, "{problems:?}");
}

#[test]
fn a_log_level_is_a_level_or_one_for_a_part() {
    for (level, is_taken) in [
        ("info", true),
        ("WARN", true),
        ("off", true),
        ("warn,hall_http=debug,", true),
        ("info,hall_http=warn,salvo=off", true),
        ("loud", false),
        ("inf", false),
        ("hall_http", false),
        ("info,hall_http", false),
        ("hall=loud", false),
    ] {
        let values = gather(None, &[], &[&format!("logging.level={level}")]).unwrap();
        assert_eq!(Settings::of(&values).is_ok(), is_taken, "{level}");
    }
}

#[test]
fn a_witness_is_a_key_and_an_address() {
    let key = hall_wire::key::PrivateKey::from_seed(&[1; 32]).public();
    let key = hall_wire::note::witness_key("witness.example/w1", &key);
    let of = |text: &str| Settings::of(&gather(None, &[], &[&format!("log.witnesses={text}")]).unwrap());
    let settings = of(&format!("{key} https://witness.example/")).unwrap();
    let [witness] = settings.log.witnesses.as_slice() else { panic!("{:?}", settings.log) };
    assert_eq!(
        (witness.key.to_string(), witness.url.to_string()),
        (key.clone(), "https://witness.example".to_owned())
    );
    for (text, told) in [
        (key.clone(), "a blank"),
        (format!("{key} https://one.example,{key} https://two.example"), "twice"),
        (format!("{key} witness.example"), "https://"),
        (format!("{} https://witness.example", key.replacen('+', "+0", 1)), "its key"),
    ] {
        let error = of(&text).unwrap_err().to_string();
        assert!(error.contains("log.witnesses") && error.contains(told), "{error}");
    }
}

#[test]
fn the_defaults_are_usable_and_match_the_http_shell() {
    let settings = Settings::of(&Values::default()).unwrap();
    let expected = hall_http::HttpSettings { base_url: String::new(), ..hall_http::HttpSettings::default() };
    assert_eq!(settings.http, expected);
    let relays: Vec<String> = settings.beacon.relays.iter().map(ToString::to_string).collect();
    assert_eq!(relays, hall_outbound::beacon::DEFAULT_RELAYS);
    assert_eq!(settings.hall.beacon, Some(settings.beacon.chain));
    assert_eq!(settings.hall.first_season.as_str(), "s1");
    assert!(settings.base_url.is_none() && settings.admin_listen.is_none() && settings.log.origin.is_none());
    assert!(settings.log.mark_path.is_none() && settings.log.witnesses.is_empty());
}

#[test]
fn the_printed_settings_read_back_as_the_same() {
    let set = [
        "server.trusted_proxies=10.0.0.0/8,::1",
        "doorbell.ports=443,8443",
        "storage.path=a \"b\"\\c",
        "doorbell.allow_private_addresses=true",
        "games.chess.side_seconds=0",
    ];
    let values = gather(None, &[], &set).unwrap();
    let printed = as_toml(&values);
    let read = gather(Some(&printed), &[], &[]).unwrap();
    // A printed file names every setting, so more of them are chosen in it.
    let pairs =
        |values: &Values| values.iter().map(|(key, value)| (key.path, value.clone())).collect::<Vec<_>>();
    assert_eq!(pairs(&read), pairs(&values));
    for (key, _) in values.iter() {
        assert!(printed.contains(key.about), "{}", key.path);
    }
}

#[test]
fn engine_and_connection_string_go_together() {
    let connection = "storage.postgres=host=/run/postgresql dbname=hall user=hall";
    let of = |set: &[&str]| Settings::of(&gather(None, &[], set).unwrap());
    assert!(matches!(of(&[]).unwrap().storage.engine, StorageEngine::Fjall));
    let both = of(&["storage.engine=postgres", connection]).unwrap();
    let StorageEngine::Postgres(database) = both.storage.engine else { panic!("{both:?}") };
    assert_eq!(database.to_string(), "database hall, schema hall at /run/postgresql");
    for (set, told) in [
        (&["storage.engine=postgres"][..], "`storage.postgres` is empty: set it to the connection string"),
        (&[connection], "set storage.engine to postgres, or leave storage.postgres out"),
        (&["storage.engine=postgres", "storage.postgres=dbname=hall"], "cannot be read"),
    ] {
        let error = of(set).unwrap_err().to_string();
        assert!(error.contains(told), "{error}");
    }
}

#[test]
fn a_connection_string_is_shown_nowhere() {
    let secret = "postgres://hall:hunter2@db.example/hall";
    let set = |text: &str| gather(None, &[], &[text]).unwrap();
    let values = set(&format!("storage.postgres={secret}"));
    let printed = as_toml(&values);
    assert!(printed.contains("# postgres is set. It is a secret"), "{printed}");
    let mut told = vec![printed, format!("{values:?}"), Settings::of(&values).unwrap_err().to_string()];
    for file in [
        format!("[storage]\npostgres = {secret}\n"),
        format!("[storage]\npostgres = [\"{secret}\"]\n"),
        format!("[storage.postgres]\nurl = \"{secret}\"\n"),
        format!("[storage]\npostgre = \"{secret}\"\n"),
        format!("[storage]\npostgres = \"{secret}\n"),
    ] {
        told.push(gather(Some(&file), &[], &[]).unwrap_err().to_string());
    }
    told.push(gather(None, &[], &[&format!("storage.postgres:{secret}")]).unwrap_err().to_string());
    told.push(gather(None, &[("HALL_STORAGE__POSTGRE", secret)], &[]).unwrap_err().to_string());
    let usable = gather(None, &[], &["storage.engine=postgres", &format!("storage.postgres={secret}")]);
    told.push(format!("{:?}", Settings::of(&usable.unwrap()).unwrap()));
    for text in told {
        assert!(!text.contains("hunter2"), "{text}");
    }
}

#[test]
fn a_named_settings_file_must_exist() {
    let sources = Sources { file: Some(PathBuf::from("/nowhere/hall.toml")), ..Sources::default() };
    assert!(matches!(Values::gather(&sources), Err(SettingsError::Unreadable { .. })));
}

fn gather(file: Option<&str>, environment: &[(&str, &str)], set: &[&str]) -> Result<Values, SettingsError> {
    let folder = tempfile::tempdir().unwrap();
    let file = file.map(|text| {
        let path = folder.path().join("hall.toml");
        std::fs::write(&path, text).unwrap();
        path
    });
    let environment =
        environment.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let assignments = set.iter().map(|text| (*text).to_owned()).collect();
    Values::gather(&Sources { file, environment, assignments })
}

#[test]
fn local_requests_are_uncounted_only_without_outside_access_and_without_a_set_limit() {
    let own = "http://127.0.0.1:8080";
    for (base_url, file, environment, set, spared) in [
        (own, None, &[][..], &[][..], true),
        ("http://localhost:8080", None, &[], &[], true),
        ("http://[::1]:8080", None, &[], &["server.listen=[::1]:8080"], true),
        (own, None, &[], &["limits.joins_per_day=5"], true),
        ("https://hall.example", None, &[], &[], false),
        ("http://127.0.0.1.example", None, &[], &[], false),
        (own, None, &[], &["server.listen=0.0.0.0:8080"], false),
        (own, None, &[], &["server.trusted_proxies=127.0.0.1"], false),
        (own, None, &[], &["limits.requests_per_minute=120"], false),
        (own, None, &[("HALL_LIMITS__REQUESTS_PER_MINUTE", "120")], &[], false),
        (own, Some("[limits]\nrequests_per_minute = 120\n"), &[], &[], false),
    ] {
        let values = gather(file, environment, set).unwrap();
        let settings = Settings::of(&values).unwrap();
        let base_url = hall_client::Origin::parse(base_url).unwrap();
        assert_eq!(
            settings.spares_loopback(&base_url),
            spared,
            "{base_url} {file:?} {environment:?} {set:?}"
        );
    }
}
