//! An agent: a task over the real client, with the client's own loop that plays, or woken by its doorbell.
//!
//! It plays random legal moves, now and then offers or accepts a draw, and resigns when it has seen enough, so that
//! games end. Its program may be killed; then it is started again with nothing but its key. A hostile one does the
//! same, and before many of its moves what `hostile` has for it.

use super::bells::{EndpointRegistry, Own};
use super::chronicle::{Shared, ToldMove};
use super::clock::network_millis;
use super::dialer::SiteDialer;
use super::host::{HALL, PORT};
use super::hostile::{Hoard, Hostility, Mischief};
use super::last_call::LastCall;
use super::onlooker::Onlooker;
use super::plan::NetworkPlan;
use super::rereader::{Notice, Rereader};
use super::rung_agent::RungAgent;
use super::{operators, tokens};
use crate::dice::Dice;
use crate::oracles::{ClientRecord, ToldOutcome};
use crate::plan::seats;
use hall_client::answer::{Game, GameStatus, View};
use hall_client::play::{self, Event, Fallback, MoveRef, Strategy, Turn};
use hall_client::wire::{AgentId, GameId, Handle, Span};
use hall_client::{
    Choice, Client, Error, Key, Link, Lobby, MoveOutcome, NoRandomness, Origin, Randomness, RetryPolicy,
    SignedMove, Wait,
};
use hall_core::GameVariant;
use hall_games::CATALOG;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{Notify, watch};

/// How long an agent's program that was killed stays away, at most. Long enough to miss a deadline.
pub(super) const AWAY: Span = Span::from_secs(100);

/// Own moves of a long game, at least and at most, and how long they take at most.
const MARATHON: (u64, u64) = (55, 65);
const QUICKLY: Span = Span::from_millis(60);

/// How long an agent with a doorbell waits for a limit before it does something else.
const LIMITED: Duration = Duration::from_secs(2);

/// Every so many agents have a second program that waits for their turns. Agents play one of three games by turns, and
/// some of each game are among them.
const LOOKS_ON: usize = 2;

/// What the agents of a site share.
#[derive(Clone)]
pub(super) struct Site {
    /// How they reach the hall.
    pub(super) dialer: SiteDialer,
    /// Records the answers that they get.
    pub(super) chronicle: Shared,
    /// Whether no more games may begin.
    pub(super) last_call: LastCall,
    /// What the operator is about to withhold.
    pub(super) notice: Notice,
    /// Kills the programs of agents.
    pub(super) kill: Arc<Notify>,
}

/// An agent with its key.
pub(super) struct Agent {
    number: usize,
    seed: u64,
    site: Site,
    handle: Handle,
    /// The model that it names, which the operator may withhold.
    model: String,
    key: Key,
    games_each: Option<u64>,
    moves: (u64, u64),
    /// What it plays, if that is not chess.
    played: Option<GameVariant>,
    thinking: (Span, Span),
    /// Whether its first game is long and fast.
    is_runner: bool,
    arrives: Duration,
    /// Its doorbell, if it has one.
    own: Option<Own>,
    /// How it is hostile, if it is.
    hostility: Option<Hostility>,
    /// What it keeps to misuse it later.
    hoard: Hoard,
    /// When it began to send its last choice, in milliseconds since the world began.
    chose: Arc<AtomicU64>,
}

/// Where an agent is between two games.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LobbyState {
    /// It does something else, or does not know.
    Away,
    /// It waits in the lobby.
    Queued,
    /// It plays.
    Seated,
}

