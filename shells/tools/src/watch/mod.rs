//! `hall watch`: shows live games of any hall as text.
//!
//! Everything comes from the hall's public streams: the moves of a game from its events, and the next game to watch from those
//! of the hall. On a terminal the position is drawn again in place after each move; elsewhere one line tells each event.

mod drawing;
mod event_line;

pub use drawing::position;

use crate::exit::{FAILED, OK, REFUSED, Status};
use crate::reading;
use crate::terminal::{Terminal, plain};
use clap::Args;
use event_line::EventLine;
use hall_client::{Error, EventStream, Fetched, Link};
use hall_games::Picture;
use hall_wire::{GameId, Player};
use serde_json::Value;
use std::io::Write as _;
use std::time::Duration;

/// The largest answer that is read: of a list of one game, or of one picture.
const MOST_ANSWER_BYTES: usize = 4 * 1024 * 1024;
/// How long an answer may take.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(20);
/// Before the hall is asked again after it did not answer.
const RETRY_DELAY: Duration = Duration::from_secs(2);
/// Lines of the newest events that stand below a drawn position.
const LINES: usize = 8;
/// Clears a terminal, and puts the cursor at its beginning.
const CLEAR: &str = "\x1b[H\x1b[2J";

/// Watch live games of a hall in the terminal
///
/// Shows one game, or without its id one live game after the other, the newest first; while none is live it waits for the
/// next. On a terminal the position is drawn after each move, with colours and symbols unless NO_COLOR is set or the locale
/// is not UTF-8; elsewhere events are written as lines. Ctrl-C stops.
#[derive(Debug, Args)]
#[command(
    after_help = "Exit codes: 0 the games that were asked for were shown, 1 there is no such game, 2 the hall cannot be asked.\n\n\
    Examples:\n  hall watch\n  hall watch g_01m7yfs7qymvb7e9cwq7408k3p --hall https://hall.example\n  hall watch --game go --games 1 | tee game.txt"
)]
pub struct WatchArgs {
    /// The game; without it, one live game after the other
    #[arg(value_name = "GAME_ID", value_parser = game_id)]
    game_id: Option<GameId>,
    /// The address of the hall
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:8080")]
    hall: String,
    /// Only games of this game id, such as chess
    #[arg(long, value_name = "ID", conflicts_with = "game_id")]
    game: Option<String>,
    /// Stop after this many games [default: go on until Ctrl-C]
    #[arg(long, value_name = "N", conflicts_with = "game_id", value_parser = clap::value_parser!(u64).range(1..))]
    games: Option<u64>,
    /// Also where lines are written, write the position after each move
    #[arg(long)]
    boards: bool,
}

fn game_id(text: &str) -> Result<GameId, String> {
    GameId::parse(text).ok_or_else(|| "it must be the id of a game, g_ and 26 letters and digits".to_owned())
}

/// Why nothing more can be shown.
enum Trouble {
    /// The hall says that there is no such thing.
    Refused(String),
    /// The hall was asked and did not answer as a hall does.
    Failed(String),
}

/// Shows games until there is nothing more to show.
#[must_use]
pub fn run(args: WatchArgs) -> Status {
    let watched = match crate::runtime() {
        Ok(runtime) => runtime.block_on(watch(args)),
        Err(error) => Err(Trouble::Failed(error.to_string())),
    };
    let (why, status) = match watched {
        Ok(()) => return OK,
        Err(Trouble::Refused(why)) => (why, REFUSED),
        Err(Trouble::Failed(why)) => (why, FAILED),
    };
    eprintln!("hall watch: {}", plain(&why));
    status
}

async fn watch(args: WatchArgs) -> Result<(), Trouble> {
    let base = args.hall.trim_end_matches('/').to_owned();
    let link = match base.split_once("://") {
        Some(("https", _)) => Link::https().map_err(|error| Trouble::Failed(error.to_string()))?,
        _ => Link::http(),
    };
    let mut watcher =
        Watcher { base, link, terminal: Terminal::detect(), boards: args.boards, lines: Vec::new() };
    if let Some(game) = args.game_id {
        return watcher.game(&game.to_string()).await;
    }
    let (mut shown, mut last) = (0, String::new());
    while args.games.is_none_or(|games| shown < games) {
        last = watcher.next_game(args.game.as_deref(), &last).await?;
        watcher.game(&last).await?;
        shown += 1;
    }
    Ok(())
}

struct Watcher {
    base: String,
    link: Link,
    terminal: Terminal,
    boards: bool,
    /// What was told of the game that is shown, newest last.
    lines: Vec<String>,
}

/// A game as the hall records it.
struct Watched {
    id: String,
    title: String,
    handles: Vec<String>,
}

impl Watched {
    fn named(&self, player: Player) -> String {
        self.handles.get(player.index()).cloned().unwrap_or_else(|| player.to_string())
    }
}

impl Watcher {
    /// The newest live game other than the last, or the next one that begins.
    async fn next_game(&mut self, game: Option<&str>, last: &str) -> Result<String, Trouble> {
        let filter = game.map_or_else(String::new, |game| format!("&game={game}"));
        let mut is_told = false;
        loop {
            // Opened before the list is read, so that no game is missed in between.
            let stream =
                EventStream::open(&self.link, &format!("{}/api/events", self.base), None, ANSWER_TIMEOUT)
                    .await;
            let listed = self.ask(&format!("/api/games?status=live&limit=1{filter}")).await?;
            if let Some(id) = text(&listed, "/games/0/id").filter(|id| *id != last) {
                return Ok(id.to_owned());
            }
            if !std::mem::replace(&mut is_told, true) {
                self.say("No such game is live. Waiting for the next one.");
            }
            let Ok(Some(mut stream)) = stream else {
                tokio::time::sleep(RETRY_DELAY).await;
                continue;
            };
            while let Ok(Some(event)) = stream.next().await {
                let told: Value = serde_json::from_str(&event.data).unwrap_or_default();
                let fits = game.is_none_or(|game| text(&told, "/game") == Some(game));
                if let Some(id) =
                    text(&told, "/game_id").filter(|_| text(&told, "/type") == Some("game_started") && fits)
                {
                    return Ok(id.to_owned());
                }
            }
        }
    }

