//! What must hold over any sequence of leaders (K1 to K8), judged from outside the nodes: by what clients were told, by what
//! each node shows, and by what the journal holds in the end.

use super::database::{Database, Taken};
use super::http::HttpJudge;
use super::node::Led;
use super::plan::Weakness;
use crate::direct::{Observed, fold, records};
use crate::oracles::tree::{Checkpoints, consistent, roots};
use crate::oracles::{Ending, Observation, Opened, Oracles, Terms, Vitals};
use crate::protocol::{AgentRequest, AnswerBrief};
use crate::report::{Violation, WorldReport};
use crate::trace::TraceHasher;
use hall_core::rooms::{RoomChange, RoomFact};
use hall_core::{DeskFact, Fact};
use hall_driver::{Engine, JournalEntry, recover};
use hall_games::CATALOG;
use hall_wire::message::Challenge;
use hall_wire::{Digest, GameId, Handle, Notation, Timestamp};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

/// Within what time somebody leads when nothing has gone wrong for as long.
pub(super) const LEADS_WITHIN: Duration = Duration::from_secs(10);

/// The judge of a world.
pub(super) struct Judge {
    pub(super) report: WorldReport,
    pub(super) trace: TraceHasher,
    /// What is said over HTTP.
    pub(super) http: HttpJudge,
    terms: Terms,
    /// Moves that clients were told of: what was played and what it led to.
    acknowledged: BTreeMap<(GameId, u32), (Option<Notation>, [u8; 32])>,
    /// The turn that every signed read must have reached, of each game.
    floors: BTreeMap<GameId, u32>,
    registered: BTreeSet<Handle>,
    /// Games that were not found, though they had been shown.
    missing: BTreeSet<GameId>,
    /// How often each challenge was accepted.
    spent: BTreeMap<[u8; 32], u32>,
    digests: BTreeMap<u64, Digest>,
    checkpoints: Checkpoints,
    /// What each process showed last: up to which record.
    shown: BTreeMap<u64, u64>,
    weakness: Option<Weakness>,
}

/// What a client asked, with what it must be shown if it reads.
pub(super) struct Asked {
    floors: BTreeMap<GameId, u32>,
    is_registered: bool,
}

impl Judge {
    pub(super) fn new(report: WorldReport, terms: Terms, weakness: Option<Weakness>) -> Self {
        Self {
            report,
            trace: TraceHasher::default(),
            http: HttpJudge::default(),
            terms,
            acknowledged: BTreeMap::new(),
            floors: BTreeMap::new(),
            registered: BTreeSet::new(),
            missing: BTreeSet::new(),
            spent: BTreeMap::new(),
            digests: BTreeMap::new(),
            checkpoints: Checkpoints::new(),
            shown: BTreeMap::new(),
            weakness,
        }
    }

    pub(super) fn violation(&mut self, invariant: &'static str, at: Timestamp, text: impl Into<String>) {
        self.report.violations.push(Violation::new(invariant, at, text));
    }

