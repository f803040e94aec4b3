//! The state machine of an agent.

use super::temper::{Temper, Think};
use crate::dice::Dice;
use crate::protocol::{Manner, MoveText, MoveWish, Told, View, Wish};
use hall_core::{AdapterKind, Division, FeedbackKind, Filing, NewAgent, ToolAccess};
use hall_wire::key::PrivateKey;
use hall_wire::{Digest, GameId, Handle, Notation, OperatorId, PublicKey, Span, Timestamp};
use std::collections::{BTreeMap, BTreeSet};

/// Who an agent is, for ever.
#[derive(Clone, Debug)]
pub struct Identity {
    /// Its handle.
    pub handle: Handle,
    /// Its key.
    pub key: PrivateKey,
    /// The public half.
    pub public: PublicKey,
    /// Its operator.
    pub operator: OperatorId,
}

/// Something that happens to an agent.
#[derive(Clone, Copy, Debug)]
pub enum Cue<'a> {
    /// The time that it asked to be woken at has come.
    Woken,
    /// A wish of its own was answered, or is known to be lost.
    Told(&'a Wish, Manner, &'a Told),
    /// A turn waits on it.
    Turn(GameId, u32, Timestamp),
    /// A game of it has ended.
    GameOver(GameId),
}

/// A wish, how it is made, and after which time.
#[derive(Clone, Debug)]
pub struct Deed {
    /// How long it thinks first.
    pub after: Span,
    /// What it asks for.
    pub wish: Wish,
    /// How.
    pub manner: Manner,
}

/// What an agent wants to do next.
#[derive(Clone, Debug, Default)]
pub struct Will {
    /// Its deeds.
    pub deeds: Vec<Deed>,
    /// When it wants to be woken.
    pub wake_after: Option<Span>,
}

/// An agent.
#[derive(Clone, Debug)]
pub struct Player {
    identity: Identity,
    temper: Temper,
    dice: Dice,
    registered: bool,
    filed: BTreeSet<Division>,
    waits: BTreeSet<Division>,
    tables: BTreeMap<GameId, Table>,
}

/// What it remembers of a game.
#[derive(Clone, Debug, Default)]
struct Table {
    /// The last turn that it has dealt with or is dealing with.
    turn: Option<u32>,
    plies: u32,
    /// Illegal moves still to be tried in this turn.
    stubborn: u8,
    /// How often the same move was sent again.
    resent: u8,
    deadline: Option<Timestamp>,
    last: Option<Notation>,
}

/// How often a move is sent again whose answer was lost.
const RESENDS: u8 = 3;

impl Player {
    /// An agent that nobody knows yet.
    #[must_use]
    pub fn new(identity: Identity, temper: Temper, dice: Dice) -> Self {
        let (filed, waits, tables) = (BTreeSet::new(), BTreeSet::new(), BTreeMap::new());
        Self { identity, temper, dice, registered: false, filed, waits, tables }
    }

    /// Who it is.
    #[must_use]
    pub const fn identity(&self) -> &Identity {
        &self.identity
    }

    /// How it behaves.
    #[must_use]
    pub const fn temper(&self) -> &Temper {
        &self.temper
    }

    /// From now on it does everything as it should and on time, so that what has begun comes to its end.
    pub fn calm_down(&mut self) {
        let name = self.temper.name;
        let games_wanted = self.temper.games_wanted.min(1);
        self.temper = Temper { name, games_wanted, ..Temper::swift() };
    }

    /// From now on it joins no lobby any more.
    pub const fn retire(&mut self) {
        self.temper.games_wanted = 0;
    }

