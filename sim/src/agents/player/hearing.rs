//! What an agent makes of the answers that it gets, and of those that are lost.

use super::playing::plain;
use super::{Player, Will};
use crate::protocol::{Manner, MoveText, MoveWish, RoomBrief, Told, Wish};
use hall_wire::{Notation, Timestamp};

/// How often a move is sent again whose answer was lost.
const RESENDS: u8 = 3;

impl Player {
    /// Takes in an answer, or that there is none.
    pub(super) fn hear(&mut self, now: Timestamp, wish: &Wish, manner: Manner, told: &Told, will: &mut Will) {
        match told {
            Told::Registered => {
                self.registered = true;
                self.seek_game(will);
            }
            Told::Filed { unchanged } => {
                if let Wish::File(filing) = wish {
                    self.filed.insert(filing.division);
                    if !unchanged {
                        self.waits.remove(&filing.division);
                    }
                    if self.tables.len() < self.profile.games_wanted {
                        will.now(Wish::Join(self.lobby(filing.division)));
                    }
                }
            }
            Told::Joined { game } => {
                if let Wish::Join(lobby) = wish {
                    if game.is_some() {
                        self.waits.remove(&lobby.division)
                    } else {
                        self.waits.insert(lobby.division)
                    };
                }
            }
            Told::Left => {
                if let Wish::Leave(lobby) = wish {
                    self.waits.remove(&lobby.division);
                }
            }
            Told::Games(games) => {
                self.tables.retain(|game, _| games.iter().any(|brief| brief.game == *game));
                for brief in games.iter().filter(|brief| brief.mine) {
                    let table = self.tables.entry(brief.game).or_default();
                    // Also a turn that it knows of: its move may have been lost.
                    let stuck =
                        table.turn == Some(brief.turn_index) && !self.dice.permille(self.profile.sleeps);
                    if table.turn.is_none_or(|known| known < brief.turn_index) || stuck {
                        (table.turn, table.resent, table.deadline) =
                            (Some(brief.turn_index), 0, brief.deadline);
                        self.take_turn(now, brief.game, brief.turn_index, will);
                    }
                }
            }
            Told::View(view) => self.consider(now, view, will),
            Told::Moved { ended, .. } => {
                if let Wish::Move(wish) = wish {
                    let table = self.tables.entry(wish.game).or_default();
                    table.plies += 1;
                    if *ended {
                        self.tables.remove(&wish.game);
                        self.seek_game(will);
                    } else if self.dice.permille(self.profile.early) {
                        let (game, turn_index) = (wish.game, wish.turn_index + 1);
                        will.now(Wish::Move(plain(game, turn_index, MoveText::Index(0))));
                    }
                }
            }
            Told::Posted | Told::Challenged => {}
            Told::Refused { code, report } => self.refused(now, wish, manner, code, report.as_deref(), will),
            Told::Lost => self.lost(wish, manner, will),
        }
    }

    fn refused(
        &mut self,
        now: Timestamp,
        wish: &Wish,
        manner: Manner,
        code: &str,
        report: Option<&RoomBrief>,
        will: &mut Will,
    ) {
        match (wish, code) {
            // A registration whose answer was lost, or one that it forgot.
            (Wish::Register(_), "HANDLE_TAKEN" | "KEY_ALREADY_REGISTERED") => {
                self.registered = true;
                will.now(Wish::MyGames);
                self.seek_game(will);
            }
            (_, "AUTH_UNKNOWN_AGENT") if manner == Manner::Honest => self.registered = false,
            (Wish::Join(lobby), "NOT_HOMOLOGATED") => {
                self.filed.remove(&lobby.division);
                self.file(lobby.division, will);
            }
            (Wish::Join(lobby), "ALREADY_IN_LOBBY") => {
                self.waits.insert(lobby.division);
            }
            (Wish::Leave(lobby), "NOT_IN_LOBBY") => {
                self.waits.remove(&lobby.division);
            }
            (Wish::Move(wish), "GAME_NOT_LIVE" | "GAME_NOT_FOUND" | "NOT_SEATED") => {
                self.tables.remove(&wish.game);
            }
            (Wish::View(game), "GAME_NOT_FOUND" | "NOT_SEATED") => {
                self.tables.remove(game);
            }
            (Wish::Move(wish), "ILLEGAL_MOVE") if report.is_some_and(|report| report.live) => {
                self.after_illegal(wish, report.and_then(|report| report.legal.as_deref()), will);
            }
            // The honest move behind a forged one is still to be made, and the one behind a mistaken body.
            (Wish::Move(wish), code)
                if manner != Manner::Honest || matches!(code, "INVALID_BODY" | "NO_DRAW_OFFER") =>
            {
                self.take_turn(now, wish.game, wish.turn_index, will);
            }
            _ => {}
        }
    }

    fn after_illegal(&mut self, wish: &MoveWish, legal: Option<&[Notation]>, will: &mut Will) {
        let table = self.tables.entry(wish.game).or_default();
        if table.turn != Some(wish.turn_index) {
            return;
        }
        if table.stubborn > 0 {
            table.stubborn -= 1;
            let text = self.nonsense();
            return will.now(Wish::Move(plain(wish.game, wish.turn_index, text)));
        }
        match legal.and_then(|legal| self.dice.pick(legal)) {
            Some(notation) => {
                let text = MoveText::Text(notation.as_str().to_owned());
                will.now(Wish::Move(plain(wish.game, wish.turn_index, text)));
            }
            None => will.now(Wish::View(wish.game)),
        }
    }

    fn lost(&mut self, wish: &Wish, manner: Manner, will: &mut Will) {
        match wish {
            Wish::Move(wish) => {
                let Some(table) = self.tables.get_mut(&wish.game) else { return };
                table.resent += 1;
                if table.resent > RESENDS {
                    will.now(Wish::MyGames);
                } else if manner == Manner::Honest {
                    // It has no idea of the outcome, and asks for the same again.
                    will.now(Wish::Move(wish.clone()));
                } else {
                    will.now(Wish::View(wish.game));
                }
            }
            Wish::View(game) if self.tables.get(game).is_some_and(|table| table.resent < RESENDS) => {
                self.tables.entry(*game).or_default().resent += 1;
                will.now(wish.clone());
            }
            Wish::View(_)
            | Wish::Challenge
            | Wish::Register(_)
            | Wish::File(_)
            | Wish::Join(_)
            | Wish::Leave(_)
            | Wish::MyGames
            | Wish::Post(..) => {}
        }
    }
}
