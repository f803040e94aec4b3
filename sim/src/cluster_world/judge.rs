//! What must hold over any sequence of leaders (K1 to K8), judged from outside the nodes: by what clients were told, by what
//! each node shows, and by what the journal holds in the end.

use super::acknowledged::{Acknowledged, Asked};
use super::bells::{self, EndpointRegistry, RingTerms};
use super::blame::Blame;
use super::database::{Database, Taken};
use super::faults::Fault;
use super::http::HttpJudge;
use super::in_time::{Answered, InTime};
use super::node::Led;
use super::outages::Outages;
use super::plan::{ClusterPlan, Weakness};
use crate::direct::{Observed, TOKEN, fold, records};
use crate::oracles::tree::{Checkpoints, consistent, roots};
use crate::oracles::{Ending, Observation, Opened, Oracles, Terms, Vitals};
use crate::protocol::{AgentRequest, AnswerBrief};
use crate::report::{Violation, WorldReport};
use crate::trace::TraceHasher;
use hall_core::rooms::RoomChange;
use hall_core::{Answer, Command, Fact};
use hall_driver::{Engine, JournalEntry, recover};
use hall_games::CATALOG;
use hall_wire::message::Challenge;
use hall_wire::{Digest, Handle, Timestamp};
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
    /// What clients were told.
    acknowledged: Acknowledged,
    /// When nobody led; not kept where games may wait for a beacon, or a leader's clock may have been set.
    outages: Option<Outages>,
    /// Moves that arrived just before their deadline.
    in_time: InTime,
    /// How often each challenge was accepted.
    spent: BTreeMap<[u8; 32], u32>,
    digests: BTreeMap<u64, Digest>,
    /// The game of each agent that ended last, by record.
    last_ends: BTreeMap<u64, Vec<Option<hall_wire::GameId>>>,
    checkpoints: Checkpoints,
    /// What each process showed last: up to which record.
    shown: BTreeMap<u64, u64>,
    weakness: Option<Weakness>,
    /// After how many steps the reference hall is compared; 0 for no reference hall.
    compare_every: u64,
}

impl Judge {
    pub(super) fn new(plan: &ClusterPlan, terms: Terms) -> Self {
        Self {
            report: plan.report(),
            trace: TraceHasher::default(),
            http: HttpJudge::default(),
            terms,
            acknowledged: Acknowledged::default(),
            outages: (plan.base.settings.beacon.is_none() && !plan.faults.contains(&Fault::ClockStep))
                .then(Outages::default),
            in_time: InTime::default(),
            spent: BTreeMap::new(),
            digests: BTreeMap::new(),
            last_ends: BTreeMap::new(),
            checkpoints: Checkpoints::new(),
            shown: BTreeMap::new(),
            weakness: plan.weakness,
            compare_every: u64::from(plan.reference),
        }
    }

    pub(super) fn violation(&mut self, invariant: &'static str, at: Timestamp, text: impl Into<String>) {
        self.report.violations.push(Violation::new(invariant, at, text));
    }

