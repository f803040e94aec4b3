//! What an agent makes of the answers that it gets, and of those that are lost.

use super::playing::plain;
use super::{Reaction, VirtualAgent};
use crate::protocol::{AgentRequest, AnswerBrief, MoveRequest, MoveText, RoomBrief, SendMode};
use hall_wire::{Notation, Timestamp};

/// How often a move is sent again whose answer was lost.
const RESENDS: u8 = 3;

impl VirtualAgent {
    /// Handles an answer, or its absence.
    pub(super) fn hear(
        &mut self,
        now: Timestamp,
        what: &AgentRequest,
        mode: SendMode,
        answer: &AnswerBrief,
        reaction: &mut Reaction,
    ) {
        match answer {
            AnswerBrief::Registered => {
                self.registered = true;
                self.seek_game(reaction);
            }
            AnswerBrief::Filed { unchanged } => {
                if let AgentRequest::File(filing) = what {
                    self.filed.insert(filing.division);
                    if !unchanged {
                        self.waits.retain(|lobby| lobby.division != filing.division);
                    }
                    if self.tables.len() < self.profile.games_wanted {
                        let lobby = self.lobby(filing.division);
                        reaction.now(AgentRequest::Join(lobby));
                    }
                }
            }
            AnswerBrief::Joined { game } => {
                if let AgentRequest::Join(lobby) = what {
                    self.note_waiting(lobby, game.is_none());
                }
            }
            AnswerBrief::Left => {
                if let AgentRequest::Leave(lobby) = what {
                    self.note_waiting(lobby, false);
                }
            }
            AnswerBrief::Games(games) => {
                self.tables.retain(|game, _| games.iter().any(|brief| brief.game == *game));
                for brief in games.iter().filter(|brief| brief.mine) {
                    let table = self.tables.entry(brief.game).or_default();
                    // Also a turn that it knows of: its move may have been lost.
                    let stuck =
                        table.turn == Some(brief.turn_index) && !self.dice.permille(self.profile.sleeps);
                    if table.turn.is_none_or(|known| known < brief.turn_index) || stuck {
                        (table.turn, table.resent, table.deadline) =
                            (Some(brief.turn_index), 0, brief.deadline);
                        self.take_turn(now, brief.game, brief.turn_index, reaction);
                    }
                }
            }
            AnswerBrief::View(view) => self.consider(now, view, reaction),
            AnswerBrief::Moved { ended, .. } => {
                if let AgentRequest::Move(what) = what {
                    let table = self.tables.entry(what.game).or_default();
                    table.plies += 1;
                    if *ended {
                        self.tables.remove(&what.game);
                        self.seek_game(reaction);
                    } else if self.dice.permille(self.profile.early) {
                        let (game, turn_index) = (what.game, what.turn_index + 1);
                        reaction.now(AgentRequest::Move(plain(game, turn_index, MoveText::Index(0))));
                    } else if self.dice.permille(self.profile.plans) {
                        let ahead = u32::try_from(self.dice.between(1, 3)).unwrap_or(1);
                        let (game, turn_index) = (what.game, what.turn_index + ahead);
                        let planned = plain(game, turn_index, MoveText::Index(0));
                        self.tables.entry(game).or_default().planned = Some(planned.clone());
                        reaction.now(AgentRequest::Move(planned));
                    }
                }
            }
            AnswerBrief::Posted | AnswerBrief::Challenged => {}
            AnswerBrief::Refused { code, report } => {
                self.refused(now, what, mode, code, report.as_deref(), reaction)
            }
            AnswerBrief::Lost => self.lost(what, mode, reaction),
        }
    }

    fn refused(
        &mut self,
        now: Timestamp,
        what: &AgentRequest,
        mode: SendMode,
        code: &str,
        report: Option<&RoomBrief>,
        reaction: &mut Reaction,
    ) {
        match (what, code) {
            // A registration whose answer was lost, or one that it forgot.
            (AgentRequest::Register(_), "HANDLE_TAKEN" | "KEY_ALREADY_REGISTERED") => {
                self.registered = true;
                reaction.now(AgentRequest::MyGames);
                self.seek_game(reaction);
            }
            (_, "AUTH_UNKNOWN_AGENT") if mode == SendMode::Honest => self.registered = false,
            (AgentRequest::Join(lobby), "NOT_HOMOLOGATED") => {
                self.filed.remove(&lobby.division);
                self.file(lobby.division, reaction);
            }
            (AgentRequest::Join(lobby), "ALREADY_IN_LOBBY") => {
                self.note_waiting(lobby, true);
            }
            (AgentRequest::Leave(lobby), "NOT_IN_LOBBY") => {
                self.note_waiting(lobby, false);
            }
            (AgentRequest::Move(what), "GAME_NOT_LIVE" | "GAME_NOT_FOUND" | "NOT_SEATED") => {
                self.tables.remove(&what.game);
            }
            (AgentRequest::View(game), "GAME_NOT_FOUND" | "NOT_SEATED") => {
                self.tables.remove(game);
            }
            (AgentRequest::Move(what), "ILLEGAL_MOVE") if report.is_some_and(|report| report.live) => {
                self.after_illegal(what, report.and_then(|report| report.legal.as_deref()), reaction);
            }
            // The honest move after a forged one or after a mistaken body is still to be made.
            (AgentRequest::Move(what), code)
                if mode != SendMode::Honest
                    || matches!(code, "INVALID_BODY" | "NO_DRAW_OFFER" | "DRAW_OFFER_IMPOSSIBLE") =>
            {
                self.take_turn(now, what.game, what.turn_index, reaction);
            }
            _ => {}
        }
    }

    fn after_illegal(&mut self, what: &MoveRequest, legal: Option<&[Notation]>, reaction: &mut Reaction) {
        let table = self.tables.entry(what.game).or_default();
        if table.turn != Some(what.turn_index) {
            return;
        }
        if table.stubborn > 0 {
            table.stubborn -= 1;
            let text = self.nonsense();
            return reaction.now(AgentRequest::Move(plain(what.game, what.turn_index, text)));
        }
        match legal.and_then(|legal| self.dice.pick(legal)) {
            Some(notation) => {
                let text = MoveText::Text(notation.as_str().to_owned());
                reaction.now(AgentRequest::Move(plain(what.game, what.turn_index, text)));
            }
            None => reaction.now(AgentRequest::View(what.game)),
        }
    }

    fn lost(&mut self, what: &AgentRequest, mode: SendMode, reaction: &mut Reaction) {
        match what {
            AgentRequest::Move(what) => {
                let Some(table) = self.tables.get_mut(&what.game) else { return };
                table.resent += 1;
                if table.resent > RESENDS {
                    reaction.now(AgentRequest::MyGames);
                } else if mode == SendMode::Honest {
                    // It has no idea of the outcome, and asks for the same again.
                    reaction.now(AgentRequest::Move(what.clone()));
                } else {
                    reaction.now(AgentRequest::View(what.game));
                }
            }
            AgentRequest::View(game) if self.tables.get(game).is_some_and(|table| table.resent < RESENDS) => {
                self.tables.entry(*game).or_default().resent += 1;
                reaction.now(what.clone());
            }
            AgentRequest::View(_)
            | AgentRequest::Challenge
            | AgentRequest::Register(_)
            | AgentRequest::File(_)
            | AgentRequest::Join(_)
            | AgentRequest::Leave(_)
            | AgentRequest::MyGames
            | AgentRequest::Post(..) => {}
        }
    }
}