    /// Shows a game from its beginning to its end.
    async fn game(&mut self, id: &str) -> Result<(), Trouble> {
        let record = self.ask(&format!("/api/games/{id}")).await?;
        let watched = watched(id, record.pointer("/game").unwrap_or(&Value::Null));
        self.lines.clear();
        self.say(&watched.title);
        let mut last: Option<String> = None;
        loop {
            let address = format!("{}/api/games/{id}/events", self.base);
            match EventStream::open(&self.link, &address, last.as_deref(), ANSWER_TIMEOUT).await {
                Ok(None) => return Ok(()),
                Ok(Some(mut stream)) => {
                    while let Ok(Some(event)) = stream.next().await {
                        last = event.id.or(last);
                        if self.event(&watched, &event.data).await? {
                            return Ok(());
                        }
                    }
                }
                Err(error) if error.is_passing() => {}
                Err(error) => return Err(Trouble::Failed(error.to_string())),
            }
            tokio::time::sleep(RETRY_DELAY).await;
        }
    }

    /// Shows an event; returns whether the game is over.
    async fn event(&mut self, watched: &Watched, data: &str) -> Result<bool, Trouble> {
        let element: Value = serde_json::from_str(data).unwrap_or_default();
        let event = element.pointer("/event").unwrap_or(&Value::Null);
        let Some(EventLine { text, position }) =
            event_line::event_line(event, |player| watched.named(player))
        else {
            return Ok(false);
        };
        if self.terminal.redraws {
            self.lines.push(text);
        } else {
            self.say(&text);
        }
        let ends = event["type"] == "game_ended";
        if let Some(turn) = position.filter(|_| self.terminal.redraws || self.boards) {
            self.draw(watched, turn).await?;
        } else if self.terminal.redraws {
            self.draw_lines(watched, &[]);
        }
        Ok(ends)
    }

    /// Draws what could be seen at the beginning of a turn.
    async fn draw(&mut self, watched: &Watched, turn: u64) -> Result<(), Trouble> {
        let pictures = self.ask(&format!("/api/games/{}/pictures?since={turn}&limit=1", watched.id)).await?;
        let picture = pictures.pointer("/pictures/0/picture").cloned().unwrap_or_default();
        // A game that has ended meanwhile may have no such turn.
        let Ok(picture) = serde_json::from_value::<Picture>(picture) else { return Ok(()) };
        let rendered = position(&picture, self.terminal, |player| plain(&watched.named(player)));
        if self.terminal.redraws {
            self.draw_lines(watched, &rendered);
        } else {
            rendered.iter().for_each(|line| out(&format!("  {line}\n")));
        }
        Ok(())
    }

    fn draw_lines(&self, watched: &Watched, rendered: &[String]) {
        let newest = self.lines.iter().skip(self.lines.len().saturating_sub(LINES)).map(|line| plain(line));
        let all: Vec<String> = [plain(&watched.title), String::new()]
            .into_iter()
            .chain(rendered.iter().cloned())
            .chain([String::new()])
            .chain(newest)
            .collect();
        out(&format!("{CLEAR}{}\r\n", all.join("\r\n")));
    }

    fn say(&self, text: &str) {
        out(&format!("{}\n", plain(text)));
    }

    /// The payload of an answer.
    async fn ask(&self, path: &str) -> Result<Value, Trouble> {
        let address = format!("{}{path}", self.base);
        let Fetched { status, body, .. } = reading::read(&address, MOST_ANSWER_BYTES, ANSWER_TIMEOUT)
            .await
            .map_err(|error: Error| Trouble::Failed(error.to_string()))?;
        let envelope: Value = serde_json::from_slice(&body)
            .map_err(|error| Trouble::Failed(format!("{address} answers no envelope: {error}")))?;
        match text(&envelope, "/error/message") {
            Some(message) if status == 404 => Err(Trouble::Refused(message.to_owned())),
            Some(message) => Err(Trouble::Failed(message.to_owned())),
            None => Ok(envelope.pointer("/data").cloned().unwrap_or_default()),
        }
    }
}

/// The text at a place of an answer.
fn text<'a>(answer: &'a Value, place: &str) -> Option<&'a str> {
    answer.pointer(place).and_then(Value::as_str)
}

fn watched(id: &str, record: &Value) -> Watched {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let seats = record["seats"].as_array().map(Vec::as_slice).unwrap_or_default();
    let handles: Vec<String> = seats.iter().map(|seat| text(&seat["handle"])).collect();
    let variant = text(&record["variant"]);
    let game = if variant == "standard" {
        text(&record["game"])
    } else {
        format!("{} ({variant})", text(&record["game"]))
    };
    Watched { id: id.to_owned(), title: format!("{game}  {id}: {}", handles.join(" - ")), handles }
}

/// Errors are ignored: a reader that has seen enough may close the pipe.
fn out(text: &str) {
    let mut stdout = std::io::stdout().lock();
    let _ = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
}