    /// Invariants are broken.
    pub(super) fn found(&mut self, at: Timestamp, found: impl IntoIterator<Item = (&'static str, String)>) {
        found.into_iter().for_each(|(invariant, text)| self.violation(invariant, at, text));
    }

    /// A client sends a request.
    pub(super) fn asks(&mut self, handle: &Handle, what: &AgentRequest) -> Asked {
        self.acknowledged.asks(handle, what)
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
        let found = self.acknowledged.hears(handle, asked, what, answer);
        self.found(at, found);
        if let AnswerBrief::Refused { code, .. } = answer {
            self.report.mark("refused", code);
        }
    }

    /// A move was answered that was aimed at its deadline.
    pub(super) fn is_answered(&mut self, answered: &Answered<'_>) {
        if self.in_time.answered(answered, self.weakness) {
            self.report.mark("client", "moved in the last moment");
        }
    }

    /// The operator was answered.
    pub(super) fn operator_hears(&mut self, command: &Command, answer: &Answer) {
        self.report.mark("operator", if answer.is_ok() { "done" } else { "refused" });
        self.acknowledged.operator_hears(command, answer);
    }

    /// Whether some node leads now, and how often the journal was taken over.
    pub(super) fn leads(&mut self, at: Timestamp, is_led: bool, taken: usize) {
        if let Some(outages) = &mut self.outages {
            outages.look(at, is_led, taken);
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
        // Also while an append is under way: what is published too early may be taken back.
        self.sees_checkpoint(process, engine);
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
        self.looks_at_ends(at, status.durable_seq, engine);
    }

    /// The last game of each agent that has ended. A process that was asked once answers from what it has applied since.
    fn looks_at_ends(&mut self, at: Timestamp, seq: u64, engine: &Engine) {
        let agents: Vec<_> = engine.peek(|hall| hall.desk().agents().map(|agent| agent.id).collect());
        let last =
            agents.iter().map(|agent| engine.recent_ends(agent).map(|ends| ends.latest.map(|end| end.game)));
        // One that does not reach the database shows nothing.
        let Ok(last) = last.collect::<Result<Vec<_>, _>>() else { return };
        let known = self.last_ends.entry(seq).or_insert_with(|| last.clone());
        if *known != last {
            let text =
                format!("two processes show other ends of games at record {seq}: {known:?} and {last:?}");
            self.violation("K3", at, text);
        }
    }

    /// The newest checkpoint of a process, which anybody could fetch now.
    fn sees_checkpoint(&mut self, process: u64, engine: &Engine) {
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
        self.judge_outages(at, &entries);
        let struck = self.in_time.struck(entries.values());
        self.found(at, struck.into_iter().map(|text| ("T1", text)));
        let found = self.acknowledged.ends(&entries);
        self.found(at, found);
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
        let mut oracles = Oracles::new(self.compare_every);
        oracles.see(Observation::Began(self.terms.clone()));
        oracles.see(Observation::Secret(TOKEN.to_owned()));
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

    /// X1, X8, D3 and K2: what came to endpoints.
    pub(super) fn rings(
        &mut self,
        at: Timestamp,
        endpoints: &EndpointRegistry,
        database: &Database,
        terms: RingTerms,
    ) {
        // A journal that cannot be read was reported.
        let Some(entries) = entries(database) else { return };
        let found = bells::judge(endpoints, &entries, database, terms);
        found.marks.iter().for_each(|mark| self.report.mark("bell", mark));
        found.trace.iter().for_each(|attempt| self.trace.take(attempt));
        self.found(at, found.violations);
    }

    /// K1 and K7: every turn is resolved once, and nobody has paid for what others did.
    fn judge_moves(&mut self, at: Timestamp, entries: &BTreeMap<u64, JournalEntry>) {
        let (mut resolved, mut acted, mut blame) = (BTreeMap::new(), BTreeSet::new(), Blame::default());
        let facts = entries.iter().flat_map(|(seq, entry)| entry.facts.iter().map(move |fact| (seq, fact)));
        for (seq, fact) in facts {
            if let Some(text) = blame.unjust(fact) {
                self.violation("K7", at, format!("record {seq}: {text}"));
            }
            let Fact::Room(fact) = fact else { continue };
            match &fact.change {
                RoomChange::Started(_) => self.report.games_begun += 1,
                RoomChange::Ended { .. } => self.report.games_ended += 1,
                RoomChange::StrikeGiven { .. } => {
                    self.report.strikes += 1;
                    self.report.mark("fact", "strike_given");
                }
                RoomChange::IllegalAttempted { .. } => self.report.mark("fact", "illegal_attempted"),
                RoomChange::MoveSealed { .. } => self.report.mark("fact", "move_sealed"),
                RoomChange::NatureActed { .. } => self.report.mark("fact", "nature_acted"),
                RoomChange::SeatVacated { .. } => self.report.mark("fact", "seat_vacated"),
                _ => {}
            }
            let Some(resolution) = fact.change.resolution() else { continue };
            let (turn, player) = (resolution.turn_index, resolution.player);
            self.report.turns += 1;
            // A shared turn is resolved for all who share it in one record.
            let is_first = *resolved.entry((fact.game, turn)).or_insert(seq) == seq;
            if !is_first || !acted.insert((fact.game, turn, player)) {
                let text = format!("record {seq} resolves turn {turn} of {} again", fact.game);
                self.violation("K1", at, text);
            }
        }
    }

    /// K7: nobody has paid for time in which nobody led.
    fn judge_outages(&mut self, at: Timestamp, entries: &BTreeMap<u64, JournalEntry>) {
        let Some(outages) = self.outages.take() else { return };
        if outages.count() > 0 {
            self.report.mark("cluster", "nobody led for long");
        }
        self.found(at, outages.unpaid(entries.values()).into_iter().map(|text| ("K7", text)));
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
