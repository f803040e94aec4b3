//! Joining and leaving lobbies, the scheduled sweep, and the forming of games.

use super::pairing::plan;
use crate::command::Caller;
use crate::decision::{Decision, Effect};
use crate::desk::context::DeskContext;
use crate::desk::fact::{DeskFact, LeaveCause};
use crate::desk::lobbies::{Queue, QueuePosition};
use crate::desk::lobby::{JoinLobby, Lobby};
use crate::desk::registry::Agent;
use crate::desk::state::Desk;
use crate::entropy::Entropy;
use crate::fact::Fact;
use crate::rejection::Rejection;
use crate::reply::Reply;
use crate::settings::HallSettings;
use alloc::vec;
use alloc::vec::Vec;
use hall_games::{Description, Game};
use hall_rooms::{GameVariant, NewGame, SeasonId, Seat, Timing, Word};
use hall_wire::roll::Seed;
use hall_wire::{AgentId, GameId, Span, Timestamp, id, message};

/// The most games that one decision forms, so that none takes long.
///
/// Decision: 256. More can be due at the same time only after a cap was raised; a due sweep continues until nobody is
/// left to be paired.
const GAMES_AT_ONCE: usize = 256;

/// The shortest time between two scheduled sweeps.
///
/// Decision: one second, also where the setting is zero.
const SHORTEST_SWEEP: Span = Span::from_secs(1);

impl Desk {
    /// Puts the caller into a lobby and immediately pairs that lobby (specification 3). The checks come in this order:
    /// catalog, standing homologation, already waiting, live games, daily joins.
    pub(super) fn join(
        &self,
        context: &DeskContext<'_>,
        who: Caller,
        asked: &JoinLobby,
        entropy: &mut dyn Entropy,
    ) -> Result<Decision, Rejection> {
        let caller = self.caller(who)?;
        let agent = caller.id;
        let (lobby, game) = find_lobby(context, asked)?;
        let (number, _) = self.seasons.open().ok_or(Rejection::NotHomologated)?;
        self.entries.standing(agent, number, lobby.division).ok_or(Rejection::NotHomologated)?;
        if self.lobbies.is_waiting(&agent, lobby) {
            return Err(Rejection::AlreadyInLobby);
        }
        if self.games_left(&agent, context.settings) == Some(0) {
            return Err(Rejection::QuotaConcurrent);
        }
        if self.joins_left(&agent, context.at, context.settings) == Some(0) {
            return Err(Rejection::QuotaJoins { retry_after: until_next_day(context.at) });
        }
        let groups = self.pairable(context.settings, lobby, seats_of(game, lobby), Some(caller));
        let mut facts = vec![Fact::Desk(DeskFact::LobbyJoined { at: context.at, agent, lobby })];
        let mut effects = Vec::new();
        let mut joined = None;
        for group in groups {
            let has_caller = group.contains(&agent);
            let (id, begun, told) = self.form(context, lobby, game, &group, entropy)?;
            joined = joined.or(has_caller.then_some(id));
            facts.extend(begun);
            effects.extend(told);
        }
        Ok(Decision { answer: Ok(Reply::Joined { lobby, game: joined }), facts, effects })
    }

    /// Takes the caller out of a lobby.
    pub(super) fn leave(
        &self,
        context: &DeskContext<'_>,
        who: Caller,
        asked: &JoinLobby,
    ) -> Result<Decision, Rejection> {
        let agent = self.caller(who)?.id;
        let (lobby, _) = find_lobby(context, asked)?;
        if !self.lobbies.is_waiting(&agent, lobby) {
            return Err(Rejection::NotInLobby);
        }
        let fact = Fact::Desk(DeskFact::LobbyLeft { at: context.at, agent, lobby, cause: LeaveCause::Left });
        Ok(Decision::grant(Reply::Left { lobby }, vec![fact]))
    }

    /// When a sweep is due: forms the games of the first lobby that has pairable agents, or notes that none has.
    /// `None` before that time. The caller applies the facts and asks again.
    #[must_use]
    pub fn sweep(&self, context: &DeskContext<'_>, entropy: &mut dyn Entropy) -> Option<Decision> {
        if context.at < self.next_sweep(context.settings) {
            return None;
        }
        for (lobby, _) in self.lobbies.counts() {
            // A game that has left the catalog is no longer begun.
            let Some(game) = context.catalog.find(lobby.variant.game.as_str()) else { continue };
            let groups = self.pairable(context.settings, lobby, seats_of(game, lobby), None);
            if groups.is_empty() {
                continue;
            }
            let (mut facts, mut effects) = (Vec::new(), Vec::new());
            for group in groups {
                let Ok((_, begun, told)) = self.form(context, lobby, game, &group, entropy) else { continue };
                facts.extend(begun);
                effects.extend(told);
            }
            return Some(Decision { answer: Ok(Reply::Done), facts, effects });
        }
        Some(Decision::grant(Reply::Done, vec![Fact::Desk(DeskFact::LobbiesSwept { at: context.at })]))
    }