    /// What it does about something, when the hall's clock shows `now`.
    pub fn react(&mut self, now: Timestamp, cue: Cue<'_>) -> Will {
        let mut will = Will::default();
        match cue {
            Cue::Woken => self.look_around(&mut will),
            Cue::Told(wish, manner, told) => self.hear(now, wish, manner, told, &mut will),
            Cue::Turn(game, turn, deadline) => {
                let table = self.tables.entry(game).or_default();
                if table.turn.is_none_or(|known| known < turn) {
                    (table.turn, table.stubborn, table.resent) = (Some(turn), 0, 0);
                    table.deadline = Some(deadline);
                    self.take_turn(now, game, turn, &mut will);
                }
            }
            Cue::GameOver(game) => {
                if self.tables.remove(&game).is_some() && self.dice.permille(300) {
                    self.look_around(&mut will);
                }
            }
        }
        will
    }

    fn look_around(&mut self, will: &mut Will) {
        let around = self.temper.looks_around.as_millis();
        will.wake_after = Some(if self.temper.floods {
            self.dice.span(Span::from_millis(200), Span::from_secs(5))
        } else {
            Span::from_millis(self.dice.between(around / 2, around + around / 2))
        });
        if self.dice.permille(self.temper.forgets) {
            (self.registered, self.filed, self.waits) = (false, BTreeSet::new(), BTreeSet::new());
            self.tables.clear();
        }
        if !self.registered {
            return self.register(will);
        }
        if !self.tables.is_empty() || self.dice.permille(100) {
            will.now(Wish::MyGames);
        }
        self.seek_game(will);
        if self.dice.permille(self.temper.posts) {
            will.now(Wish::Post(FeedbackKind::Bug, format!("It is {}", self.dice.below(1_000))));
        }
    }