impl Agent {
    /// The agent with this number.
    ///
    /// # Panics
    /// Never: handle, token and address are well-formed.
    pub(super) fn new(plan: &NetworkPlan, number: usize, site: Site) -> Self {
        let stream = u64::try_from(number).unwrap_or(u64::MAX);
        let mut dice = Dice::of(plan.seed, "agent", stream);
        let hall = Origin::parse(&format!("http://{HALL}:{PORT}")).expect("an address");
        let key = Key::from_seed(&hall, &dice.bytes(), &tokens::token(operators::operator_of(stream)));
        let site = Site { dialer: site.dialer.of_agent(number), ..site };
        let arriving = plan.arriving.as_millis();
        let drawn = dice.between(0, arriving);
        let is_runner = plan.marathon && number < 2;
        // The runners are alone when they come, and so are paired.
        let arrives = if is_runner { 0 } else { drawn + if plan.marathon { 4_000 } else { 0 } };
        let model = site.chronicle.open().outside.words.invent();
        Self {
            number,
            seed: plan.seed,
            site,
            model,
            handle: Handle::parse(&format!("agent-{number}")).expect("a handle"),
            key: key.expect("a token"),
            games_each: plan.games_each,
            moves: plan.moves,
            thinking: plan.thinking,
            played: plan.played_by(number),
            is_runner,
            arrives: Duration::from_millis(arrives),
            own: None,
            hostility: Hostility::of(plan, number),
            hoard: Hoard::default(),
            chose: Arc::default(),
        }
    }

    /// The same with a doorbell, if agents in its place have one.
    pub(super) fn with_doorbell(self, registry: Option<&EndpointRegistry>) -> Self {
        let own = registry.and_then(|registry| registry.add(self.number, &self.handle, &self.key));
        Self { own, ..self }
    }

    /// Its identifier.
    pub(super) fn id(&self) -> AgentId {
        self.key.agent_id()
    }

    /// Lives until it has had enough, or the world calls for the last games and the agent's has ended.
    pub(super) async fn live(self) {
        tokio::time::sleep(self.arrives).await;
        let mut played = 0;
        for life in 0.. {
            let killed = self.site.kill.notified();
            tokio::select! {
                biased;
                () = killed => {
                    self.site.chronicle.mark("agent", "killed");
                    let pause = Dice::of(self.seed, "pause", self.stream(life)).span(Span::from_millis(100), AWAY);
                    tokio::time::sleep(Duration::from_millis(pause.as_millis())).await;
                }
                done = self.program(life, &mut played) => match done {
                    Ok(()) => return,
                    // The client's loop does not begin where the hall cannot be reached; it is run again.
                    Err(error) if error.is_passing() => {
                        self.site.chronicle.mark("agent", "could not begin");
                        tokio::time::sleep(Duration::from_secs(5)).await;
                    }
                    Err(error) => {
                        let text = format!("agent {} cannot go on: {error}", self.number);
                        self.site.chronicle.violation("V2", text);
                        return;
                    }
                },
            }
        }
    }

    /// What is seen of it.
    pub(super) const fn chronicle(&self) -> &Shared {
        &self.site.chronicle
    }

    /// Whether it begins no more games after so many.
    pub(super) fn is_over(&self, played: u64) -> bool {
        self.site.last_call.is_made() || self.games_each.is_some_and(|games| played >= games)
    }

    /// The number of the streams of chance of one run of the agent's program.
    fn stream(&self, life: u64) -> u64 {
        u64::try_from(self.number).unwrap_or(u64::MAX) << 20 | life
    }

    /// One run of the agent's program. It knows nothing but the key, and what the hall tells it.
    async fn program(&self, life: u64, played: &mut u64) -> Result<(), Error> {
        let randomness = Arc::new(SeededRandomness::new(self.seed, "client", self.stream(life)));
        let link = Link::over(self.site.dialer.clone());
        let mut policy = RetryPolicy::default();
        if self.own.is_some() {
            // It does one thing after the other: while it waited for a limit of its doorbell, its turn would pass.
            policy.longest_retry_after = LIMITED;
        }
        let client = Client::over(link, self.handle.clone(), self.key.clone(), policy, randomness);
        let mut player = Player::new(self, life);
        let away = player.mischief.as_ref().map(Mischief::away).unwrap_or_default();
        if let Some(own) = &self.own {
            return RungAgent::new(self, own, &client, &mut player).play(played).await;
        }
        loop {
            if self.is_over(*played) && patiently(&client, &self.lobby(), Self::is_free).await {
                return Ok(());
            }
            let plan = self.plan().games(1);
            let (place, placed) = watch::channel(LobbyState::Away);
            let mut listen = |event: Event<'_>| self.listen(&event, &place);
            tokio::select! {
                biased;
                tally = play::play(&client, &plan, &mut player, &mut listen) => *played += tally?.ended(),
                () = away.notified() => self.stay_away(life).await,
                () = nobody_comes(&self.site.last_call, placed) => {}
                () = self.look_on(life) => {}
                () = self.look_again(life) => {}
            }
        }
    }

