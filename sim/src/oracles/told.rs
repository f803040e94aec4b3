//! M16, M17, L14 and L15: what an answer says is what was decided. C4: a rated game counts once for each of its seats.

use super::ledger::{Game, Ledger};
use super::{Family, Violations};
use crate::direct::Observed;
use hall_core::desk::Rating;
use hall_core::rooms::{ForcedCause, GameVariant, RoomChange, RoomFact, SealedAction, TurnBrief, TurnStatus};
use hall_core::{
    Caller, Choice, Command, DeskCommand, DeskFact, Effect, Fact, MoveSubmission, RatedSeat, Rejection,
    Reply, RoomCommand, RoomRejection, RoomReply,
};
use hall_games::GameResult;
use hall_wire::{AgentId, Digest, GameId, HomologationId, Notation, Player, Span, Timestamp};
use serde_json::Value;
use std::collections::BTreeMap;

/// From the second illegal move of a turn on a refusal lists the legal moves.
const LISTED_FROM: u8 = 2;

/// How each entry stands on each board, by the rated games so far.
#[derive(Clone, Default)]
pub(super) struct Told {
    standings: BTreeMap<(HomologationId, GameVariant), Rating>,
}

impl Family for Told {
    fn fact(&mut self, fact: &Fact, _: &Observed, ledger: &Ledger, violations: &mut Violations) {
        if let Fact::Desk(DeskFact::GameRated { at, game, variant, seats }) = fact {
            let counted = seats.iter().all(|seat| {
                let before = self.standings.insert((seat.homologation, *variant), seat.rating);
                counts(&before.unwrap_or(Rating::NEW), seat)
            });
            let holds = counted && ledger.games.get(game).is_some_and(|game| seats_of(game, seats, ledger));
            violations.require(holds, "C4", *at, || format!("game {game} counts as {seats:?}"));
        }
    }

    fn after(&mut self, observed: &Observed, ledger: &Ledger, violations: &mut Violations) {
        let Observed { at, what, who, decision, .. } = observed;
        match (what, who, &decision.answer) {
            (Command::Room(RoomCommand::Submit(asked)), Caller::Agent(_), Ok(reply)) => {
                let holds = is_move_taken(reply, asked, observed, ledger);
                violations.require(holds, "M16", *at, || format!("{asked:?} is answered with {reply:?}"));
            }
            (Command::Room(RoomCommand::Submit(asked)), Caller::Agent(agent), Err(rejection)) => {
                if let (Some(status), Some(game)) = (status_of(rejection), ledger.games.get(&asked.game)) {
                    let counted = matches!(rejection, Rejection::Room(RoomRejection::IllegalMove(_)));
                    let wrong = wrong_in(status, game, game.player_of(agent), counted.then_some(asked));
                    let text = || format!("{wrong:?} of game {} is told wrongly: {status:?}", game.id);
                    violations.require(wrong.is_none(), "M17", *at, text);
                }
            }
            (Command::Desk(command), _, Ok(reply)) => {
                let holds = is_granted(command, *who, reply, observed, ledger);
                violations.require(holds, "L14", *at, || format!("{command:?} is answered with {reply:?}"));
            }
            (Command::Desk(_), _, Err(rejection)) => {
                let wait = match rejection {
                    Rejection::QuotaJoins { retry_after } | Rejection::FeedbackQuota { retry_after } => {
                        Some(*retry_after)
                    }
                    _ => None,
                };
                let holds = wait.is_none_or(|wait| wait == until_midnight(*at));
                violations.require(holds, "L15", *at, || format!("{rejection:?} is not until midnight"));
            }
            (Command::Governance(_), _, Ok(Reply::DocketEntered { id })) => {
                let text = || format!("docket entry {id} of {}", ledger.docket);
                violations.require(*id == ledger.docket, "L14", *at, text);
            }
            _ => {}
        }
        effects(observed, ledger, violations);
    }
}

/// An effect comes once, and a held answer is that to a third illegal move.
fn effects(observed: &Observed, ledger: &Ledger, violations: &mut Violations) {
    let effects = &observed.decision.effects;
    let twice = effects
        .iter()
        .enumerate()
        .find(|(place, effect)| effects.iter().take(*place).any(|it| it == *effect));
    violations.require(twice.is_none(), "M16", observed.at, || format!("{twice:?} comes twice"));
    for effect in effects {
        let Effect::DeferredAnswer { game, answer, .. } = effect else { continue };
        let Some(game) = ledger.games.get(game) else { continue };
        let status = answer.as_ref().as_ref().err().and_then(status_of);
        let text = || format!("the answer that waited in game {} is {answer:?}", game.id);
        let holds = status.is_some_and(|status| status.game == game.id && status.turn_index == game.turn);
        violations.require(holds, "M17", observed.at, text);
    }
}

const fn status_of(rejection: &Rejection) -> Option<&TurnStatus> {
    match rejection {
        Rejection::Room(
            RoomRejection::GameNotLive(status)
            | RoomRejection::WrongTurn(status)
            | RoomRejection::IllegalMove(status)
            | RoomRejection::NoDrawOffer(status),
        ) => Some(status),
        _ => None,
    }
}

