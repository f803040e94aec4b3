//! A spectator: follows live games as event streams, and comes back where it was when a stream breaks.

use super::agent::{SeededRandomness, Site};
use super::dialer::ClientStream;
use super::host::{HALL, PORT};
use super::plan::NetworkPlan;
use crate::dice::Dice;
use hall_client::answer::GameStatus;
use hall_client::wire::{GameId, Handle, Span};
use hall_client::{Client, GamesQuery, Key, Link, Origin, RetryPolicy};
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::time::{sleep, timeout};

/// How long a stream may be silent. The hall says every 15 seconds that it is still there.
const IDLE_TIMEOUT: Duration = Duration::from_secs(40);
/// How long connecting may take: on this network a host that is down never answers.
pub(super) const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// The longest chunk that a hall sends.
const LONGEST_CHUNK: usize = 1 << 20;

/// How long a slow reader is held up after each piece: more than a fast game takes for an event, and less than the hall
/// waits for a reader that takes nothing.
const SLOWLY: (Span, Span) = (Span::from_millis(600), Span::from_millis(4_000));
/// How long it is held up at most: the hall does not wait for that.
const LONG: Span = Span::from_secs(30);
/// So many events in the first piece of a stream are more than it can have missed while it connected: the hall keeps 64
/// for a reader.
const FAR_BEHIND: usize = 48;
/// After so many of 1,000 pieces it hangs up and comes back, so that connecting meets many moments of a game.
const HANGS_UP: u32 = 150;

/// A spectator.
pub(super) struct Spectator {
    number: usize,
    /// How slowly it reads, if it does: it may be held up for so long after each piece.
    slow: Option<(Span, Span)>,
    /// Whose games it follows; everybody's if nobody is named.
    whose: Option<String>,
    site: Site,
    dice: Dice,
    client: Client,
}

/// How a stream ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Close {
    /// All events were received.
    Over,
    /// It broke, or the hall could not be reached.
    Broken,
}

impl Spectator {
    /// The spectator with this number.
    ///
    /// # Panics
    /// Never: handle, token and address are well-formed.
    pub(super) fn new(plan: &NetworkPlan, number: usize, site: Site) -> Self {
        let stream = u64::try_from(number).unwrap_or(u64::MAX);
        let site = Site { dialer: site.dialer.of_client(plan.agents + number), ..site };
        let mut dice = Dice::of(plan.seed, "spectator", stream);
        let hall = Origin::parse(&format!("http://{HALL}:{PORT}")).expect("an address");
        // It signs nothing, but a client needs a key.
        let key = Key::from_seed(&hall, &dice.bytes(), "no operator at all").expect("a token");
        let handle = Handle::parse(&format!("spectator-{number}")).expect("a handle");
        let randomness = Arc::new(SeededRandomness::new(plan.seed, "spectator's client", stream));
        let client =
            Client::over(Link::over(site.dialer.clone()), handle, key, RetryPolicy::default(), randomness);
        Self { number, slow: None, whose: None, site, dice, client }
    }

    /// One that reads slowly, and follows the games of the agent whose first one is long and fast.
    pub(super) fn slow(plan: &NetworkPlan, site: Site) -> Self {
        let whose = plan.marathon.then(|| "agent-0".to_owned());
        Self { slow: Some(SLOWLY), whose, ..Self::new(plan, plan.spectators, site) }
    }

    /// Follows one game after the other until the last games are called.
    pub(super) async fn watch(mut self) {
        while !self.site.last_call.is_made() {
            match self.choose().await {
                Some(game) => self.follow(game).await,
                None => sleep(Duration::from_secs(2)).await,
            }
        }
    }

    /// A live game that it has not followed yet.
    async fn choose(&mut self) -> Option<GameId> {
        let agent = self.whose.as_deref();
        let query = GamesQuery { status: Some(GameStatus::Live), agent, ..GamesQuery::default() };
        let page = self.client.games(query).await.ok()?;
        let seen = |game: &GameId| self.site.chronicle.open().streams.contains_key(&(self.number, *game));
        let games: Vec<GameId> = page.games.iter().map(|game| game.id).filter(|game| !seen(game)).collect();
        self.dice.pick(&games).copied()
    }