    /// Looks at its turns from elsewhere as well, if it is one of those who do; for ever.
    async fn look_on(&self, life: u64) {
        if self.hostility.is_some() || self.games_each.is_some() || !self.number.is_multiple_of(LOOKS_ON) {
            return std::future::pending().await;
        }
        let client = self.client_besides("onlooker's client", life);
        let dice = Dice::of(self.seed, "onlooker", self.stream(life));
        Onlooker { number: self.number, client, dice, chronicle: self.site.chronicle.clone() }
            .look_on()
            .await;
    }

    /// Looks at its games while the operator withholds words of them, if it is honest; for ever.
    async fn look_again(&self, life: u64) {
        if self.hostility.is_some() {
            return std::future::pending().await;
        }
        let client = self.client_besides("rereader's client", life);
        let (notice, chronicle) = (self.site.notice.clone(), self.site.chronicle.clone());
        Rereader { agent: self.id(), client, notice, chronicle }.look_again().await;
    }

    /// The client of a further program of the agent, with chance of its own.
    fn client_besides(&self, purpose: &str, life: u64) -> Client {
        let randomness = Arc::new(SeededRandomness::new(self.seed, purpose, self.stream(life)));
        let link = Link::over(self.site.dialer.clone());
        // What it is told at a second attempt is no measure of how long the hall took.
        let policy = RetryPolicy { attempts: 1, ..RetryPolicy::default() };
        Client::over(link, self.handle.clone(), self.key.clone(), policy, randomness)
    }

    /// Where it waits.
    pub(super) fn lobby(&self) -> Lobby {
        let mut lobby = Lobby::standard("chess", "open");
        if let Some(played) = self.played {
            (lobby.game, lobby.variant) = (played.game.to_string(), played.variant.to_string());
        }
        lobby
    }

    /// What it plays, and as what.
    pub(super) fn plan(&self) -> play::Plan {
        let mut plan = play::Plan::new("chess", "open", &self.model, "pure");
        plan.lobby = self.lobby();
        plan.registration.operator_name = operators::name_by(u64::try_from(self.number).unwrap_or(u64::MAX));
        plan
    }

    /// Stays away until its deadline has passed.
    async fn stay_away(&self, life: u64) {
        let pause = Dice::of(self.seed, "stroll", self.stream(life)).span(Span::from_secs(65), AWAY);
        tokio::time::sleep(Duration::from_millis(pause.as_millis())).await;
    }

    /// Whether the agent waits nowhere and plays nothing.
    pub(super) async fn is_free(client: &Client, lobby: &Lobby) -> Result<bool, Error> {
        match client.leave_lobby(lobby).await {
            Ok(()) => {}
            // A program that was killed before it had registered.
            Err(error) if error.is_code("NOT_IN_LOBBY") || error.is_code("AUTH_UNKNOWN_AGENT") => {}
            Err(error) => return Err(error),
        }
        match client.my_games(GameStatus::Live, Wait::default()).await {
            Ok(live) => Ok(live.games.is_empty()),
            Err(error) if error.is_code("AUTH_UNKNOWN_AGENT") => Ok(true),
            Err(error) => Err(error),
        }
    }