    /// Invariants are broken.
    pub(super) fn found(&mut self, at: Timestamp, found: impl IntoIterator<Item = (&'static str, String)>) {
        found.into_iter().for_each(|(invariant, text)| self.violation(invariant, at, text));
    }

    /// A client sends a request: whatever anybody was told before this is contained in what it is shown.
    pub(super) fn asks(&self, handle: &Handle, what: &AgentRequest) -> Asked {
        let of = |game: &GameId| self.floors.get_key_value(game).map(|(game, turn)| (*game, *turn));
        let floors = match what {
            AgentRequest::View(game) => of(game).into_iter().collect(),
            AgentRequest::MyGames => self.floors.clone(),
            _ => BTreeMap::new(),
        };
        Asked { floors, is_registered: self.registered.contains(handle) }
    }

    /// A node has accepted the challenge of a request.
    pub(super) fn spends(&mut self, at: Timestamp, challenge: &Challenge) {
        let times = self.spent.entry(*challenge.as_bytes()).or_default();
        *times += 1;
        if *times > 1 {
            self.violation("K5", at, "a challenge was accepted twice");
        }
    }

    /// A client was answered.
    pub(super) fn hears(
        &mut self,
        at: Timestamp,
        handle: &Handle,
        asked: &Asked,
        what: &AgentRequest,
        answer: &AnswerBrief,
    ) {
        self.trace.take(&(handle.as_str(), answer));
        match (what, answer) {
            (AgentRequest::Move(what), AnswerBrief::Moved { turn_index, notation, state_hash, ended }) => {
                let told = (*notation, *state_hash);
                let known = self.acknowledged.insert((what.game, *turn_index), told);
                if known.is_some_and(|known| known != told) {
                    self.violation("K1", at, format!("turn {turn_index} of {} was told twice", what.game));
                }
                let floor = self.floors.entry(what.game).or_default();
                *floor = (*floor).max(turn_index + 1);
                if *ended {
                    self.floors.remove(&what.game);
                }
            }
            (AgentRequest::Register(_), AnswerBrief::Registered) => {
                self.registered.insert(handle.clone());
            }
            (AgentRequest::View(game), AnswerBrief::View(view)) => {
                if let Some(floor) =
                    asked.floors.get(game).filter(|floor| view.live && view.turn_index < **floor)
                {
                    let turn = view.turn_index;
                    let text =
                        format!("{handle} was shown turn {turn} of {game}, and turn {floor} had begun");
                    self.violation("K4", at, text);
                }
            }
            (_, AnswerBrief::Games(games)) => {
                for brief in games {
                    let floor = asked.floors.get(&brief.game).filter(|floor| brief.turn_index < **floor);
                    if let Some(floor) = floor {
                        let (game, turn) = (brief.game, brief.turn_index);
                        let text = format!("{handle}'s games show turn {turn} of {game}, not {floor}");
                        self.violation("K4", at, text);
                    }
                }
            }
            (AgentRequest::View(game), AnswerBrief::Refused { code: "GAME_NOT_FOUND", .. })
                if asked.floors.contains_key(game) =>
            {
                self.missing.insert(*game);
            }
            (_, AnswerBrief::Refused { code: "AUTH_UNKNOWN_AGENT", .. }) if asked.is_registered => {
                self.violation("K4", at, format!("{handle} is registered, and not known"));
            }
            _ => {}
        }
        if let AnswerBrief::Refused { code, .. } = answer {
            self.report.mark("refused", code);
        }
    }

    /// What a process shows now.
    pub(super) fn looks(&mut self, at: Timestamp, process: u64, engine: &Engine) {
        let mut status = engine.status();
        if self.weakness == Some(Weakness::StepsBack) && process == 2 && status.durable_seq > 100 {
            status.durable_seq -= 50;
        }
        let before = self.shown.insert(process, status.durable_seq);
        if before.is_some_and(|before| status.durable_seq < before) {
            self.violation("K4", at, format!("process {process} shows less than before"));
        }
        if before == Some(status.durable_seq) || !status.is_durable() {
            return;
        }
        let mut digest = engine.peek(hall_core::Hall::digest);
        if self.weakness == Some(Weakness::OtherState) && process == 2 {
            digest = Digest::of(b"another state");
        }
        let known = *self.digests.entry(status.durable_seq).or_insert(digest);
        if known != digest {
            let seq = status.durable_seq;
            self.violation("K3", at, format!("two processes have another state at record {seq}"));
        }
        if let Some(newest) = engine.log().newest() {
            let (mut size, mut root) = (newest.head.size, newest.head.root);
            match self.weakness {
                Some(Weakness::OtherRoot) if process == 2 => root = Digest::of(b"another root"),
                Some(Weakness::LeafTooMany) => size += 1,
                _ => {}
            }
            self.checkpoints.insert((size, root));
        }
    }

    /// The end: what the journal holds, and what a node makes of it that has all of it.
    pub(super) fn ends(&mut self, at: Timestamp, database: &Database, decided: &[Led], last: &Engine) {
        let Some(entries) = entries(database) else {
            return self.violation("K1", at, "the journal cannot be read");
        };
        let last_seq = database.head().seq;
        self.report.records = last_seq;
        self.judge_moves(at, &entries);
        self.judge_leaders(at, &entries, &database.taken(), decided);
        self.judge_log(at, last);
        let found = self.http.ends(&entries);
        self.found(at, found);
        let reader = database.reader();
        let recovered = recover(&*reader, CATALOG, true, None).map(|recovered| recovered.hall);
        let Ok(hall) = recovered else {
            return self.violation("K1", at, "the state cannot be rebuilt from the journal");
        };
        let another = |weakness| (self.weakness == Some(weakness)).then(|| Digest::of(b"another state"));
        let recovered = another(Weakness::OtherSnapshots).unwrap_or_else(|| hall.digest());
        let folded = another(Weakness::OtherJournal).map_or_else(|| fold(&*reader, CATALOG), Ok);
        let state = last.peek(hall_core::Hall::digest);
        let known = *self.digests.entry(last_seq).or_insert(state);
        if folded.as_ref().is_ok_and(|folded| *folded != known) {
            self.violation("K3", at, "the journal gives another state than the nodes have");
        }
        // Everything else that must hold of what a hall decides, judged as in any other world.
        let mut oracles = Oracles::new(1);
        oracles.see(Observation::Began(self.terms.clone()));
        for observed in history(&database.taken(), decided) {
            if observed.seq <= last_seq {
                oracles.see(Observation::Decided(Arc::new(observed)));
            }
        }
        oracles.see(Observation::Opened(Box::new(Opened {
            at: hall.clock(),
            seq: last_seq,
            records: records(&*reader, 1),
            recovered: Ok(recovered),
            folded: Some(folded.clone()),
            in_doubt: Vec::new(),
        })));
        let ending =
            Ending { picture: None, at: hall.clock(), rested: false, digests: Some((state, folded)) };
        oracles.ended(Some((&hall, &Vitals::of_state(hall.clock()))), ending);
        self.report.take_over(oracles.take());
    }

    /// K1 and K7: every move that somebody was told of is there as it was told, once; and nobody has paid.
    fn judge_moves(&mut self, at: Timestamp, entries: &BTreeMap<u64, JournalEntry>) {
        let (mut played, mut ended, mut known) = (BTreeMap::new(), BTreeSet::new(), BTreeSet::new());
        let facts = entries.iter().flat_map(|(seq, entry)| entry.facts.iter().map(move |fact| (seq, fact)));
        for (seq, fact) in facts {
            if let Fact::Desk(DeskFact::AgentRegistered { handle, .. }) = fact {
                known.insert(handle.clone());
            }
            let Fact::Room(fact) = fact else { continue };
            let RoomFact { game, change, .. } = &**fact;
            match change {
                RoomChange::Started(_) => self.report.games_begun += 1,
                RoomChange::Ended { .. } => {
                    self.report.games_ended += 1;
                    ended.insert(*game);
                }
                RoomChange::StrikeGiven { .. } => {
                    self.report.strikes += 1;
                    self.violation("K7", at, format!("record {seq} is a strike in {game}"));
                }
                _ => {}
            }
            let Some(resolution) = change.resolution() else { continue };
            let (turn, told) =
                (resolution.turn_index, (resolution.notation, *resolution.state_hash.as_bytes()));
            self.report.turns += 1;
            if played.insert((*game, turn), told).is_some() {
                self.violation("K1", at, format!("record {seq} resolves turn {turn} of {game} again"));
            }
            if let Some(cause) = resolution.forced {
                self.violation("K7", at, format!("record {seq}: {cause:?} in {game}, and nobody was slow"));
            }
        }
        let acknowledged = std::mem::take(&mut self.acknowledged);
        for (turn, told) in &acknowledged {
            if played.get(turn) != Some(told) {
                let (game, index) = turn;
                let text = format!(
                    "turn {index} of {game} was acknowledged as {told:?}, not {:?}",
                    played.get(turn)
                );
                self.violation("K1", at, text);
            }
        }
        let lost: Vec<Handle> = self.registered.difference(&known).cloned().collect();
        for handle in lost {
            self.violation("K1", at, format!("{handle} was registered, and is not"));
        }
        let missing: Vec<GameId> = self.missing.difference(&ended).copied().collect();
        for game in missing {
            self.violation("K4", at, format!("{game} is live, and was not found"));
        }
    }

    /// K2: the records of each epoch are those that its leader decided.
    fn judge_leaders(
        &mut self,
        at: Timestamp,
        entries: &BTreeMap<u64, JournalEntry>,
        taken: &[Taken],
        decided: &[Led],
    ) {
        let mut epochs: Vec<u64> = taken.iter().map(|taken| taken.epoch).collect();
        epochs.dedup();
        if epochs.len() != taken.len() || !epochs.is_sorted() {
            self.violation("K2", at, format!("epochs were taken twice: {epochs:?}"));
        }
        let decided = history(taken, decided).into_iter();
        let decided = decided.filter(|observed| !observed.decision.facts.is_empty());
        let mut decided: BTreeMap<u64, Observed> = decided.map(|observed| (observed.seq, observed)).collect();
        for (seq, entry) in entries {
            if decided.remove(seq).is_none_or(|observed| observed.decision.facts != entry.facts) {
                let text = format!("record {seq} was not decided by the leader of its epoch");
                return self.violation("K2", at, text);
            }
        }
    }

    /// K6: whatever was signed is a prefix of the log.
    fn judge_log(&mut self, at: Timestamp, last: &Engine) {
        let size = self.checkpoints.last().map_or(0, |(size, _)| *size);
        let leaves: Result<Option<Vec<String>>, _> = (0..size).map(|leaf| last.log().leaf(leaf)).collect();
        let Ok(Some(leaves)) = leaves else {
            return self.violation("K6", at, format!("{size} leaves were signed, and are not there"));
        };
        if let Err(text) = consistent(&self.checkpoints, &roots(leaves.iter().map(String::as_str))) {
            self.violation("K6", at, text);
        }
    }
}

/// What was decided and is durable, and what was refused meanwhile, in order. What a leader decided after the next one had
/// begun is no part of it.
fn history(taken: &[Taken], decided: &[Led]) -> Vec<Observed> {
    let mut history: Vec<Observed> = Vec::new();
    let ends = taken.iter().skip(1).map(|next| next.seq).chain([u64::MAX]);
    for (Taken { owner, seq, .. }, until) in taken.iter().zip(ends) {
        let own = decided.iter().filter(|led| led.owner == *owner).flat_map(Led::all);
        let own: Vec<Observed> = own.filter(|it| *seq < it.seq && it.seq <= until).collect();
        if let Some(begins) = own.first().map(|first| first.at) {
            history.retain(|before| !before.decision.facts.is_empty() || before.at < begins);
        }
        history.extend(own);
    }
    history
}

fn entries(database: &Database) -> Option<BTreeMap<u64, JournalEntry>> {
    let records = database.reader().records(1, usize::MAX).ok()?;
    records.iter().map(|record| Some((record.seq, JournalEntry::decode(&record.bytes).ok()?))).collect()
}

/// Why a process of the hall may end: it has lost the lead, or does not know what became of an append.
pub(super) fn may_end(why: &str) -> bool {
    ["another writer has taken the journal over", "another node leads now", "killed", "stopped"]
        .iter()
        .any(|reason| why.contains(reason))
        || why.contains("the connection is lost")
}