    /// Follows a game to its end, over as many streams as that takes.
    async fn follow(&mut self, game: GameId) {
        self.site.chronicle.open().streams.insert((self.number, game), Vec::new());
        loop {
            match self.read_stream(game).await {
                Ok(Close::Over) => {
                    self.site.chronicle.mark("stream", "to the end");
                    return;
                }
                Ok(Close::Broken) | Err(_) => self.site.chronicle.mark("stream", "resumed"),
            }
            sleep(Duration::from_millis(700)).await;
        }
    }

    /// One stream, from where the last one ended.
    async fn read_stream(&mut self, game: GameId) -> io::Result<Close> {
        let last = {
            let chronicle = self.site.chronicle.open();
            chronicle.streams.get(&(self.number, game)).and_then(|told| told.last()).map_or(0, |told| told.0)
        };
        let mut stream = timeout(CONNECT_TIMEOUT, self.site.dialer.open(HALL, PORT)).await??;
        // As a browser does: it comes back to the address that it had, and the header says how far it came (decision 7).
        let request = format!(
            "GET /api/games/{game}/events?since=0 HTTP/1.1\r\nHost: {HALL}\r\nAccept: text/event-stream\r\n\
             Last-Event-ID: {last}\r\nConnection: close\r\n\r\n"
        );
        if self.slow.is_some() {
            stream.slow_down()?;
        }
        stream.write_all(request.as_bytes()).await?;
        let mut reader = BufReader::new(stream);
        if !read_head(&mut reader).await? {
            return Ok(Close::Over);
        }
        let mut id = 0;
        while let Some(chunk) = read_chunk(&mut reader).await? {
            if last > 0 && chunk.lines().filter(|line| line.starts_with("id: ")).count() > FAR_BEHIND {
                self.site.chronicle.mark("stream", "resumed far behind");
            }
            for line in chunk.lines() {
                if let Some(number) = line.strip_prefix("id: ").and_then(|number| number.parse().ok()) {
                    id = number;
                } else if let Some(text) = line.strip_prefix("data: ") {
                    let mut chronicle = self.site.chronicle.open();
                    chronicle.streams.entry((self.number, game)).or_default().push((id, text.to_owned()));
                }
            }
            self.linger().await;
            if self.slow.is_none() && self.dice.permille(HANGS_UP) {
                self.site.chronicle.mark("stream", "hung up");
                break;
            }
        }
        Ok(Close::Broken)
    }
}

impl Spectator {
    /// Is held up, if it is slow: mostly for a while in which the hall waits, and sometimes for longer.
    async fn linger(&mut self) {
        let Some((least, most)) = self.slow.filter(|_| !self.site.last_call.is_made()) else { return };
        let mut pause = self.dice.span(least, most);
        if self.dice.permille(60) {
            self.site.chronicle.mark("stream", "not read for long");
            pause = self.dice.span(most, LONG);
        }
        sleep(Duration::from_millis(pause.as_millis())).await;
    }
}

/// Reads the head of an answer; false if it says that nothing more will come.
pub(super) async fn read_head(reader: &mut BufReader<ClientStream>) -> io::Result<bool> {
    let first = read_line(reader).await?;
    while !read_line(reader).await?.is_empty() {}
    match first.split(' ').nth(1) {
        Some("200") => Ok(true),
        Some("204") => Ok(false),
        _ => Err(io::Error::other(first)),
    }
}

/// Reads one chunk of a chunked body; none after the last one.
pub(super) async fn read_chunk(reader: &mut BufReader<ClientStream>) -> io::Result<Option<String>> {
    let size = read_line(reader).await?;
    let size = usize::from_str_radix(&size, 16).ok().filter(|size| *size <= LONGEST_CHUNK);
    let size = size.ok_or_else(|| io::Error::other("not the size of a chunk"))?;
    let mut bytes = vec![0; size + 2];
    timeout(IDLE_TIMEOUT, reader.read_exact(&mut bytes)).await??;
    bytes.truncate(size);
    let text = String::from_utf8(bytes).map_err(io::Error::other)?;
    Ok((size > 0).then_some(text))
}

async fn read_line(reader: &mut BufReader<ClientStream>) -> io::Result<String> {
    let mut line = String::new();
    if timeout(IDLE_TIMEOUT, reader.read_line(&mut line)).await?? == 0 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(line.trim_end().to_owned())
}
