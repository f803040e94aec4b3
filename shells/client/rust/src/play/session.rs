//! One run of the loop.

use super::choice::{Action, Choice, MoveRef};
use super::event::{Event, Fallback, Tally};
use super::plan::Plan;
use super::strategy::{Strategy, Turn};
use crate::answer::{EndedGame, View, WaitingTurn};
use crate::client::{Client, MoveOutcome, Standing, Wait};
use crate::envelope::Refusal;
use crate::error::Error;
use hall_wire::text::COMMENTARY;
use hall_wire::{GameId, Player, Timestamp};
use std::collections::{BTreeMap, BTreeSet};
use std::future::Future;
use std::time::Duration;
use tokio::time::Instant;

/// How long a hall that cannot be reached is waited for when a run begins.
const LONGEST_WAIT_TO_ENTER: Duration = Duration::from_secs(60);

/// How long leaving the lobby may take at the end of a run.
const LEAVE_TIMEOUT: Duration = Duration::from_secs(3);

/// The longest wait after a failure while a game is live: turns are short.
const LONGEST_PAUSE_IN_GAME: Duration = Duration::from_secs(3);

/// What is known of a live game.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Seated {
    pub(super) you: Option<Player>,
    /// The last turn that is known to be resolved.
    pub(super) resolved: Option<u32>,
}

/// The state of the loop.
pub(super) struct Session<'a, S> {
    pub(super) client: &'a Client,
    pub(super) plan: &'a Plan,
    strategy: &'a mut S,
    listen: &'a mut (dyn FnMut(Event<'_>) + Send),
    pub(super) live: BTreeMap<GameId, Seated>,
    pub(super) tally: Tally,
    /// Since when the agent is known to be queued.
    pub(super) queued: Option<Instant>,
    /// Whether a join was sent and is not known to have been refused or to have paired.
    pub(super) joining: bool,
    /// Whether this run has filed its homologation, without which it does not join.
    pub(super) filed: bool,
    /// Before this a join would be refused again.
    pub(super) join_not_before: Instant,
    /// Whether the list of live games may have changed.
    pub(super) games_changed: bool,
    /// The tag of a list of waiting turns that have all been dealt with: the next pulse is held until the list
    /// differs from that one or a game ends.
    dealt_with: Option<String>,
    /// The tag of the last list in which no turn waited.
    quiet: Option<String>,
    /// The games that the last answer told the end of; `None` before the first.
    told_ended: Option<BTreeSet<GameId>>,
    failures: u32,
}

