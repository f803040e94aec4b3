//! Who meets whom, in which seat, and what an ended game counts for.

use super::Reference;
use super::expectation::{Expectation, player, time};
use super::glicko;
use super::room::{Room, open_position};
use super::text;
use super::words;
use hall_core::desk::Rating;
use hall_core::rooms::{BeaconTerms, OpenTurn, RoomChange, Seat, Started};
use hall_core::{DeskFact, Fact, HallSettings, Lobby, RatedSeat, Timing, Word};
use hall_games::{GameResult, PlayerSet};
use hall_wire::roll::Seed;
use hall_wire::{AgentId, GameId, Player, Span};
use serde_json::json;
use std::collections::BTreeSet;

/// Games that one decision forms at most.
const GAMES_AT_ONCE: usize = 256;

impl Reference {
    pub(super) fn settings(&self) -> Option<&HallSettings> {
        self.settings.as_ref()
    }

    pub(super) fn current_season(&self) -> Option<&hall_core::SeasonId> {
        self.seasons.iter().find(|season| season.closed_at.is_none()).map(|season| &season.id)
    }

    /// The live games of an agent, oldest first.
    pub(super) fn games_of(&self, agent: &AgentId) -> Vec<GameId> {
        self.live_of.get(agent).into_iter().flatten().copied().collect()
    }

    pub(super) fn is_at_cap(&self, agent: &AgentId) -> bool {
        let cap = self.settings().map_or(0, |settings| settings.concurrent_games);
        cap > 0
            && self.live_of.get(agent).map_or(0, |games| games.len())
                >= usize::try_from(cap).unwrap_or(usize::MAX)
    }

    pub(super) fn stop_waiting(&mut self, agent: &AgentId, lobby: Lobby) -> bool {
        let Some(waiting) = self.lobbies.get_mut(&lobby) else { return false };
        let before = waiting.len();
        waiting.retain(|known| known != agent);
        let left = waiting.len() < before;
        if waiting.is_empty() {
            self.lobbies.remove(&lobby);
        }
        left
    }

    /// Those that have waited longest and may play each other, as many as there are seats: nobody is passed over who has
    /// opponents.
    pub(super) fn pairable(&self, lobby: Lobby) -> Option<Vec<AgentId>> {
        let seats = self.games.seats(lobby.variant);
        let mut operators = BTreeSet::new();
        let waiting = self.lobbies.get(&lobby)?.iter().copied();
        let group: Vec<AgentId> = waiting
            .filter(|agent| !self.is_at_cap(agent))
            .filter(|agent| operators.insert(self.agents.get(agent).map(|agent| agent.operator)))
            .take(seats)
            .collect();
        (group.len() == seats).then_some(group)
    }

    /// Forms games in a lobby until no remaining agents could be paired.
    pub(super) fn pair(&mut self, step: &mut Expectation<'_>, lobby: Lobby) -> Vec<GameId> {
        let mut games = Vec::new();
        while let Some(group) = self.pairable(lobby).filter(|_| games.len() < GAMES_AT_ONCE) {
            games.push(self.start(step, lobby, &group));
        }
        games
    }

