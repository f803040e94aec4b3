//! Reading what has left memory or was never in it: facts of games, ended games, docket, feedback, old entries.
//!
//! The journal that is read may be far ahead of this process, and may show what a later primary has never had. Ended games and
//! the order of their ends are shown only as far as the state here goes, so that nobody sees a game go back. Facts, posts and
//! entries are read as they are there: a caller first takes the upper bound from [`crate::Engine::read`], and stops at it.

use crate::durable::Durable;
use crate::recent::Recent;
use crate::record::RecordedFacts;
use crate::tables::{self, FILED, FactPlace, FiledRow, HomologationRow, VOIDED, fact_key, homologation_key};
use crate::watched::Watched;
use hall_core::rooms::{Room, RoomChange, RoomFact, RoomOutline, SavedRoom};
use hall_core::{DeskFact, DocketEntry, Fact, FeedbackKind, Filing, SeasonId};
use hall_games::Catalog;
use hall_journal::{JournalError, JournalReader, KeyRange, Table};
use hall_wire::{AgentId, Digest, FeedbackId, GameId, HomologationId, Timestamp};
use serde::de::DeserializeOwned;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Ended games kept ready for the next reader.
const ENDED_GAMES: usize = 256;
/// Outlines kept ready: more than a search looks at for one page, so that the next one finds them all.
const OUTLINES: usize = 4_096;
/// Records that are read together. The largest have some hundred kilobytes.
const RECORDS_AT_A_TIME: usize = 64;

/// Why something cannot be read from the archive.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// The journal cannot be read, or what it read is damaged.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A row is intact, but this version does not know its format.
    #[error("a row of table {table} is not of a known form: {reason}")]
    Form {
        /// The table.
        table: &'static str,
        /// What the decoder says.
        reason: String,
    },
}

impl ArchiveError {
    /// Whether reading again later may succeed by itself.
    #[must_use]
    pub const fn is_outage(&self) -> bool {
        matches!(self, Self::Journal(error) if error.is_outage())
    }
}

/// A feedback post as it was kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FeedbackEntry {
    /// Its identifier.
    pub id: FeedbackId,
    /// The agent that posted it.
    pub agent: AgentId,
    /// What it is about.
    pub kind: FeedbackKind,
    /// In one line.
    pub subject: String,
    /// In full.
    pub body: String,
    /// Canonical JSON of an object.
    pub context: Option<String>,
    /// When it was posted.
    pub created_at: Timestamp,
    /// Whether its texts are withheld: then they are empty here.
    pub withheld: bool,
}

/// A homologation entry, standing or voided.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "fields without a comment say no more than their names and types")]
pub struct FiledEntry {
    pub id: HomologationId,
    /// The agent that filed it.
    pub agent: AgentId,
    /// The season that it was filed for.
    pub season: SeasonId,
    pub filing: Filing,
    pub hash: Digest,
    /// When it was filed.
    pub created_at: Timestamp,
    /// When another one voided it.
    pub voided_at: Option<Timestamp>,
}

/// The reading end of the hall's past.
#[derive(Clone)]
pub struct Archive {
    reader: Arc<dyn JournalReader>,
    catalog: Catalog,
    ended: Arc<Mutex<Recent<GameId, Arc<Room>>>>,
    outlines: Arc<Mutex<Recent<GameId, Arc<Room>>>>,
    /// How far ended games are shown.
    durable: Arc<Watched<Durable>>,
}

impl Archive {
    pub(crate) fn new(
        reader: Arc<dyn JournalReader>,
        catalog: Catalog,
        durable: Arc<Watched<Durable>>,
    ) -> Self {
        Self { reader, catalog, ended: Arc::default(), outlines: Arc::default(), durable }
    }

    /// The same, with everything that the journal holds, for those who have a bound of their own.
    pub(crate) fn unbounded(&self) -> Self {
        Self { durable: Arc::new(Watched::new(Durable::ALL)), ..self.clone() }
    }

    /// How far ended games are shown now.
    pub(crate) fn shown_until(&self) -> Durable {
        self.durable.get()
    }

    /// The journal that all of this is read from.
    #[must_use]
    pub const fn reader(&self) -> &Arc<dyn JournalReader> {
        &self.reader
    }

    /// A game whose end was applied here.
    ///
    /// # Errors
    /// The row is damaged, or of a form that this version does not know.
    pub fn ended_room(&self, game: &GameId) -> Result<Option<Arc<Room>>, ArchiveError> {
        if let Some(room) = lock(&self.ended).get(game) {
            return Ok(Some(Arc::clone(room)));
        }
        let shown_until = self.shown_until();
        let Some(bytes) = self.reader.row(tables::GAMES, game.as_bytes())? else { return Ok(None) };
        let saved: SavedRoom = decode(tables::GAMES, &bytes)?;
        let room = Room::restore_ended(saved, &self.catalog);
        if !self.has_end(&room, shown_until)? {
            return Ok(None);
        }
        let room = Arc::new(room);
        lock(&self.ended).put(*game, Arc::clone(&room), ENDED_GAMES);
        Ok(Some(room))
    }

