//! Joining and leaving lobbies, the scheduled sweep, and the forming of games.

use super::lobbies::{Line, Ticket};
use super::pairing::plan;
use super::{Agent, Desk, Scene};
use crate::command::{Caller, JoinLobby};
use crate::decision::{Decision, Effect};
use crate::entropy::Entropy;
use crate::fact::{Fact, LeaveCause};
use crate::names::{Board, Lobby, SeasonId, Word};
use crate::rejection::Rejection;
use crate::reply::Reply;
use crate::rooms::{self, NewGame, Seat};
use crate::rules::{Rules, Timing};
use alloc::vec;
use alloc::vec::Vec;
use hall_games::{Description, Game};
use hall_wire::draw::Seed;
use hall_wire::{AgentId, GameId, Span, Timestamp, id, message};

/// Games that one decision forms at most, so that none takes long.
///
/// Decision: 256. More can be formed at once only after a cap was raised; a due sweep goes on until nobody is
/// left to be paired.
const GAMES_AT_ONCE: usize = 256;

/// The shortest time between two scheduled sweeps.
///
/// Decision: one second, also where the setting is zero.
const SHORTEST_SWEEP: Span = Span::from_secs(1);

/// The variant that every game has.
const STANDARD: &str = "standard";

impl Desk {
    /// Puts the caller into a lobby and pairs that lobby at once (specification 3). The checks come in this
    /// order: catalog, standing homologation, already waiting, live games, daily joins.
    pub(super) fn join(
        &self,
        scene: &Scene<'_>,
        who: Caller,
        asked: &JoinLobby,
        entropy: &mut dyn Entropy,
    ) -> Result<Decision, Rejection> {
        let caller = self.caller(who)?;
        let agent = caller.id;
        let (lobby, game) = find_lobby(scene, asked)?;
        let (number, _) = self.seasons.open().ok_or(Rejection::NotHomologated)?;
        self.entries.standing(agent, number, lobby.division).ok_or(Rejection::NotHomologated)?;
        if self.lobbies.is_waiting(&agent, lobby) {
            return Err(Rejection::AlreadyInLobby);
        }
        if !self.is_under_cap(&agent, scene.rules) {
            return Err(Rejection::QuotaConcurrent);
        }
        if self.joins_left(&agent, scene.at, scene.rules) == Some(0) {
            return Err(Rejection::QuotaJoins { retry_after: until_next_day(scene.at) });
        }
        let groups = self.pairable(scene.rules, lobby, game.describe().min_players, Some(caller));
        let mut facts = vec![Fact::LobbyJoined { at: scene.at, agent, lobby }];
        let mut effects = Vec::new();
        let mut joined = None;
        for group in groups {
            let has_caller = group.contains(&agent);
            let (id, fact, told) = self.form(scene, lobby, game, &group, entropy)?;
            joined = joined.or(has_caller.then_some(id));
            facts.push(fact);
            effects.extend(told);
        }
        Ok(Decision { answer: Ok(Reply::Joined { lobby, game: joined }), facts, effects })
    }

    /// Takes the caller out of a lobby.
    pub(super) fn leave(
        &self,
        scene: &Scene<'_>,
        who: Caller,
        asked: &JoinLobby,
    ) -> Result<Decision, Rejection> {
        let agent = self.caller(who)?.id;
        let (lobby, _) = find_lobby(scene, asked)?;
        if !self.lobbies.is_waiting(&agent, lobby) {
            return Err(Rejection::NotInLobby);
        }
        let fact = Fact::LobbyLeft { at: scene.at, agent, lobby, cause: LeaveCause::Left };
        Ok(Decision::grant(Reply::Left { lobby }, vec![fact]))
    }

    /// When a sweep is due: forms the games of the first lobby that has pairable agents, or notes that none has.
    /// `None` before that time. The caller applies the facts and asks again.
    #[must_use]
    pub fn sweep(&self, scene: &Scene<'_>, entropy: &mut dyn Entropy) -> Option<Decision> {
        if scene.at < self.next_sweep(scene.rules) {
            return None;
        }
        for (lobby, _) in self.lobbies.counts() {
            // A game that has left the catalog is not begun any more.
            let Some(game) = scene.catalog.find(lobby.board.game.as_str()) else { continue };
            let groups = self.pairable(scene.rules, lobby, game.describe().min_players, None);
            if groups.is_empty() {
                continue;
            }
            let (mut facts, mut effects) = (Vec::new(), Vec::new());
            for group in groups {
                let Ok((_, fact, told)) = self.form(scene, lobby, game, &group, entropy) else { continue };
                facts.push(fact);
                effects.extend(told);
            }
            return Some(Decision { answer: Ok(Reply::Done), facts, effects });
        }
        Some(Decision::grant(Reply::Done, vec![Fact::LobbiesSwept { at: scene.at }]))
    }