impl<'a, S: Strategy> Session<'a, S> {
    pub(super) fn new(
        client: &'a Client,
        plan: &'a Plan,
        strategy: &'a mut S,
        listen: &'a mut (dyn FnMut(Event<'_>) + Send),
    ) -> Self {
        Self {
            client,
            plan,
            strategy,
            listen,
            live: BTreeMap::new(),
            tally: Tally::default(),
            queued: None,
            joining: false,
            filed: false,
            join_not_before: Instant::now(),
            games_changed: true,
            dealt_with: None,
            quiet: None,
            told_ended: None,
            failures: 0,
        }
    }

    /// Plays until the plan is fulfilled, until playing on is impossible, or until `stop` is ready.
    pub(super) async fn run(mut self, stop: impl Future) -> Result<Tally, Error> {
        let played = tokio::select! {
            played = self.play() => played,
            _ = stop => Ok(()),
        };
        self.leave().await;
        played.map(|()| self.tally)
    }

    async fn play(&mut self) -> Result<(), Error> {
        let standing = self.enter().await?;
        self.tell(Event::Entered(standing));
        while let Err(error) = self.begin().await {
            if self.is_final(&error) {
                return Err(error);
            }
            self.recover(&error).await;
        }
        while !self.is_done() {
            let round = self.round().await;
            if let Some(limit) = self.client.news_of_limit() {
                self.tell(Event::Limited(limit));
            }
            match round {
                Ok(()) => self.failures = 0,
                Err(error) if self.is_final(&error) => return Err(error),
                Err(error) => self.recover(&error).await,
            }
        }
        Ok(())
    }

    /// Leaves the lobby in which the agent may wait: the next one to come would be paired with an agent that is gone. It
    /// is tried once, whatever comes of it.
    async fn leave(&mut self) {
        if self.joining || self.queued.is_some() {
            let _ = tokio::time::timeout(LEAVE_TIMEOUT, self.client.leave_lobby_once(&self.plan.lobby)).await;
        }
    }

    /// Registers or resumes. A hall that is away, as while it is restarted, is waited for a minute.
    async fn enter(&mut self) -> Result<Standing, Error> {
        let until = Instant::now() + LONGEST_WAIT_TO_ENTER;
        loop {
            let error = match self.client.register_or_resume(&self.plan.registration).await {
                Ok(standing) => {
                    self.failures = 0;
                    break Ok(standing);
                }
                Err(error) => error,
            };
            let asked = error.refusal().and_then(|refusal| refusal.retry_after).unwrap_or_default();
            let left = until.saturating_duration_since(Instant::now());
            if !error.is_passing() || asked >= left {
                break Err(error);
            }
            self.recover(&error).await;
        }
    }

    pub(super) fn tell(&mut self, event: Event<'_>) {
        (self.listen)(event);
    }

    fn is_done(&self) -> bool {
        self.live.is_empty() && self.plan.games.is_some_and(|games| self.tally.ended() >= games)
    }

    /// Catches up with the games, joins if there is room, waits for turns and answers them.
    ///
    /// While a game is live no failure but a final one keeps it from looking for turns and answering them: what
    /// failed is told at the end.
    async fn round(&mut self) -> Result<(), Error> {
        let mut failure = None;
        if self.games_changed {
            let caught_up = self.catch_up().await;
            self.put_off(caught_up, &mut failure)?;
        }
        if self.is_done() {
            return Ok(());
        }
        if failure.is_none() {
            let joined = self.join_if_wanted().await;
            self.put_off(joined, &mut failure)?;
        }
        let seconds = if failure.is_none() { self.plan.wait_seconds } else { 0 };
        let pulse = self.client.pulse(Wait { seconds, after: self.dealt_with.as_deref() }).await?;
        self.dealt_with = None;
        self.note_ended(pulse.recently_ended.as_deref());
        if pulse.waiting_on_you.is_empty() {
            self.games_changed = true;
            self.note_quiet(pulse.waiting_tag);
            return failure.map_or(Ok(()), Err);
        }
        let mut turns = pulse.waiting_on_you;
        turns.sort_by_key(|turn| turn.deadline_utc);
        if turns.iter().any(|turn| !self.live.contains_key(&turn.game_id)) {
            let caught_up = self.catch_up().await;
            failure = failure.or(caught_up.err());
        }
        let mut progress = false;
        for turn in &turns {
            // One game's trouble must not cost another one its turn.
            match self.answer(turn).await {
                Ok(answered) => progress |= answered,
                Err(error) => failure = failure.or(Some(error)),
            }
        }
        if failure.is_none() {
            if !progress {
                // The hall lists turns that there is nothing to do about: hold until the list changes.
                self.games_changed = true;
            }
            let quiet = self.quiet.clone().filter(|_| progress);
            self.dealt_with = quiet.or(pulse.waiting_tag);
        }
        failure.map_or(Ok(()), Err)
    }

    /// Takes in which games have ended. One that began and ended between two looks counts as live until the next list
    /// of games shows that it is not.
    pub(super) fn note_ended(&mut self, ended: Option<&[EndedGame]>) {
        let Some(ended) = ended else { return };
        let ids: BTreeSet<GameId> = ended.iter().map(|game| game.game_id).collect();
        let known = self.told_ended.replace(ids.clone()).unwrap_or_else(|| ids.clone());
        for id in ids.difference(&known) {
            self.live.entry(*id).or_default();
            self.queued = None;
        }
        self.games_changed |= ids.iter().any(|id| self.live.contains_key(id));
    }

    /// Takes in the tag of a list in which no turn waits: the next pulse is held until one does or a game ends, also
    /// if it ends before that pulse is asked for.
    pub(super) fn note_quiet(&mut self, tag: Option<String>) {
        self.dealt_with.clone_from(&tag);
        self.quiet = tag;
    }

    /// Keeps a failure for later if a game is live and the failure may pass.
    fn put_off(&self, outcome: Result<(), Error>, failure: &mut Option<Error>) -> Result<(), Error> {
        match outcome {
            Err(error) if !self.live.is_empty() && !self.is_final(&error) => *failure = Some(error),
            other => return other,
        }
        Ok(())
    }

    /// Answers one waiting turn; false if there is nothing to answer.
    async fn answer(&mut self, turn: &WaitingTurn) -> Result<bool, Error> {
        let known = self.live.get(&turn.game_id).and_then(|seated| seated.resolved);
        if known.is_some_and(|resolved| resolved >= turn.turn_index) {
            return Ok(false);
        }
        let view = self.client.view(&turn.game_id).await?;
        if !view.is_your_turn() {
            return Ok(false);
        }
        let (choice, fallback) = self.choose(&view).await;
        if let Some(why) = fallback {
            self.tell(Event::FellBack { game: view.game_id, why });
        }
        let refused = match self.send(&view, &choice).await {
            Ok(None) => return Ok(true),
            Ok(Some(code)) => code,
            Err(error) => match error.refusal() {
                Some(refusal) if !is_never_final(&error) && !is_of_the_agent(refusal) => refusal.code.clone(),
                // Another move would be refused as well.
                _ => return Err(error),
            },
        };
        self.tell(Event::FellBack { game: view.game_id, why: Fallback::Refused(refused) });
        let random = self.random_choice(&view);
        self.send(&view, &random).await.map(|_| true)
    }

    /// Sends a choice and notes what became of it; a code if the turn still waits for another answer.
    async fn send(&mut self, view: &View, choice: &Choice) -> Result<Option<String>, Error> {
        let outcome = self.client.make_move(&view.game_id, view.turn_index, choice).await?;
        self.tell(Event::Answered { view, choice, outcome: &outcome });
        let over = match &outcome {
            MoveOutcome::Accepted(verdict) => verdict.game_over,
            MoveOutcome::AlreadyApplied(applied) => applied.result.is_some(),
            MoveOutcome::NotApplied(_) => true,
            MoveOutcome::Illegal(told) if told.applied.is_some() || told.result.is_some() => true,
            MoveOutcome::Illegal(_) => return Ok(Some("illegal_move".to_owned())),
            MoveOutcome::NoDrawOffer => return Ok(Some("no_draw_offer".to_owned())),
        };
        self.games_changed |= over;
        self.live.entry(view.game_id).or_default().resolved = Some(view.turn_index);
        Ok(None)
    }

    /// Lets the strategy choose within its time; a random legal move if it does not.
    async fn choose(&mut self, view: &View) -> (Choice, Option<Fallback>) {
        let time_left = view.deadline_utc.and_then(|deadline| self.time_left(deadline));
        let turn = Turn { view, time_left };
        let chosen = match time_left {
            Some(time) => tokio::time::timeout(time, self.strategy.choose(&turn)).await.ok(),
            None => Some(self.strategy.choose(&turn).await),
        };
        match chosen {
            Some(choice) if is_legal(view, &choice) => (presentable(choice), None),
            Some(_) => (self.random_choice(view), Some(Fallback::NotLegal)),
            None => (self.random_choice(view), Some(Fallback::TooLate)),
        }
    }

    fn time_left(&self, deadline: Timestamp) -> Option<Duration> {
        let left = deadline.since(self.client.hall_time()?);
        Some(Duration::from_millis(left.as_millis()).saturating_sub(self.plan.margin))
    }

    fn random_choice(&self, view: &View) -> Choice {
        Turn { view, time_left: None }.random(self.client.randomness())
    }

    /// Whether playing on is impossible. Whatever may pass, nonsense from a failing proxy included, is not final; while a
    /// game is live, neither is a refusal that may concern less than the agent.
    fn is_final(&self, error: &Error) -> bool {
        match error {
            Error::Refused(refusal) => {
                !is_never_final(error) && (self.live.is_empty() || is_of_the_agent(refusal))
            }
            Error::Key(_) | Error::Origin(_) | Error::Randomness(_) | Error::Request(_) => true,
            Error::Transport(_) | Error::Timeout(_) | Error::Protocol { .. } | Error::TooLarge { .. } => {
                false
            }
        }
    }

    /// Waits a little after a failure, and then reads everything again.
    async fn recover(&mut self, error: &Error) {
        self.failures = self.failures.saturating_add(1);
        let own = self.client.policy().wait(self.failures, self.client.randomness());
        let asked = error.refusal().and_then(|refusal| refusal.retry_after).unwrap_or_default();
        let longest = if self.live.is_empty() {
            self.client.policy().longest_retry_after
        } else {
            LONGEST_PAUSE_IN_GAME
        };
        let again_in = own.max(asked).min(longest);
        self.tell(Event::Trouble { error, again_in });
        self.games_changed = true;
        self.dealt_with = None;
        tokio::time::sleep(again_in).await;
    }
}