/// Whether an accepted move is answered with the turn that it resolved, or is told to wait.
fn is_move_taken(reply: &Reply, asked: &MoveSubmission, observed: &Observed, ledger: &Ledger) -> bool {
    let game = ledger.games.get(&asked.game);
    match reply {
        Reply::Room(RoomReply::MoveTaken { turn_index, notation, state_hash, result }) => {
            let Caller::Agent(agent) = observed.who else { return false };
            let Some(player) = game.and_then(|game| game.player_of(&agent)) else { return false };
            let (done, ended) = done_in(asked, player, observed);
            let same = done == Some((*notation, *state_hash));
            same && *turn_index == asked.turn_index && result.as_ref() == ended
        }
        Reply::Room(RoomReply::Deferred { game: waiting, turn_index }) => {
            let waits = game.is_some_and(|game| game.deferred.is_some() && game.turn == *turn_index);
            *waiting == asked.game && waits
        }
        _ => false,
    }
}

/// The move of a player in a turn, if one was applied, and the hash of the state after it, if the turn is resolved.
type Done = (Option<Notation>, Option<Digest>);

/// What a decision made of a request to move: the move of the player in this turn with the hash of the state after the
/// turn, if that is resolved, and the result if that is the game's end.
fn done_in<'a>(
    asked: &MoveSubmission,
    player: Player,
    observed: &'a Observed,
) -> (Option<Done>, Option<&'a GameResult>) {
    let own = |fact: &&RoomFact| fact.game == asked.game;
    let facts = observed.decision.facts.iter().filter_map(Fact::in_room).filter(own);
    let (mut done, mut hash, mut ended) = (None, None, None);
    for fact in facts {
        if let RoomChange::MoveSealed { turn_index, player: who, action, .. } = &fact.change
            && (*turn_index, *who) == (asked.turn_index, player)
        {
            done = Some(Some(action.notation));
        }
        if let RoomChange::Ended { result, .. } = &fact.change {
            ended = Some(result);
        }
        let resolution = fact.change.resolution();
        if let Some(resolution) = resolution.filter(|it| it.turn_index == asked.turn_index) {
            hash = Some(resolution.state_hash);
            done = if resolution.player == Some(player) { Some(resolution.notation) } else { done };
        }
    }
    (done.map(|notation| (notation, hash)), ended)
}

/// What a refused player is told wrongly of its game; `counted` is its illegal move, if it is refused for that.
fn wrong_in(
    status: &TurnStatus,
    game: &Game,
    player: Option<Player>,
    counted: Option<&MoveSubmission>,
) -> Option<&'static str> {
    let player = player?;
    let told = |brief: Option<TurnBrief>, known: Option<TurnBrief>| {
        let public = known.map(|known| {
            let shown =
                known.player.zip(known.notation).and_then(|(by, what)| game.position.disclosed(by, &what));
            // The hash of a sealed body is sealed with it.
            let body_sha256 = known.body_sha256.filter(|_| shown == known.notation);
            TurnBrief { notation: shown, body_sha256, ..known }
        });
        brief == known || brief == public
    };
    let turn = status.turn_index == game.turn && status.game == game.id;
    let movers = (0..).map(Player::new).take(game.terms.seats.len());
    let to_move = movers.clone().all(|it| status.to_move.contains(it) == game.is_to_move(it));
    let attempts = game.illegal_of(player);
    // The third one resolves the turn, and the count begins anew.
    let played = counted.is_some() && attempts == 0;
    let meant = counted.filter(|_| !played).and_then(|asked| match asked.choice {
        Some(Choice::Notation(notation)) => game.position.did_you_mean(player, &notation),
        Some(Choice::Unparsable) => {
            let inside = without_space(asked)?;
            let is_legal = game.position.notations(player).contains(&inside);
            if is_legal { Some(inside) } else { game.position.did_you_mean(player, &inside) }
        }
        Some(Choice::Index(_)) | None => None,
    });
    let lists = counted.is_some() && (played || attempts >= LISTED_FROM);
    let moves = || if game.is_to_move(player) { game.position.legal_moves(player) } else { Vec::new() };
    let last = game.last_turns.iter().max_by_key(|last| last.turn_index).copied();
    let own = game.last_turns.iter().find(|last| last.player == Some(player)).copied();
    let own = game.sealed.get(&player).map(|action| sealed_brief(game.turn, player, action)).or(own);
    let is_applied = |brief: &TurnBrief| {
        let forced = brief.forced == Some(ForcedCause::IllegalMoves) || game.vacated(player).is_some();
        let turn = counted.map(|asked| asked.turn_index);
        forced && Some(brief.turn_index) == turn && brief.player == Some(player)
    };
    let applied = status.applied.as_ref().map_or(!played, |brief| played && is_applied(brief));
    [
        (turn, "the turn"),
        (to_move, "who is to move"),
        (status.illegal_attempts == attempts, "the count of illegal moves"),
        (status.strikes.iter().copied().eq(movers.map(|it| game.strikes_of(it))), "the count of strikes"),
        (status.result == game.result, "the result"),
        (status.deadline == game.deadline(), "the deadline"),
        (told(status.last_move, last), "the last turn"),
        (told(status.your_last, own), "the player's own last turn"),
        (applied, "the move played for it"),
        (status.did_you_mean == meant, "what it meant"),
        (status.legal_moves == lists.then(moves), "the legal moves"),
    ]
    .into_iter()
    .find_map(|(holds, what)| (!holds).then_some(what))
}

