//! The hall's state against the reference's.

use super::desk::{Entry, spent};
use super::divergence::{Part, same};
use super::room::Room;
use super::{Divergence, Reference, text};
use hall_core::rooms::{Phase, SeatState};
use hall_core::{DueRing, Hall, Lobby};
use hall_games::Viewer;
use hall_wire::{AgentId, GameId, Player};
use serde_json::Value;

/// How much is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// What is known of the hall as a whole, and whatever the last step may have changed.
    LastStep,
    /// Everything.
    Whole,
}

impl Reference {
    /// Compares the observable state of the hall with the reference's own.
    ///
    /// # Errors
    /// The first difference.
    pub fn compare(&self, hall: &Hall, extent: Extent) -> Result<(), Divergence> {
        self.compare_hall(hall)?;
        let (agents, games) = &self.touched;
        if extent == Extent::LastStep {
            agents.iter().try_for_each(|agent| self.compare_agent(hall, agent))?;
            return games.iter().try_for_each(|game| self.compare_game(hall, game, false));
        }
        same("the games in the order in which they are due", &self.count_due(), &self.due)?;
        self.agents.keys().try_for_each(|agent| self.compare_agent(hall, agent))?;
        let rings: Vec<DueRing> = self.agents.keys().flat_map(|agent| self.due_rings(agent)).collect();
        same("the rings that are due after a start", &rings, &hall.due_rings().collect())?;
        let ids: Vec<AgentId> = hall.desk().agents().map(|agent| agent.id).collect();
        same("all agents", &self.agents.keys().copied().collect(), &ids)?;
        self.rooms.keys().try_for_each(|game| self.compare_game(hall, game, true))?;
        let ids: Vec<GameId> = hall.rooms().iter().map(|room| room.id()).collect();
        same("all games", &self.rooms.keys().copied().collect(), &ids)?;
        same("the keys", &self.keys.as_ref(), &hall.keys())?;
        for what in &self.withheld {
            same("a text withheld", &true, &hall.desk().is_withheld(what))?;
        }
        same("the seasons", &self.seasons.iter().collect::<Vec<_>>(), &hall.desk().seasons().collect())?;
        self.seasons.iter().try_for_each(|season| self.compare_leaderboard(hall, &season.id))?;
        self.compare_shown(hall)
    }

    fn compare_hall(&self, hall: &Hall) -> Result<(), Divergence> {
        let desk = hall.desk();
        same("the settings", &self.settings(), &hall.settings())?;
        same("the hall's clock", &self.clock, &hall.clock())?;
        same("leaves of the log", &self.leaves, &hall.leaf_count())?;
        let head = hall.log_head().map(|head| (head.at, head.size, head.root));
        same("texts withheld", &self.withheld.len(), &desk.withheld_count())?;
        same("the newest checkpoint", &self.checkpoint, &head)?;
        same("what is due next", &self.next_deadline(), &hall.next_deadline())?;
        let count = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
        same("live games", &count(self.live.len()), &hall.rooms().live_count())?;
        same("ended games", &self.ended, &hall.rooms().ended_count())?;
        same("registered agents", &self.agents.len(), &desk.agent_count())?;
        same("the open season", &self.current_season(), &desk.current_season())?;
        same("docket entries", &self.docket, &desk.docket_len())?;
        let waiting: Vec<(Lobby, usize)> =
            self.lobbies.iter().map(|(lobby, waiting)| (*lobby, waiting.len())).collect();
        same("the lobbies", &waiting, &desk.lobbies().collect())
    }