    /// Starts a game. Its identifier and its seed are the hall's to draw; all else follows.
    fn start(&mut self, step: &mut Expectation<'_>, lobby: Lobby, group: &[AgentId]) -> GameId {
        let at = step.at;
        let drawn = step.next_found().and_then(Fact::in_room).and_then(|fact| {
            let RoomChange::Started(terms) = &fact.change else { return None };
            Some((fact.game, terms.seed))
        });
        let (id, seed) = drawn.unwrap_or((GameId::from_bytes([0; 16]), Seed::from_bytes([0; 32])));
        // Lists of games show the newest first by sorting identifiers; within a millisecond any order will do.
        let millis = |id: GameId| id.as_bytes().first_chunk::<6>().copied();
        let follows = self.last_game.is_none_or(|last| millis(last) <= millis(id));
        step.object(follows, || format!("the game id {id} does not sort after those of earlier games"));
        let is_new = self.game_ids.insert(id);
        step.object(is_new, || format!("the game id {id} was used before"));
        let fresh = self.seeds.insert(seed.reveal());
        step.object(fresh, || format!("the seed of {id} was used before"));
        self.last_game = Some(id);
        let mut seats: Vec<(u32, _, Seat)> =
            group.iter().filter_map(|agent| self.seat(id, lobby, agent)).collect();
        seats.sort_by_key(|(firsts, hash, _)| (*firsts, *hash));
        let seats: Vec<Seat> = seats.into_iter().map(|(_, _, seat)| seat).collect();
        if let Some(first) = seats.first() {
            *self.firsts.entry((first.agent, lobby.variant.game)).or_insert(0) += 1;
        }
        for seat in &seats {
            self.stop_waiting(&seat.agent, lobby);
            self.live_of.entry(seat.agent).or_default().insert(id);
            step.agents.insert(seat.agent);
        }
        let timing = self.timing(lobby.variant.game);
        let beacon = self.settings().and_then(|settings| settings.beacon).map(|chain| {
            let wait = (at + Span::from_secs(3)).since(chain.genesis).as_millis();
            BeaconTerms {
                chain_hash: chain.chain_hash,
                round: 1 + wait.div_ceil(chain.period.as_millis().max(1)),
            }
        });
        let commitment = format!("svc.seed.v1:{}:{}", text::id('g', id.as_bytes()), seed.reveal());
        let game = lobby.variant.game;
        let version = self.games.terms(game.as_str()).map_or("", |terms| terms.ruleset_version);
        let mut terms = Started {
            variant: lobby.variant,
            division: lobby.division,
            season: self.current_season().cloned().unwrap_or_else(no_season),
            seats,
            ruleset_version: Word::parse(version).unwrap_or(game),
            timing,
            seed,
            commitment: text::sha256(&commitment),
            beacon,
            to_move: PlayerSet::EMPTY,
            turns: Vec::new(),
        };
        terms.to_move = open_position(self.games, &terms).to_move();
        let move_deadline = at + timing.move_time;
        let fresh = |player| OpenTurn { player, started_at: at, move_deadline, credit: Span::ZERO };
        terms.turns = terms.to_move.iter().map(fresh).collect();
        let mut room = Room::new(self.games, id, at, terms.clone());
        let data = started_data(&room);
        step.tell(&mut room, RoomChange::Started(terms), Some(("game_started", data)), None);
        room.begin_turn(step);
        step.turns_began(&room);
        self.rooms.insert(id, room);
        self.live.insert(id);
        id
    }

    /// How often an agent had the first seat, its hash for this game, and its seat.
    fn seat(&self, game: GameId, lobby: Lobby, agent: &AgentId) -> Option<(u32, hall_wire::Digest, Seat)> {
        let known = self.agents.get(agent)?;
        let season = self.current_season()?.clone();
        let homologation = *self.standing.get(&(*agent, season, lobby.division))?;
        let firsts = self.firsts.get(&(*agent, lobby.variant.game)).copied().unwrap_or(0);
        let hash = text::sha256(&format!(
            "svc.seat.v1:{}:{}",
            text::id('g', game.as_bytes()),
            known.handle.as_str()
        ));
        Some((
            firsts,
            hash,
            Seat { agent: *agent, handle: known.handle.clone(), key: known.key, homologation },
        ))
    }

    /// The clocks of a new game: as set, or the usual ones of the game.
    fn timing(&self, game: Word) -> Timing {
        let terms = self.games.terms(game.as_str());
        let usual = terms.map_or(Timing { move_time: Span::ZERO, side_time: None }, |terms| Timing {
            move_time: terms.move_time,
            side_time: terms.side_time,
        });
        self.settings().and_then(|settings| settings.timing.get(&game)).copied().unwrap_or(usual)
    }

    /// A game that a step has ended counts for both entries that still stand.
    pub(super) fn rate(&mut self, step: &mut Expectation<'_>) {
        let ended: Vec<GameId> = step
            .games
            .iter()
            .copied()
            .filter(|game| {
                self.live.contains(game) && self.rooms.get(game).is_some_and(|room| room.result.is_some())
            })
            .collect();
        for game in ended {
            self.live.remove(&game);
            self.ended += 1;
            let Some(room) = self.rooms.get(&game).cloned() else { continue };
            for seat in &room.terms.seats {
                if let Some(games) = self.live_of.get_mut(&seat.agent) {
                    games.remove(&game);
                }
                step.agents.insert(seat.agent);
            }
            self.count(step, &room);
        }
    }