    /// The same without its turns and its position, which takes a small part of the time. For lists.
    ///
    /// # Errors
    /// As [`Archive::ended_room`].
    pub fn ended_outline(&self, game: &GameId) -> Result<Option<Arc<Room>>, ArchiveError> {
        for kept in [&self.outlines, &self.ended] {
            if let Some(room) = lock(kept).get(game) {
                return Ok(Some(Arc::clone(room)));
            }
        }
        let shown_until = self.shown_until();
        let Some(bytes) = self.reader.row(tables::GAME_OUTLINES, game.as_bytes())? else {
            return self.ended_room(game);
        };
        let outline: RoomOutline = decode(tables::GAME_OUTLINES, &bytes)?;
        let room = Room::from_outline(outline, &self.catalog);
        if !self.has_end(&room, shown_until)? {
            return Ok(None);
        }
        let room = Arc::new(room);
        lock(&self.outlines).put(*game, Arc::clone(&room), OUTLINES);
        Ok(Some(room))
    }

    /// Whether the end of a game is one of the facts up to there.
    fn has_end(&self, room: &Room, until: Durable) -> Result<bool, ArchiveError> {
        match room.ended_at().map(|at| at.cmp(&until.at)) {
            Some(Ordering::Less) => Ok(true),
            Some(Ordering::Equal) => {
                let facts = KeyRange::prefix(room.id().as_bytes());
                let last = self.reader.rows(tables::GAME_FACTS, facts, true, 1)?;
                let place = last.first().and_then(|(_, value)| FactPlace::decode(value));
                Ok(place.is_some_and(|place| place.record <= until.seq))
            }
            Some(Ordering::Greater) | None => Ok(false),
        }
    }

    /// Facts of a game from number `from_number` on, ascending, `limit` at most; of live games too. Withheld texts are
    /// left out: commentary is absent, and the text of a signed body empty.
    ///
    /// # Errors
    /// A row is damaged or unknown.
    pub fn room_facts(
        &self,
        game: &GameId,
        from_number: u32,
        limit: usize,
    ) -> Result<Vec<RoomFact>, ArchiveError> {
        let range = KeyRange {
            start: std::ops::Bound::Included(fact_key(game, from_number)),
            ..KeyRange::prefix(game.as_bytes())
        };
        let rows = self.reader.rows(tables::GAME_FACTS, range, false, limit)?;
        let withheld = self.withheld_turns(game)?;
        let place =
            |value: &[u8]| FactPlace::decode(value).ok_or_else(|| unknown_fact("not a place in the journal"));
        let places = rows.iter().map(|(_, value)| place(value)).collect::<Result<Vec<_>, _>>()?;
        let mut facts = Vec::with_capacity(places.len());
        self.visit_facts(&places, |fact| {
            let fact = fact.and_then(Fact::in_room).filter(|fact| fact.game == *game).cloned();
            let fact = fact.ok_or_else(|| unknown_fact("the journal holds another fact there"))?;
            facts.push(without(fact, &withheld));
            Ok::<_, ArchiveError>(())
        })?;
        Ok(facts)
    }

    /// Shows the facts at these places, in their order; `None` where a record has no such fact. Only some records are in
    /// memory at a time.
    ///
    /// # Errors
    /// A record is damaged or missing, or `visit` fails.
    pub(crate) fn visit_facts<E: From<ArchiveError>>(
        &self,
        places: &[FactPlace],
        mut visit: impl FnMut(Option<&Fact>) -> Result<(), E>,
    ) -> Result<(), E> {
        for places in places.chunks(RECORDS_AT_A_TIME) {
            let numbers = places.iter().map(|place| place.record).collect();
            let records = self.reader.records_at(&numbers).map_err(ArchiveError::from)?;
            let mut entries = BTreeMap::new();
            for record in &records {
                let entry =
                    RecordedFacts::decode(&record.bytes).map_err(|error| unknown_fact(&error.to_string()))?;
                entries.insert(record.seq, entry);
            }
            for place in places {
                let entry = entries
                    .get(&place.record)
                    .ok_or_else(|| unknown_fact("the journal has no such record"))?;
                visit(usize::try_from(place.index).ok().and_then(|index| entry.facts.get(index)))?;
            }
        }
        Ok(())
    }