    fn compare_agent(&self, hall: &Hall, id: &AgentId) -> Result<(), Divergence> {
        let desk = hall.desk();
        let Some(agent) = self.agents.get(id) else { return same("an agent", &None, &desk.agent(id)) };
        let what = |part| Part(part, &agent.handle);
        same(what("the record"), &Some(agent), &desk.agent(id))?;
        same(what("the record by handle"), &Some(agent), &desk.agent_by_handle(&agent.handle))?;
        let operator = self.operators.get(&agent.operator);
        same(what("the operator"), &operator, &desk.operator(&agent.operator))?;
        same(what("the suspension"), &self.is_suspended(id), &desk.is_suspended(id))?;
        same(what("the live games"), &self.games_of(id), &desk.live_games(id).collect())?;
        let lobbies: Vec<Lobby> = self
            .lobbies
            .iter()
            .filter(|(_, waiting)| waiting.contains(id))
            .map(|(lobby, _)| *lobby)
            .collect();
        same(what("the lobbies"), &lobbies, &desk.lobbies_of(id).collect())?;
        if let Some(settings) = self.settings() {
            let left = |quota: u32, spent: u32| (quota > 0).then(|| quota.saturating_sub(spent));
            let joins = left(settings.joins_per_day, spent(&self.joins, id, self.clock));
            same(what("the joins left"), &joins, &desk.joins_left(id, self.clock, settings))?;
            let posts = left(settings.feedback_per_day, spent(&self.posts, id, self.clock));
            same(what("the posts left"), &posts, &desk.feedback_left(id, self.clock, settings))?;
        }
        let door = self.doors.get(id).map(super::doorbell::Door::as_the_hall_has_it).unwrap_or_default();
        let mut found = desk.doorbell(id).cloned().unwrap_or_default();
        found.ringing.sort_by_key(|known| (known.game, known.turn_index));
        same(what("the doorbell"), &door, &found)?;
        let rings = self.due_rings(id);
        let found = self.games_of(id).into_iter().filter_map(|game| {
            let turn_index = hall.rooms().find(&game)?.turn_index();
            hall.due_ring(id, &game, turn_index)
        });
        same(what("the rings that are due"), &rings, &found.collect())?;
        let mut standing = Vec::new();
        for season in &self.seasons {
            for division in hall_core::Division::ALL {
                standing.extend(self.standing.get(&(*id, season.id.clone(), *division)).copied());
            }
        }
        let found: Vec<_> = desk.standing_entries(id).map(|entry| entry.id).collect();
        same(what("the standing entries"), &standing, &found)?;
        standing.iter().try_for_each(|id| match self.entries.get(id) {
            Some(entry) => compare_entry(hall, *id, entry),
            None => Ok(()),
        })
    }

    fn compare_game(&self, hall: &Hall, id: &GameId, all_turns: bool) -> Result<(), Divergence> {
        let found = hall.rooms().find(id);
        let Some(room) = self.rooms.get(id) else {
            return same(format_args!("game {id} in memory"), &false, &found.is_some());
        };
        let Some(found) = found else { return same(format_args!("game {id} in memory"), &true, &false) };
        compare_room(room, found, all_turns)?;
        let game = format_args!("an entry in game {id}");
        let what = |part| Part(part, &game);
        for seat in &room.terms.seats {
            let Some(entry) = self.entries.get(&seat.homologation) else { continue };
            let kept = hall.desk().homologation(&seat.homologation);
            let needed = room.result.is_none() || entry.voided_at.is_none();
            if needed || kept.is_some() {
                same(what("the voiding"), &Some(entry.voided_at), &kept.map(|kept| kept.voided_at))?;
            }
        }
        Ok(())
    }
}

fn compare_entry(hall: &Hall, id: hall_wire::HomologationId, entry: &Entry) -> Result<(), Divergence> {
    let entry_id = format_args!("entry {id}");
    let what = |part| Part(part, &entry_id);
    let Some(found) = hall.desk().homologation(&id) else {
        return same(what("the presence"), &true, &false);
    };
    same(what("the agent"), &entry.agent, &found.agent)?;
    same(what("the season"), &entry.season, hall.desk().season_of(found))?;
    same(what("the hash"), &entry.hash, &found.hash)?;
    same(what("the times"), &(entry.created_at, entry.voided_at), &(found.created_at, found.voided_at))?;
    let filing = &entry.filing;
    let endpoint = filing.endpoint_url.as_deref().map(text::sha256);
    same(what("the endpoint"), &endpoint, &found.endpoint_url_sha256)?;
    let fields = (
        (filing.division, filing.model_id.as_str(), filing.adapter_kind),
        (filing.system_prompt_sha256, filing.config_sha256, filing.tool_access),
    );
    let kept = (
        (found.division, &*found.model_id, found.adapter_kind),
        (found.system_prompt_sha256, found.config_sha256, found.tool_access),
    );
    same(what("the fields"), &fields, &kept)?;
    for (_, rating) in found.ratings() {
        same(what("whether the rating is provisional"), &(rating.rd > 11_000), &rating.is_provisional())?;
    }
    let ratings: Vec<_> = entry.ratings.iter().map(|(board, rating)| (*board, *rating)).collect();
    same(what("the ratings"), ratings.as_slice(), found.ratings())
}