    /// When the next scheduled sweep is due.
    #[must_use]
    pub fn next_sweep(&self, settings: &HallSettings) -> Timestamp {
        self.last_sweep + settings.sweep_every.max(SHORTEST_SWEEP)
    }

    /// The games that can be formed in a lobby, as if `joiner` waited there last.
    fn pairable(
        &self,
        settings: &HallSettings,
        lobby: Lobby,
        seats: u8,
        joiner: Option<&Agent>,
    ) -> Vec<Vec<AgentId>> {
        let no_queue = Queue::new();
        let joiner = joiner.map(|agent| (agent.operator, (self.lobbies.next_position(), agent.id)));
        let is_alone = |operator| self.lobbies.queues(lobby).all(|(known, _)| *known != operator);
        let alone = joiner.filter(|(operator, _)| is_alone(*operator)).map(|(operator, _)| operator);
        let queues = self.lobbies.queues(lobby).chain(alone.iter().map(|operator| (operator, &no_queue)));
        let candidates = queues.map(|(operator, queue)| {
            let last: Option<(QueuePosition, AgentId)> =
                joiner.filter(|(own, _)| own == operator).map(|(_, last)| last);
            let waiting = queue.iter().map(|(position, agent)| (*position, *agent));
            waiting.filter(|(_, agent)| self.games_left(agent, settings) != Some(0)).chain(last)
        });
        plan(candidates, usize::from(seats), GAMES_AT_ONCE)
    }

    /// Begins a game between agents that wait in `lobby`.
    fn form(
        &self,
        context: &DeskContext<'_>,
        lobby: Lobby,
        game: &'static dyn Game,
        agents: &[AgentId],
        entropy: &mut dyn Entropy,
    ) -> Result<(GameId, Vec<Fact>, Vec<Effect>), Rejection> {
        let (_, season) = self.seasons.open().ok_or(Rejection::NotHomologated)?;
        let (mut random, mut seed) = ([0; 10], [0; 32]);
        entropy.fill(&mut random);
        entropy.fill(&mut seed);
        let id = GameId::from_bytes(id::time_ordered(context.at, random));
        let seats = self.seats(id, lobby, season, agents)?;
        let (facts, notices) = hall_rooms::start(NewGame {
            id,
            at: context.at,
            variant: lobby.variant,
            division: lobby.division,
            season,
            seats,
            seed: Seed::from_bytes(seed),
            timing: timing(context.settings, lobby.variant.game, &game.describe()),
            beacon: context.settings.beacon.as_ref(),
            game,
        });
        let effects = notices.into_iter().filter_map(Effect::of).collect();
        Ok((id, facts.into_iter().map(Fact::Room).collect(), effects))
    }

    /// The seats in order: the agent that had the first seat of this game less often comes first; in a tie, the one
    /// with the lower hash.
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
            let agent = self.registry.find(agent).ok_or(Rejection::AgentNotFound)?;
            let seat = Seat {
                agent: agent.id,
                handle: agent.handle.clone(),
                key: agent.key,
                homologation: entry.id,
            };
            let had = self.activities.first_seats(&agent.id, lobby.variant.game);
            ordered.push((had, message::seat_hash(&id, &agent.handle), seat));
        }
        ordered.sort_by_key(|(had, hash, _)| (*had, *hash));
        Ok(ordered.into_iter().map(|(_, _, seat)| seat).collect())
    }
}

/// The lobby asked for, and its game.
fn find_lobby(context: &DeskContext<'_>, asked: &JoinLobby) -> Result<(Lobby, &'static dyn Game), Rejection> {
    let game = context.catalog.find(&asked.game).ok_or(Rejection::GameUnknown)?;
    let word = Word::parse(&asked.game).ok_or(Rejection::GameUnknown)?;
    let is_known = game.describe().players_of(&asked.variant).is_some();
    let variant = Word::parse(&asked.variant).filter(|_| is_known).ok_or(Rejection::VariantUnknown)?;
    Ok((Lobby { variant: GameVariant { game: word, variant }, division: asked.division }, game))
}

/// The seats of a table of this lobby: the fewest that its variant is played by.
fn seats_of(game: &dyn Game, lobby: Lobby) -> u8 {
    let described = game.describe();
    described.players_of(lobby.variant.variant.as_str()).unwrap_or(described.players).min
}

/// The clocks of a game: those of the settings, or else the game's defaults.
fn timing(settings: &HallSettings, game: Word, description: &Description) -> Timing {
    let own = Timing {
        move_time: description.move_time,
        side_time: (description.side_time != Span::ZERO).then_some(description.side_time),
    };
    settings.timing.get(&game).copied().unwrap_or(own)
}

/// Time until the next UTC day.
pub(super) fn until_next_day(at: Timestamp) -> Span {
    const DAY: i64 = 86_400_000;
    Timestamp::from_millis((at.utc_day() + 1) * DAY).since(at)
}