    /// At a table of more than two each player meets each other once, by places (decision 13.7).
    fn count(&mut self, step: &mut Expectation<'_>, room: &Room) {
        let is_counted = |result: &&GameResult| room.seats.len() == 2 || result.places.is_some();
        let is_rated = |result: &&GameResult| result.draw || !result.winners.is_empty();
        let Some(result) = room.result.as_ref().filter(is_counted).filter(is_rated) else { return };
        let board = room.terms.variant;
        let told: &[RatedSeat] = match step.next_found() {
            Some(Fact::Desk(DeskFact::GameRated { seats, .. })) => seats,
            _ => &[],
        };
        let rating_of = |seat: &Seat| {
            let entry = self.entries.get(&seat.homologation);
            entry.and_then(|entry| entry.ratings.get(&board)).copied().unwrap_or(NEW)
        };
        let before: Vec<Rating> = room.terms.seats.iter().map(rating_of).collect();
        let mut seats = Vec::new();
        for ((own, seat), side) in room.players().zip(&room.terms.seats).zip(&room.seats) {
            let Some(entry) =
                self.entries.get_mut(&seat.homologation).filter(|entry| entry.voided_at.is_none())
            else {
                continue;
            };
            let met: Vec<(Rating, u8)> = room
                .players()
                .zip(&before)
                .filter(|(other, _)| *other != own)
                .map(|(other, rating)| (*rating, against(result, own, other)))
                .collect();
            let Some(rating) = before.get(own.index()) else { continue };
            let half_points = score(result, own);
            let told =
                told.iter().find(|told| told.homologation == seat.homologation).map(|told| &told.rating);
            let rating = glicko::after(rating, &met, half_points, side.strikes, told);
            entry.ratings.insert(board, rating);
            seats.push(RatedSeat {
                homologation: seat.homologation,
                agent: seat.agent,
                rating,
                half_points,
                strikes: side.strikes,
            });
        }
        if !seats.is_empty() {
            step.facts.push(Fact::Desk(DeskFact::GameRated {
                at: step.at,
                game: room.id,
                variant: board,
                seats,
            }));
        }
    }
}

/// What the whole game is for a player in half points: a shared first place is a win.
fn score(result: &GameResult, own: Player) -> u8 {
    if result.draw {
        1
    } else if result.winners.contains(&own) {
        2
    } else {
        0
    }
}

/// The score of a player against another in half points, by their places where there are places.
fn against(result: &GameResult, own: Player, other: Player) -> u8 {
    let Some(places) = &result.places else { return score(result, own) };
    let place = |player: Player| places.get(player.index());
    match place(own).cmp(&place(other)) {
        std::cmp::Ordering::Less => 2,
        std::cmp::Ordering::Equal => 1,
        std::cmp::Ordering::Greater => 0,
    }
}

/// A rating before the first game (decision 10).
const NEW: Rating = Rating {
    rating: 150_000,
    rd: 35_000,
    volatility: 60_000_000,
    games_played: 0,
    wins: 0,
    draws: 0,
    losses: 0,
    strikes: 0,
};

fn no_season() -> hall_core::SeasonId {
    hall_core::SeasonId::parse("none").expect("a season may have this name")
}

fn started_data(room: &Room) -> serde_json::Value {
    let terms = &room.terms;
    let seats: Vec<_> = (0..)
        .zip(&terms.seats)
        .map(|(place, seat)| {
            json!({
                "player": player(Player::new(place)),
                "agent_id": text::id('a', seat.agent.as_bytes()),
                "handle": seat.handle.as_str(),
                "pubkey_ed25519": text::hex(seat.key.as_bytes()),
                "homologation_id": text::id('h', seat.homologation.as_bytes()),
            })
        })
        .collect();
    json!({
        "game": terms.variant.game.as_str(),
        "variant": terms.variant.variant.as_str(),
        "division": words::division(terms.division),
        "season_id": terms.season.as_str(),
        "seats": seats,
        "ruleset_version": terms.ruleset_version.as_str(),
        "commitment": text::digest(&terms.commitment),
        "beacon": {
            "chain_hash": terms.beacon.map(|terms| text::digest(&terms.chain_hash)),
            "round": terms.beacon.map(|terms| terms.round),
            "status": if terms.beacon.is_some() { "waiting" } else { "off" },
        },
        "move_ms": terms.timing.move_time.as_millis(),
        "side_ms": terms.timing.side_time.map(Span::as_millis),
        "turn_index": 0,
        "to_move": terms.to_move.iter().map(player).collect::<Vec<_>>(),
        "deadline_utc": time(room.deadline()),
    })
}