    fn listen(&self, event: &Event<'_>, place: &watch::Sender<LobbyState>) {
        let chronicle = &self.site.chronicle;
        match event {
            Event::Queued => {
                place.send_replace(LobbyState::Queued);
            }
            Event::Seated { .. } => {
                place.send_replace(LobbyState::Seated);
            }
            Event::Answered { view, choice, outcome } => {
                self.answered(view.game_id, view.turn_index, choice, outcome);
            }
            Event::Ended { game, .. } => {
                place.send_replace(LobbyState::Away);
                self.ended(game);
            }
            // It thinks for any length of time; the client makes sure that it is never late, and moves now.
            Event::FellBack { why: Fallback::TooLate, .. } => {
                self.chose.store(network_millis(), Ordering::Relaxed);
                chronicle.mark("move", "thought for too long");
            }
            Event::FellBack { game, why: why @ (Fallback::NotLegal | Fallback::Refused(_)) } => {
                let text = format!("agent {} in {game}: an honest choice was replaced, {why:?}", self.number);
                chronicle.violation("M8", text);
            }
            Event::Trouble { error, .. } => {
                let kind = match error {
                    Error::Refused(refusal) => refusal.code.as_str(),
                    Error::Transport(failure) if failure.is_unsent() => "no connection",
                    Error::Transport(_) => "broken connection",
                    Error::Timeout(_) => "timeout",
                    Error::Protocol { .. } => "protocol",
                    Error::TooLarge { .. }
                    | Error::Request(_)
                    | Error::Key(_)
                    | Error::Origin(_)
                    | Error::Randomness(_) => "other",
                };
                chronicle.mark("trouble", kind);
            }
            Event::Entered(_) | Event::Homologated(_) | Event::Limited(_) => {}
        }
    }

    pub(super) fn answered(&self, game: GameId, turn_index: u32, choice: &Choice, outcome: &MoveOutcome) {
        let body = SignedMove::new(&self.key, &game, turn_index, choice).body_sha256;
        let (name, outcome) = match outcome {
            MoveOutcome::Accepted(told) => ("accepted", ToldOutcome::Applied(told.state_hash)),
            MoveOutcome::AlreadyApplied(_) => {
                ("applied although its answer was lost", ToldOutcome::Applied(None))
            }
            MoveOutcome::NotApplied(_) => ("not applied", ToldOutcome::NotApplied),
            // The offer that it wanted to accept is gone.
            MoveOutcome::NoDrawOffer => ("no draw offer", ToldOutcome::NotApplied),
            MoveOutcome::Illegal(_) => ("illegal", ToldOutcome::Illegal),
        };
        let mut chronicle = self.site.chronicle.open();
        chronicle.report.mark("move", name);
        let (asked, told) = (self.chose.load(Ordering::Relaxed), network_millis());
        let agent = self.number;
        chronicle.moves.push(ToldMove { agent, game, turn_index, body, outcome, asked, told });
    }

    pub(super) fn ended(&self, game: &Game) {
        let Some(result) = &game.result else {
            self.site.chronicle.violation("M12", format!("{} has ended without a result", game.id));
            return;
        };
        let result = (result.winners.clone(), result.draw, result.reason.clone());
        self.site.chronicle.open().records.push(ClientRecord::Result { game: game.id, result });
    }
}

/// Whether draws can be offered in a game: only at tables of two that move in turn.
fn has_offers(played: GameVariant) -> bool {
    let described = CATALOG.find(played.game.as_str()).map(|game| game.describe());
    seats(played) == 2 && described.is_some_and(|described| !described.simultaneous)
}

/// Asks until the hall answers. What makes that impossible is told elsewhere, by what is left undone.
async fn patiently<F>(client: &Client, lobby: &Lobby, ask: F) -> bool
where
    F: AsyncFn(&Client, &Lobby) -> Result<bool, Error>,
{
    loop {
        match ask(client, lobby).await {
            Ok(answer) => return answer,
            Err(_) => tokio::time::sleep(Duration::from_secs(2)).await,
        }
    }
}

