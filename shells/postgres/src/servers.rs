//! Which of several servers is used: one that accepts writes, and of two that say so the one that was promoted last.
//!
//! All are asked at once. A server that hangs still takes connections, and must hide no other one; a primary that was replaced
//! without being told says that it accepts writes, and can confirm none. The choice serves liveness only: what may be relied
//! on is decided by confirmations and epochs, whichever server it is.

use futures_util::stream::{FuturesUnordered, StreamExt as _};
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout_at};
use tokio_postgres::Config;
use tokio_postgres::config::Host;

/// For how long the other answers are awaited once a server has said that it accepts writes.
const OTHERS_WITHIN: Duration = Duration::from_millis(300);
/// After which pause a server that has refused is asked again.
const AGAIN_AFTER: Duration = Duration::from_millis(500);

/// The servers of a connection string, each as if it were named alone.
pub(crate) fn each(config: &Config) -> Vec<Config> {
    let (hosts, addresses, ports) = (config.get_hosts(), config.get_hostaddrs(), config.get_ports());
    let alone = |index: usize| {
        let mut one = without_hosts(config);
        match hosts.get(index) {
            Some(Host::Tcp(name)) => {
                one.host(name);
            }
            Some(Host::Unix(path)) => {
                one.host_path(path);
            }
            None => {}
        }
        if let Some(address) = addresses.get(index) {
            one.hostaddr(*address);
        }
        if let Some(port) = ports.get(index).or_else(|| ports.first()) {
            one.port(*port);
        }
        one
    };
    (0..hosts.len().max(addresses.len())).map(alone).collect()
}

/// Whether each server has its name, address and port, where any has one of its own.
pub(crate) fn are_complete(config: &Config) -> bool {
    let (hosts, addresses, ports) = (config.get_hosts(), config.get_hostaddrs(), config.get_ports());
    let servers = hosts.len().max(addresses.len());
    let fits = |count: usize, least: usize| count <= least || count == servers;
    servers > 0 && fits(hosts.len(), 0) && fits(addresses.len(), 0) && fits(ports.len(), 1)
}

fn without_hosts(config: &Config) -> Config {
    let mut one = Config::new();
    one.ssl_mode(config.get_ssl_mode())
        .ssl_negotiation(config.get_ssl_negotiation())
        .keepalives(config.get_keepalives())
        .keepalives_idle(config.get_keepalives_idle())
        .target_session_attrs(config.get_target_session_attrs())
        .channel_binding(config.get_channel_binding())
        .load_balance_hosts(config.get_load_balance_hosts());
    if let Some(user) = config.get_user() {
        one.user(user);
    }
    if let Some(password) = config.get_password() {
        one.password(password);
    }
    if let Some(name) = config.get_dbname() {
        one.dbname(name);
    }
    if let Some(options) = config.get_options() {
        one.options(options);
    }
    if let Some(name) = config.get_application_name() {
        one.application_name(name);
    }
    if let Some(limit) = config.get_connect_timeout() {
        one.connect_timeout(*limit);
    }
    if let Some(limit) = config.get_tcp_user_timeout() {
        one.tcp_user_timeout(*limit);
    }
    if let Some(interval) = config.get_keepalives_interval() {
        one.keepalives_interval(interval);
    }
    if let Some(retries) = config.get_keepalives_retries() {
        one.keepalives_retries(retries);
    }
    one
}