/// Whether a choice names a legal move, or needs none.
fn is_legal(view: &View, choice: &Choice) -> bool {
    match &choice.action {
        Action::Play(chosen) | Action::OfferDraw(chosen) => {
            view.legal_moves.iter().any(|legal| match chosen {
                MoveRef::Notation(notation) => legal.notation == *notation,
                MoveRef::Index(index) => legal.index == *index,
            })
        }
        Action::AcceptDraw | Action::Resign => true,
    }
}

/// Without a commentary that the hall would refuse: a move is worth more than a remark.
fn presentable(choice: Choice) -> Choice {
    let commentary = choice.commentary.filter(|text| COMMENTARY.check(text).is_ok());
    Choice { commentary, ..choice }
}

/// Whether a refusal is one of whatever the agent may ask.
fn is_of_the_agent(refusal: &Refusal) -> bool {
    let code = refusal.code.as_str();
    matches!(code, "AGENT_SUSPENDED" | "SIG_INVALID" | "NOT_YOUR_AGENT" | "HANDLE_TAKEN")
        || code.starts_with("AUTH_")
        || code.starts_with("KEY_")
}

/// Whether there is more to play after a refusal, whatever was refused.
///
/// Where a challenge was not taken, the client has fetched another one by then: where nodes of a hall do not know yet which
/// of them leads, that may be refused as well, and a later one is not.
fn is_never_final(error: &Error) -> bool {
    let codes = ["CHALLENGE_UNKNOWN", "CHALLENGE_EXPIRED", "CHALLENGE_SPENT", "GAME_NOT_FOUND", "NOT_SEATED"];
    error.is_passing() || codes.iter().any(|code| error.is_code(code))
}

/// Whether a homologation or a join was refused for a reason that may concern nothing else.
pub(super) fn is_of_joining(error: &Error) -> bool {
    error.refusal().is_some_and(|refusal| !is_never_final(error) && !is_of_the_agent(refusal))
}