fn compare_room(room: &Room, found: &hall_core::rooms::Room, all_turns: bool) -> Result<(), Divergence> {
    let game = format_args!("game {}", room.id);
    let what = |part| Part(part, &game);
    let terms = &room.terms;
    same(what("what is played"), &terms.variant, &found.variant())?;
    same(what("the division"), &terms.division, &found.division())?;
    same(what("the season"), &terms.season, found.season())?;
    same(what("the rules' version"), terms.ruleset_version.as_str(), found.ruleset_version())?;
    same(what("the clocks' terms"), &terms.timing, &found.timing())?;
    same(what("the commitment"), &terms.commitment, found.commitment())?;
    let seed = room.result.as_ref().map(|_| terms.seed.reveal());
    same(what("the revealed seed"), &seed, &found.revealed_seed())?;
    same(what("the beacon's terms"), &terms.beacon.as_ref(), &found.beacon_terms())?;
    same(what("the beacon's status"), &room.beacon, &found.beacon_status())?;
    let round = room.round.as_ref().map(|(randomness, signature)| (randomness, signature.as_str()));
    same(what("the beacon's round"), &round, &found.beacon_round())?;
    same(what("the times"), &(room.started_at, room.ended_at), &(found.started_at(), found.ended_at()))?;
    same(what("the turn index"), &room.turn_index, &found.turn_index())?;
    same(what("the phase"), &room.phase(), &found.phase())?;
    same(what("who is to move"), &room.to_move(), &found.to_move())?;
    same(what("the deadline"), &room.deadline(), &found.deadline())?;
    same(what("the draw offer"), &room.offer, &found.draw_offer())?;
    same(what("the result"), &room.result.as_ref(), &found.result())?;
    same(what("the last turn"), &room.last.as_ref(), &found.last_turn())?;
    same(what("the facts"), &room.facts, &found.fact_count())?;
    same(what("the events"), &room.events, &found.last_seq())?;
    same(what("the number of turns"), &room.turns.len(), &found.turns().len())?;
    if all_turns {
        let told: Vec<_> = found.turns().iter().collect();
        same(what("the turns"), &room.turns, &told)?;
    }
    same(what("the newest turn"), &room.turns.last().copied(), &found.turns().last())?;
    let clocks: Option<Vec<_>> = room.seats.iter().map(|side| side.remaining).collect();
    same(what("the clocks"), &clocks, &found.clocks())?;
    for ((place, seat), side) in (0..).zip(&terms.seats).zip(&room.seats) {
        let player = Player::new(place);
        let expected = SeatState {
            seat: seat.clone(),
            remaining: side.remaining,
            strikes: side.strikes,
            illegal_attempts: side.illegal,
            open: side.open,
            last: side.last,
            sealed: side.sealed.clone().map(Box::new),
            vacancy: side.vacancy.clone().map(Box::new),
        };
        same(format_args!("seat {player} of {game}"), &Some(&expected), &found.seat(player))?;
        let deadline = room.deadline_of(player);
        same(format_args!("the deadline of {player} of {game}"), &deadline, &found.deadline_of(player))?;
        same(
            format_args!("the report for {player} of {game}"),
            &*room.report(Some(player)),
            &found.status(player),
        )?;
    }
    compare_told(room, found, all_turns)?;
    compare_position(room, found)
}

/// The turns as each player and as everybody may know them.
fn compare_told(room: &Room, found: &hall_core::rooms::Room, all_turns: bool) -> Result<(), Divergence> {
    let game = format_args!("game {}", room.id);
    let first = if all_turns { 0 } else { room.turns.len().saturating_sub(1) };
    for viewer in room.players().map(Some).chain([None]) {
        for (own, other) in room.turns.iter().zip(found.turns()).skip(first) {
            let expected = room.turn_for(viewer, own);
            same(Part("a turn that is told", &game), &expected, &found.turn_for(viewer, &other))?;
        }
        let last = room.last.map(|last| room.brief_for(viewer, &last));
        let other = found.last_turn().map(|last| found.brief_for(viewer, last));
        same(Part("the last turn that is told", &game), &last, &other)?;
    }
    Ok(())
}

fn compare_position(room: &Room, found: &hall_core::rooms::Room) -> Result<(), Divergence> {
    let game = format_args!("game {}", room.id);
    let what = |part| Part(part, &game);
    let (own, position) = (&room.position, found.position());
    same(what("the state string"), &own.state_string(), &position.state_string())?;
    same(what("the outcome on the board"), &own.outcome(), &position.outcome().map(Into::into))?;
    same(what("the public state"), &own.public(), &Value::Object(position.public()))?;
    let last = room.turns.iter().rev().find(|turn| turn.player.is_some() && turn.notation.is_some());
    for player in found.players() {
        let moves = room.legal_moves(player);
        same(what("the legal moves"), &moves, &found.legal_moves(player))?;
        let notations: Vec<_> = moves.into_iter().map(|legal| legal.notation).collect();
        same(what("the notations"), &notations, &found.notations(player))?;
        let last_move = last.and_then(|turn| turn.player.zip(room.turn_for(Some(player), turn).notation));
        let board = own.board_text(&Viewer {
            player,
            result: room.result.as_ref(),
            to_move: room.to_move(),
            last_move,
        });
        same(what("the board"), &board, &found.board_text(player))?;
        same(what("the private state"), &own.private(player), &position.private(player))?;
    }
    if room.phase() == Phase::Ended {
        same(what("what was hidden"), &own.hidden(), &position.hidden())?;
    }
    Ok(())
}