    /// When the next scheduled sweep is due.
    #[must_use]
    pub fn next_sweep(&self, rules: &Rules) -> Timestamp {
        self.last_sweep + rules.sweep_every.max(SHORTEST_SWEEP)
    }

    /// The games that can be formed in a lobby, as if `joiner` waited there last.
    fn pairable(&self, rules: &Rules, lobby: Lobby, seats: u8, joiner: Option<&Agent>) -> Vec<Vec<AgentId>> {
        let no_line = Line::new();
        let joiner = joiner.map(|agent| (agent.operator, (self.lobbies.next_ticket(), agent.id)));
        let is_alone = |operator| self.lobbies.lines(lobby).all(|(known, _)| *known != operator);
        let alone = joiner.filter(|(operator, _)| is_alone(*operator)).map(|(operator, _)| operator);
        let lines = self.lobbies.lines(lobby).chain(alone.iter().map(|operator| (operator, &no_line)));
        let candidates = lines.map(|(operator, line)| {
            let last: Option<(Ticket, AgentId)> =
                joiner.filter(|(own, _)| own == operator).map(|(_, last)| last);
            let waiting = line.iter().map(|(ticket, agent)| (*ticket, *agent));
            waiting.filter(|(_, agent)| self.is_under_cap(agent, rules)).chain(last)
        });
        plan(candidates, usize::from(seats), GAMES_AT_ONCE)
    }

    /// Begins a game between agents that wait in `lobby`.
    fn form(
        &self,
        scene: &Scene<'_>,
        lobby: Lobby,
        game: &'static dyn Game,
        agents: &[AgentId],
        entropy: &mut dyn Entropy,
    ) -> Result<(GameId, Fact, Vec<Effect>), Rejection> {
        let (_, season) = self.seasons.open().ok_or(Rejection::NotHomologated)?;
        let (mut random, mut seed) = ([0; 10], [0; 32]);
        entropy.fill(&mut random);
        entropy.fill(&mut seed);
        let id = GameId::from_bytes(id::time_ordered(scene.at, random));
        let seats = self.seats(id, lobby, season, agents)?;
        let (fact, effects) = rooms::start(NewGame {
            id,
            at: scene.at,
            board: lobby.board,
            division: lobby.division,
            season,
            seats,
            seed: Seed::from_bytes(seed),
            timing: timing(scene.rules, lobby.board.game, &game.describe()),
            beacon: scene.rules.beacon.as_ref(),
            game,
        });
        Ok((id, fact, effects))
    }

    /// The seats in order: who had the first seat of this game less often goes first, in a tie the lower hash.
    fn seats(
        &self,
        id: GameId,
        lobby: Lobby,
        season: &SeasonId,
        agents: &[AgentId],
    ) -> Result<Vec<Seat>, Rejection> {
        let mut ordered = Vec::with_capacity(agents.len());
        for agent in agents {
            let entry = self.standing(agent, season, lobby.division).ok_or(Rejection::NotHomologated)?;
            let agent = self.roll.find(agent).ok_or(Rejection::AgentNotFound)?;
            let seat = Seat {
                agent: agent.id,
                handle: agent.handle.clone(),
                key: agent.key,
                homologation: entry.id,
            };
            let had = self.activities.first_seats(&agent.id, lobby.board.game);
            ordered.push((had, message::seat_hash(&id, &agent.handle), seat));
        }
        ordered.sort_by_key(|(had, hash, _)| (*had, *hash));
        Ok(ordered.into_iter().map(|(_, _, seat)| seat).collect())
    }

    fn is_under_cap(&self, agent: &AgentId, rules: &Rules) -> bool {
        let cap = usize::try_from(rules.concurrent_games).unwrap_or(usize::MAX);
        cap == 0 || self.activities.live(agent).len() < cap
    }
}

/// The lobby asked for, and its game.
fn find_lobby(scene: &Scene<'_>, asked: &JoinLobby) -> Result<(Lobby, &'static dyn Game), Rejection> {
    let game = scene.catalog.find(&asked.game).ok_or(Rejection::GameUnknown)?;
    let word = Word::parse(&asked.game).ok_or(Rejection::GameUnknown)?;
    let is_known = asked.variant == STANDARD || game.describe().variants.contains(&asked.variant.as_str());
    let variant = Word::parse(&asked.variant).filter(|_| is_known).ok_or(Rejection::VariantUnknown)?;
    Ok((Lobby { board: Board { game: word, variant }, division: asked.division }, game))
}

/// The clocks of a game: as set, or as the game has them by itself.
fn timing(rules: &Rules, game: Word, description: &Description) -> Timing {
    let own = Timing {
        move_time: description.move_time,
        side_time: (description.side_time != Span::ZERO).then_some(description.side_time),
    };
    rules.timing.get(&game).copied().unwrap_or(own)
}

/// Time until the next UTC day.
pub(super) fn until_next_day(at: Timestamp) -> Span {
    const DAY: i64 = 86_400_000;
    Timestamp::from_millis((at.utc_day() + 1) * DAY).since(at)
}