/// The move that was signed, without the white space around it, if that is a notation.
fn without_space(asked: &MoveSubmission) -> Option<Notation> {
    let body: Value = serde_json::from_str(&asked.signed.as_ref()?.body).ok()?;
    Notation::parse(body.get("move")?.as_str()?.trim())
}

/// What a player has sealed, in brief.
fn sealed_brief(turn_index: u32, player: Player, action: &SealedAction) -> TurnBrief {
    TurnBrief {
        turn_index,
        player: Some(player),
        notation: Some(action.notation),
        forced: action.forced,
        body_sha256: action.body.as_ref().map(|body| body.sha256),
    }
}

/// Whether a grant of the desk says what was decided.
fn is_granted(
    command: &DeskCommand,
    who: Caller,
    reply: &Reply,
    observed: &Observed,
    ledger: &Ledger,
) -> bool {
    let facts = &observed.decision.facts;
    match (command, reply) {
        (DeskCommand::RegisterAgent(new), Reply::Registered { agent, operator }) => {
            (*agent, *operator) == (AgentId::of_key(&new.key), new.operator)
        }
        (
            DeskCommand::FileHomologation { agent, filing },
            Reply::Homologated { id, hash, division, season, voided_previous, unchanged },
        ) => {
            let filed = facts.iter().find_map(|fact| match fact {
                Fact::Desk(DeskFact::HomologationFiled { id, hash, voids, .. }) => Some((*id, *hash, *voids)),
                _ => None,
            });
            let standing = ledger.standing.get(&(*agent, season.clone(), filing.division)) == Some(id);
            let known = ledger.entries.get(id).is_some_and(|entry| entry.hash == *hash);
            let new = filed.is_none_or(|filed| filed == (*id, *hash, *voided_previous));
            let void = filed.is_some() || voided_previous.is_none();
            standing && known && new && void && *unchanged == filed.is_none() && *division == filing.division
        }
        (DeskCommand::JoinLobby(_), Reply::Joined { game, .. }) => {
            let Caller::Agent(agent) = who else { return false };
            *game == seated_in(facts, &agent)
        }
        (DeskCommand::LeaveLobby(_), Reply::Left { .. }) => true,
        (DeskCommand::PostFeedback(_), Reply::FeedbackTaken { remaining_today, .. }) => {
            let Caller::Agent(agent) = who else { return false };
            let quota = ledger.settings.as_ref().map_or(0, |settings| settings.feedback_per_day);
            let spent = Ledger::of_day(&ledger.posts, &agent, observed.at);
            *remaining_today == (quota > 0).then(|| quota.saturating_sub(spent))
        }
        _ => false,
    }
}

/// The game that begins with these facts and seats an agent.
fn seated_in(facts: &[Fact], agent: &AgentId) -> Option<GameId> {
    facts.iter().filter_map(Fact::in_room).find_map(|fact| match &fact.change {
        RoomChange::Started(terms) => {
            terms.seats.iter().any(|seat| seat.agent == *agent).then_some(fact.game)
        }
        _ => None,
    })
}

fn until_midnight(at: Timestamp) -> Span {
    const DAY: i64 = 86_400_000;
    Span::from_millis(u64::try_from(DAY - at.as_millis().rem_euclid(DAY)).unwrap_or(0))
}

/// Whether a standing counts one game more, by its score.
fn counts(before: &Rating, seat: &RatedSeat) -> bool {
    let after = &seat.rating;
    let more = |is: bool, count: u32| count + u32::from(is);
    after.games_played == before.games_played + 1
        && after.wins == more(seat.half_points == 2, before.wins)
        && after.draws == more(seat.half_points == 1, before.draws)
        && after.losses == more(seat.half_points == 0, before.losses)
        && after.strikes == before.strikes + u32::from(seat.strikes)
}

/// Whether these are the seats of a game whose entries stand, with their scores and strikes.
fn seats_of(game: &Game, rated: &[RatedSeat], ledger: &Ledger) -> bool {
    let Some(result) = &game.result else { return false };
    let score = |player: Player| match (result.winners.contains(&player), result.draw) {
        (true, _) => 2,
        (false, true) => 1,
        (false, false) => 0,
    };
    let seats = (0..).map(Player::new).zip(&game.terms.seats);
    let standing =
        seats.filter(|(_, seat)| ledger.entries.get(&seat.homologation).is_some_and(|entry| !entry.voided));
    let due = standing
        .map(|(player, seat)| (seat.homologation, seat.agent, score(player), game.strikes_of(player)));
    due.eq(rated.iter().map(|seat| (seat.homologation, seat.agent, seat.half_points, seat.strikes)))
}