/// Done when the last games are called and the agent still waits for an opponent.
async fn nobody_comes(last_call: &LastCall, mut place: watch::Receiver<LobbyState>) {
    last_call.wait().await;
    loop {
        if *place.borrow_and_update() == LobbyState::Queued {
            return;
        }
        if place.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

/// Chooses moves.
pub(super) struct Player {
    dice: Dice,
    number: usize,
    /// Whether it waits for its turns and does nothing else.
    waits: bool,
    chronicle: Shared,
    moves: (u64, u64),
    /// Whether draws can be offered in its games.
    has_offers: bool,
    thinking: (Span, Span),
    /// Whether the first game is long and fast.
    is_runner: bool,
    /// After how many turns a game has been long enough.
    patience: BTreeMap<GameId, u64>,
    chose: Arc<AtomicU64>,
    /// What it does besides, if it is hostile.
    mischief: Option<Mischief>,
}

impl Player {
    fn new(agent: &Agent, life: u64) -> Self {
        let dice = Dice::of(agent.seed, "player", agent.stream(life));
        let (chose, stream) = (Arc::clone(&agent.chose), agent.stream(life));
        let mischief = agent.hostility.map(|hostility| {
            let dice = Dice::of(agent.seed, "mischief", stream);
            let whose = (&agent.handle, &agent.key);
            Mischief::new(hostility, dice, agent.number, whose, &agent.site, agent.hoard.clone())
        });
        Self {
            dice,
            number: agent.number,
            waits: agent.own.is_none() && mischief.is_none(),
            chronicle: agent.site.chronicle.clone(),
            moves: agent.moves,
            has_offers: agent.played.is_none_or(has_offers),
            thinking: agent.thinking,
            is_runner: agent.is_runner && life == 0,
            patience: BTreeMap::new(),
            chose,
            mischief,
        }
    }

    fn see(&self, view: &View) {
        let (seen, game, turn_index) = (network_millis(), view.game_id, view.turn_index);
        let (player, deadline) = (view.you.player, view.deadline_utc);
        let mut chronicle = self.chronicle.open();
        chronicle.shown(seen, game, turn_index);
        chronicle.records.push(ClientRecord::Due { game, turn_index, player, deadline });
        if self.waits {
            chronicle.woken(seen, self.number, (game, turn_index, player));
        }
    }

    /// Thinks for a while and chooses.
    pub(super) async fn think(&mut self, view: &View) -> Choice {
        self.see(view);
        let mut thinking = self.dice.span(self.thinking.0, self.thinking.1);
        if self.runs(view.game_id) {
            thinking = thinking.min(QUICKLY);
        }
        tokio::time::sleep(Duration::from_millis(thinking.as_millis())).await;
        self.chose.store(network_millis(), Ordering::Relaxed);
        self.decide(view)
    }

    /// Whether this is a game that is long and fast.
    fn runs(&self, game: GameId) -> bool {
        self.is_runner && self.patience.len() <= 1 && self.patience.keys().all(|known| *known == game)
    }

    fn decide(&mut self, view: &View) -> Choice {
        let (least, most) = if self.runs(view.game_id) { MARATHON } else { self.moves };
        let patience =
            *self.patience.entry(view.game_id).or_insert_with(|| self.dice.between(2 * least, 2 * most));
        let offered = view.public.get("draw_offer").and_then(|by| by.as_str());
        if offered.is_some_and(|by| by != view.you.player.to_string()) && self.dice.permille(600) {
            return Choice::accept_draw();
        }
        let weary = u64::from(view.turn_index) >= patience;
        if weary && self.dice.permille(700) {
            return Choice::resign();
        }
        let Some(chosen) = self.dice.pick(&view.legal_moves) else { return Choice::resign() };
        let by_index = self.dice.below(2) == 0;
        let named = || {
            if by_index { MoveRef::Index(chosen.index) } else { MoveRef::Notation(chosen.notation.clone()) }
        };
        let choice = if weary && self.has_offers {
            Choice::offer_draw(named())
        } else {
            match named() {
                MoveRef::Index(index) => Choice::index(index),
                MoveRef::Notation(notation) => Choice::play(notation),
            }
        };
        if self.dice.permille(100) {
            let words = self.chronicle.open().outside.words.invent();
            choice.saying(words)
        } else {
            choice
        }
    }
}

impl Strategy for Player {
    async fn choose(&mut self, turn: &Turn<'_>) -> Choice {
        let choice = self.think(turn.view).await;
        if let Some(mischief) = &mut self.mischief {
            mischief.before(turn.view, &choice).await;
            self.chose.store(network_millis(), Ordering::Relaxed);
        }
        choice
    }
}

/// The randomness of a client, out of the world's seed.
pub(super) struct SeededRandomness(Mutex<Dice>);

impl SeededRandomness {
    pub(super) fn new(seed: u64, name: &str, number: u64) -> Self {
        Self(Mutex::new(Dice::of(seed, name, number)))
    }
}

impl Randomness for SeededRandomness {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), NoRandomness> {
        hall_core::Entropy::fill(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner), bytes);
        Ok(())
    }
}