/// What the server of the newest timeline gives, of those that give anything soon; otherwise why none does. A server that
/// refuses is asked again while another one has not answered: it may be promoted because that one hangs.
pub(crate) async fn newest<'a, S, T, A>(servers: &'a [S], ask: impl Fn(&'a S) -> A) -> Result<T, String>
where
    A: Future<Output = Result<(u32, T), String>>,
{
    let asking = |place: usize, server: &'a S, pause: Duration| {
        let ask = &ask;
        async move {
            sleep(pause).await;
            (place, server, ask(server).await)
        }
    };
    let first = servers.iter().enumerate().map(|(place, server)| asking(place, server, Duration::ZERO));
    let mut asked: FuturesUnordered<_> = first.collect();
    let mut refusals: BTreeMap<usize, String> = BTreeMap::new();
    let mut best: Option<(u32, T)> = None;
    let mut until = None;
    while best.is_some() || refusals.len() < servers.len() {
        let answered = match until {
            None => asked.next().await,
            Some(until) => timeout_at(until, asked.next()).await.unwrap_or(None),
        };
        match answered {
            None => break,
            Some((.., Ok((timeline, given)))) => {
                until.get_or_insert_with(|| Instant::now() + OTHERS_WITHIN);
                if best.as_ref().is_none_or(|(newest, _)| timeline > *newest) {
                    best = Some((timeline, given));
                }
            }
            Some((place, server, Err(why))) => {
                refusals.insert(place, why);
                if best.is_none() {
                    asked.push(asking(place, server, AGAIN_AFTER));
                }
            }
        }
    }
    best.map(|(_, given)| given).ok_or_else(|| refusals.into_values().collect::<Vec<_>>().join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::pending;

    #[test]
    fn each_server_has_everything_that_was_said_of_all() {
        let rest = "user=u password=p dbname=d options='-c a=b' application_name=n sslmode=require connect_timeout=7 \
            tcp_user_timeout=8000 keepalives=1 keepalives_idle=9 keepalives_interval=10 keepalives_retries=11 \
            target_session_attrs=read-write channel_binding=require";
        let parsed = |servers: &str| format!("{servers} {rest}").parse::<Config>().unwrap();
        for (several, alone) in [
            ("host=a,/b port=1,2", ["host=a port=1", "host=/b port=2"]),
            ("host=a,b port=3", ["host=a port=3", "host=b port=3"]),
            ("hostaddr=10.0.0.1,10.0.0.2", ["hostaddr=10.0.0.1", "hostaddr=10.0.0.2"]),
            ("host=a,b hostaddr=10.0.0.1,10.0.0.2", ["host=a hostaddr=10.0.0.1", "host=b hostaddr=10.0.0.2"]),
        ] {
            let several = parsed(several);
            assert!(are_complete(&several));
            assert_eq!(each(&several), alone.map(parsed));
        }
        for broken in ["host=a,b port=1,2,3", "host=a,b,c port=1,2", "host=a,b hostaddr=10.0.0.1"] {
            assert!(!are_complete(&parsed(broken)), "{broken}");
        }
    }

    #[tokio::test]
    async fn of_the_servers_that_answer_the_one_that_was_promoted_last_is_used() {
        type Answer = Result<(u32, char), &'static str>;
        type Case = (&'static [Option<Answer>], Result<char, &'static str>);
        const NEVER: Option<Answer> = None;
        let cases: [Case; 6] = [
            (&[Some(Ok((1, 'a'))), Some(Err("reads only"))], Ok('a')),
            (&[Some(Err("refused")), Some(Ok((1, 'b')))], Ok('b')),
            (&[NEVER, Some(Ok((1, 'b')))], Ok('b')),
            (&[Some(Ok((1, 'a'))), Some(Ok((2, 'b'))), NEVER], Ok('b')),
            (&[Some(Ok((2, 'a'))), Some(Ok((1, 'b')))], Ok('a')),
            (&[Some(Err("refused")), Some(Err("reads only"))], Err("refused; reads only")),
        ];
        for (answers, used) in cases {
            let ask = |answer: &'static Option<Answer>| async move {
                match answer {
                    Some(answer) => answer.map_err(str::to_owned),
                    None => pending().await,
                }
            };
            assert_eq!(newest(answers, ask).await, used.map_err(str::to_owned), "{answers:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_server_that_is_promoted_while_another_one_hangs_is_found_soon() {
        const GIVEN_UP_AFTER: Duration = Duration::from_secs(10);
        let begun = Instant::now();
        let promoted = begun + Duration::from_secs(3);
        let ask = |hangs: &'static bool| async move {
            if *hangs {
                sleep(GIVEN_UP_AFTER).await;
                Err("does not answer".to_owned())
            } else if Instant::now() < promoted {
                Err("reads only".to_owned())
            } else {
                Ok((2, 'b'))
            }
        };
        assert_eq!(newest(&[true, false], ask).await, Ok('b'));
        assert!(Instant::now() < promoted + AGAIN_AFTER + OTHERS_WITHIN, "{:?}", begun.elapsed());
        // Where nobody is promoted, all is told as soon as the last one has answered.
        let begun = Instant::now();
        let ask = |after: &'static u64| async move {
            sleep(Duration::from_secs(*after)).await;
            Err::<(u32, char), _>(format!("refuses after {after} s"))
        };
        assert_eq!(newest(&[10, 0], ask).await, Err("refuses after 10 s; refuses after 0 s".to_owned()));
        assert!(begun.elapsed() < GIVEN_UP_AFTER + AGAIN_AFTER, "{:?}", begun.elapsed());
    }
}