    fn divisions(&self) -> &'static [Division] {
        if self.temper.everywhere { Division::ALL } else { Division::ALL.get(..1).unwrap_or_default() }
    }

    fn register(&self, will: &mut Will) {
        will.now(Wish::Register(Box::new(NewAgent {
            handle: self.identity.handle.clone(),
            key: self.identity.public,
            operator: self.identity.operator,
            operator_name: self.is_even().then(|| format!("The people of \"{}\"", self.identity.handle)),
            model_id: format!("sim/{}", self.temper.name),
            adapter_kind: Some(AdapterKind::Api),
        })));
    }

    fn file(&mut self, division: Division, will: &mut Will) {
        let config = self.dice.below(3).to_be_bytes();
        // With an engine nobody is in the pure division.
        let cheats = (self.temper.refiles > 0 || self.temper.everywhere) && self.dice.permille(200);
        let tool_access = if cheats { ToolAccess::EngineAssisted } else { ToolAccess::Pure };
        will.now(Wish::File(Box::new(Filing {
            season_id: "current".to_owned(),
            division,
            model_id: format!("sim/{}", self.temper.name),
            adapter_kind: self.dice.pick(AdapterKind::ALL).copied().unwrap_or(AdapterKind::Api),
            endpoint_url: self.endpoint(),
            system_prompt_sha256: Digest::of(b"prompt"),
            config_sha256: Digest::of(&config),
            tool_access,
        })));
    }

    /// Some have an endpoint, which nobody but the hall may know.
    fn endpoint(&self) -> Option<String> {
        self.is_even().then(|| format!("https://{}.endpoints.example/turn", self.identity.handle))
    }

    /// So half of them is told from the other half.
    fn is_even(&self) -> bool {
        self.identity.public.as_bytes().first().is_some_and(|byte| byte % 2 == 0)
    }

    fn seek_game(&mut self, will: &mut Will) {
        for division in self.divisions() {
            let waits = self.waits.contains(division);
            if !self.filed.contains(division) || waits && self.dice.permille(self.temper.refiles) {
                self.file(*division, will);
            } else if waits && self.dice.permille(self.temper.leaves) {
                will.now(Wish::Leave(*division));
            } else if self.tables.len() < self.temper.games_wanted || self.temper.floods {
                will.now(Wish::Join(*division));
            }
        }
    }

    fn hear(&mut self, now: Timestamp, wish: &Wish, manner: Manner, told: &Told, will: &mut Will) {
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
                    if self.tables.len() < self.temper.games_wanted {
                        will.now(Wish::Join(filing.division));
                    }
                }
            }
            Told::Joined { game } => {
                if let Wish::Join(division) = wish {
                    if game.is_some() {
                        self.waits.remove(division)
                    } else {
                        self.waits.insert(*division)
                    };
                }
            }
            Told::Left => {
                if let Wish::Leave(division) = wish {
                    self.waits.remove(division);
                }
            }
            Told::Games(games) => {
                self.tables.retain(|game, _| games.iter().any(|brief| brief.game == *game));
                for brief in games.iter().filter(|brief| brief.mine) {
                    let table = self.tables.entry(brief.game).or_default();
                    // Also a turn that it knows of: its move may have been lost.
                    let stuck =
                        table.turn == Some(brief.turn_index) && !self.dice.permille(self.temper.sleeps);
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
                    } else if self.dice.permille(self.temper.early) {
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
        report: Option<&crate::protocol::RoomBrief>,
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
            (Wish::Join(division), "NOT_HOMOLOGATED") => {
                self.filed.remove(division);
                self.file(*division, will);
            }
            (Wish::Join(division), "ALREADY_IN_LOBBY") => {
                self.waits.insert(*division);
            }
            (Wish::Leave(division), "NOT_IN_LOBBY") => {
                self.waits.remove(division);
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

    /// Begins to deal with a turn.
    fn take_turn(&mut self, now: Timestamp, game: GameId, turn: u32, will: &mut Will) {
        if self.dice.permille(self.temper.sleeps) {
            return;
        }
        // A meddler moves wherever it hears of a turn, also where it has no seat.
        if self.temper.looks && !self.dice.permille(self.temper.forges) {
            return will.now(Wish::View(game));
        }
        let resigns = self.is_tired(game);
        let mut wish = plain(game, turn, MoveText::Index(i64::try_from(self.dice.below(20)).unwrap_or(0)));
        wish.resign = resigns;
        if resigns {
            wish.choice = None;
        }
        let after = self.thinking(now, game);
        will.deeds.push(Deed { after, wish: Wish::Move(wish), manner: Manner::Honest });
    }

    fn is_tired(&self, game: GameId) -> bool {
        let plies = self.tables.get(&game).map_or(0, |table| table.plies);
        self.temper.resigns_after > 0 && plies >= self.temper.resigns_after
    }

    fn thinking(&mut self, now: Timestamp, game: GameId) -> Span {
        match self.temper.think {
            Think::Between(least, most) => self.dice.span(least, most),
            Think::AtDeadline(offset) => {
                let deadline = self.tables.get(&game).and_then(|table| table.deadline).unwrap_or(now);
                let millis = deadline.as_millis() + offset - now.as_millis();
                Span::from_millis(u64::try_from(millis).unwrap_or(0))
            }
        }
    }

    /// Decides about a move with the position in view.
    fn consider(&mut self, now: Timestamp, view: &View, will: &mut Will) {
        if !view.live {
            self.tables.remove(&view.game);
            return;
        }
        if !view.mine {
            return;
        }
        let (game, turn) = (view.game, view.turn_index);
        let table = self.tables.entry(game).or_default();
        (table.turn, table.deadline) = (Some(turn), view.deadline);
        let after = self.thinking(now, game);
        let manner = self.manner();
        let mut wish = plain(game, turn, MoveText::Index(0));
        if self.is_tired(game) {
            (wish.choice, wish.resign) = (None, true);
        } else if view.draw_offer.is_some_and(|by| by != view.player)
            && self.dice.permille(self.temper.accepts)
            || self.dice.permille(self.temper.accepts_nothing)
        {
            (wish.choice, wish.draw_accept) = (None, true);
        } else if self.dice.permille(self.temper.accepts_nothing / 4) {
            // An offer without a move, where nobody has offered anything.
            (wish.choice, wish.draw_offer) = (None, true);
        } else if self.dice.permille(self.temper.illegal) {
            self.tables.entry(game).or_default().stubborn = self.temper.stubborn.saturating_sub(1);
            wish.choice = Some(self.nonsense());
            // Which must not stand: the move with which it came is none.
            wish.draw_offer = self.dice.permille(200);
        } else {
            let notation = self.choose(view);
            self.tables.entry(game).or_default().last = notation;
            let place = view.legal.iter().position(|legal| Some(*legal) == notation);
            wish.choice = match (notation, place.and_then(|place| i64::try_from(place).ok())) {
                (Some(_), Some(place)) if self.dice.permille(200) => Some(MoveText::Index(place)),
                (Some(notation), _) => Some(MoveText::Text(notation.as_str().to_owned())),
                (None, _) => Some(MoveText::Index(0)),
            };
            wish.draw_offer = self.dice.permille(self.temper.offers);
        }
        if self.dice.permille(self.temper.comments) {
            wish.commentary = Some(format!("{} thinks of {}", self.identity.handle, self.dice.below(100)));
        }
        will.deeds.push(Deed { after, wish: Wish::Move(wish), manner });
    }

    /// A legal move: any, or the one that takes the last one back.
    fn choose(&mut self, view: &View) -> Option<Notation> {
        let table = self.tables.get(&view.game);
        let shuffles = self.temper.shuffles_after > 0
            && table.is_some_and(|table| table.plies >= self.temper.shuffles_after);
        if shuffles && let Some(last) = table.and_then(|table| table.last) {
            let (from, to) = (last.as_str().get(..2), last.as_str().get(2..4));
            let back = view.legal.iter().find(|legal| {
                legal.as_str().get(..2) == to && legal.as_str().get(2..4) == from && legal.as_str().len() == 4
            });
            if let Some(back) = back {
                return Some(*back);
            }
            // A knight can always go back.
            let knights = ["b1c3", "c3b1", "g1f3", "f3g1", "b8c6", "c6b8", "g8f6", "f6g8"];
            let knight = view.legal.iter().find(|legal| knights.contains(&legal.as_str()));
            if let Some(knight) = knight {
                return Some(*knight);
            }
        }
        self.dice.pick(&view.legal).copied()
    }

    fn manner(&mut self) -> Manner {
        if self.dice.permille(self.temper.races) {
            return Manner::Race(u8::try_from(self.dice.between(2, 8)).unwrap_or(2));
        }
        if self.dice.permille(self.temper.replays) {
            return Manner::Replay;
        }
        if self.dice.permille(self.temper.forges) {
            let ways = [
                Manner::ForgedHeader,
                Manner::ForgedBody,
                Manner::OtherKey,
                Manner::OtherPath,
                Manner::OtherHandle,
                Manner::OthersChallenge,
                Manner::InventedChallenge,
            ];
            return self.dice.pick(&ways).copied().unwrap_or(Manner::Honest);
        }
        Manner::Honest
    }

    /// Something that is no legal move, in one of the ways in which agents go wrong.
    fn nonsense(&mut self) -> MoveText {
        let texts = ["e2e5", "e7e8", "Nf3", "E2E4", "e2-e4", "0000", "a1a1", "♞", "pass", "e1g1", "h7h8k"];
        match self.dice.below(4) {
            0 => MoveText::Index(-1),
            1 => MoveText::Index(1_000_000),
            _ => MoveText::Text((*self.dice.pick(&texts).unwrap_or(&"?")).to_owned()),
        }
    }
}

impl Will {
    fn now(&mut self, wish: Wish) {
        self.deeds.push(Deed { after: Span::from_millis(0), wish, manner: Manner::Honest });
    }
}

fn plain(game: GameId, turn_index: u32, choice: MoveText) -> Box<MoveWish> {
    Box::new(MoveWish {
        game,
        turn_index,
        choice: Some(choice),
        resign: false,
        draw_offer: false,
        draw_accept: false,
        commentary: None,
    })
}