    /// The turns of a game whose texts are withheld.
    fn withheld_turns(&self, game: &GameId) -> Result<BTreeSet<u32>, ArchiveError> {
        let rows =
            self.reader.rows(tables::WITHHELD, KeyRange::prefix(game.as_bytes()), false, usize::MAX)?;
        // The key of a feedback post has no turn behind it.
        let turn = |(key, _): &(Vec<u8>, Vec<u8>)| Some(u32::from_be_bytes(key.get(16..)?.try_into().ok()?));
        Ok(rows.iter().filter_map(turn).collect())
    }

    /// Ended games, newest first by the time of their formation.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub fn ended_games(&self, before: Option<GameId>, limit: usize) -> Result<Vec<GameId>, ArchiveError> {
        let range = match before {
            Some(game) => KeyRange::prefix_before(&[], game.as_bytes()),
            None => KeyRange::all(),
        };
        let keys = self.reader.keys(tables::GAMES, range, true, limit)?;
        Ok(keys.iter().filter_map(|key| Some(GameId::from_bytes(last_16(key)?))).collect())
    }

    /// All games of an agent, live and ended, newest first.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub fn games_of(
        &self,
        agent: &AgentId,
        before: Option<GameId>,
        limit: usize,
    ) -> Result<Vec<GameId>, ArchiveError> {
        let range = match before {
            Some(game) => KeyRange::prefix_before(agent.as_bytes(), &tables::agent_game_key(agent, &game)),
            None => KeyRange::prefix(agent.as_bytes()),
        };
        let keys = self.reader.keys(tables::AGENT_GAMES, range, true, limit)?;
        Ok(keys.iter().filter_map(|key| Some(GameId::from_bytes(last_16(key)?))).collect())
    }

    /// Docket entries, newest first.
    ///
    /// # Errors
    /// A row is damaged or unknown.
    pub fn docket(&self, before: Option<u64>, limit: usize) -> Result<Vec<DocketEntry>, ArchiveError> {
        let range = match before {
            Some(id) => KeyRange::prefix_before(&[], &id.to_be_bytes()),
            None => KeyRange::all(),
        };
        let rows = self.reader.rows(tables::DOCKET, range, true, limit)?;
        rows.iter().map(|(_, value)| decode(tables::DOCKET, value)).collect()
    }

    /// Feedback, newest first.
    ///
    /// # Errors
    /// A row is damaged or unknown.
    pub fn feedback(
        &self,
        before: Option<FeedbackId>,
        limit: usize,
    ) -> Result<Vec<FeedbackEntry>, ArchiveError> {
        let range = match before {
            Some(id) => KeyRange::prefix_before(&[], id.as_bytes()),
            None => KeyRange::all(),
        };
        let rows = self.reader.rows(tables::FEEDBACK, range, true, limit)?;
        rows.iter()
            .map(|(_, value)| {
                let fact = decode(tables::FEEDBACK, value)?;
                let Fact::Desk(DeskFact::FeedbackPosted { at, id, agent, kind, subject, body, context }) =
                    fact
                else {
                    let reason = "not a feedback post".to_owned();
                    return Err(ArchiveError::Form { table: tables::FEEDBACK.name(), reason });
                };
                let entry = FeedbackEntry {
                    id,
                    agent,
                    kind,
                    subject,
                    body,
                    context,
                    created_at: at,
                    withheld: false,
                };
                if self.reader.row(tables::WITHHELD, id.as_bytes())?.is_none() {
                    return Ok(entry);
                }
                let (subject, body) = (String::new(), String::new());
                Ok(FeedbackEntry { subject, body, context: None, withheld: true, ..entry })
            })
            .collect()
    }

    /// Whether there is a feedback post.
    ///
    /// # Errors
    /// Its row is damaged.
    pub fn has_feedback(&self, id: &FeedbackId) -> Result<bool, ArchiveError> {
        Ok(self.reader.row(tables::FEEDBACK, id.as_bytes())?.is_some())
    }

    /// An entry that an agent has filed.
    ///
    /// # Errors
    /// A row is damaged or unknown.
    pub fn homologation(
        &self,
        agent: &AgentId,
        id: &HomologationId,
    ) -> Result<Option<FiledEntry>, ArchiveError> {
        let row = |half| self.reader.row(tables::HOMOLOGATIONS, &homologation_key(agent, id, half));
        let Some(HomologationRow::Filed(filed)) =
            row(FILED)?.map(|bytes| decode(tables::HOMOLOGATIONS, &bytes)).transpose()?
        else {
            return Ok(None);
        };
        let voided_at = match row(VOIDED)?.map(|bytes| decode(tables::HOMOLOGATIONS, &bytes)).transpose()? {
            Some(HomologationRow::Voided(at)) => Some(at),
            Some(HomologationRow::Filed(_)) | None => None,
        };
        let FiledRow { season, filing, hash, created_at } = filed;
        Ok(Some(FiledEntry { id: *id, agent: *agent, season, filing, hash, created_at, voided_at }))
    }

    /// The entries that an agent has filed, oldest first: the youngest `limit` of them.
    ///
    /// # Errors
    /// A row is damaged or unknown.
    pub fn homologations(&self, agent: &AgentId, limit: usize) -> Result<Vec<FiledEntry>, ArchiveError> {
        // Identifiers sort by age, and an entry has two rows at most.
        let range = KeyRange::prefix(agent.as_bytes());
        let rows = self.reader.rows(tables::HOMOLOGATIONS, range, true, limit.saturating_mul(2))?;
        let shown_until = self.shown_until().at;
        let mut entries: BTreeMap<HomologationId, FiledEntry> = BTreeMap::new();
        let mut voided: BTreeMap<HomologationId, Timestamp> = BTreeMap::new();
        for (key, value) in &rows {
            let Some((&half, key)) = key.split_last() else { continue };
            let Some(id) = last_16(key).map(HomologationId::from_bytes) else { continue };
            match decode(tables::HOMOLOGATIONS, value)? {
                HomologationRow::Voided(at) => {
                    debug_assert_eq!(half, VOIDED);
                    if at <= shown_until {
                        voided.insert(id, at);
                    }
                }
                // The journal of a hall on several machines may be ahead of this one.
                HomologationRow::Filed(FiledRow { created_at, .. }) if created_at > shown_until => {}
                HomologationRow::Filed(FiledRow { season, filing, hash, created_at }) => {
                    let agent = *agent;
                    let entry = FiledEntry { id, agent, season, filing, hash, created_at, voided_at: None };
                    entries.insert(id, entry);
                }
            }
        }
        let mut entries: Vec<FiledEntry> = entries
            .into_values()
            .map(|entry| FiledEntry { voided_at: voided.get(&entry.id).copied(), ..entry })
            .collect();
        entries.sort_by_key(|entry| (entry.created_at, entry.id));
        entries.drain(..entries.len().saturating_sub(limit));
        Ok(entries)
    }
}

/// The fact without the texts of withheld turns.
fn without(mut fact: RoomFact, withheld: &BTreeSet<u32>) -> RoomFact {
    if withheld.is_empty() {
        return fact;
    }
    let body = match &mut fact.change {
        RoomChange::IllegalAttempted { turn_index, attempt, .. } if withheld.contains(turn_index) => {
            Some(&mut attempt.body)
        }
        RoomChange::MovePlayed(resolution) | RoomChange::Ended { resolution: Some(resolution), .. }
            if withheld.contains(&resolution.turn_index) =>
        {
            if let Some(event) = &mut fact.event {
                event.commentary = None;
            }
            resolution.body.as_mut()
        }
        RoomChange::MoveSealed { turn_index, action, .. } if withheld.contains(turn_index) => {
            action.commentary = None;
            action.body.as_mut()
        }
        RoomChange::SeatVacated { turn_index, body, .. } if withheld.contains(turn_index) => body.as_mut(),
        RoomChange::Started(_)
        | RoomChange::MovePlayed(_)
        | RoomChange::MoveSealed { .. }
        | RoomChange::NatureActed { .. }
        | RoomChange::HallDeferred { .. }
        | RoomChange::Shown { .. }
        | RoomChange::SeatVacated { .. }
        | RoomChange::IllegalAttempted { .. }
        | RoomChange::StrikeGiven { .. }
        | RoomChange::DrawOffered { .. }
        | RoomChange::DrawDeclined { .. }
        | RoomChange::DeadlineExtended { .. }
        | RoomChange::PenaltyDeferred { .. }
        | RoomChange::BeaconSettled { .. }
        | RoomChange::Ended { .. } => None,
    };
    if let Some(body) = body {
        body.text.clear();
    }
    fact
}

pub(crate) fn decode<T: DeserializeOwned>(table: Table, bytes: &[u8]) -> Result<T, ArchiveError> {
    serde_json::from_slice(bytes)
        .map_err(|error| ArchiveError::Form { table: table.name(), reason: error.to_string() })
}

fn unknown_fact(reason: &str) -> ArchiveError {
    ArchiveError::Form { table: tables::GAME_FACTS.name(), reason: reason.to_owned() }
}

fn lock<T>(kept: &Mutex<T>) -> MutexGuard<'_, T> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}

fn last_16(key: &[u8]) -> Option<[u8; 16]> {
    key.last_chunk().copied()
}
