//! Probes: commands that no agent would send in these circumstances, decided on a copy.
//!
//! A decision is a pure function, so the hall can be asked what it would do without anything happening. The answer,
//! the facts, and the state after them must be those of the reference hall. So what agents seldom or never try is
//! tried in every state that a world comes to.

mod commands;

use crate::dice::Dice;
use crate::reference::{Divergence, Extent, Reference};
use hall_core::desk::Agent;
use hall_core::rooms::Room;
use hall_core::{
    Caller, Choice, Command, DeskCommand, DoorbellCommand, Hall, HallCommand, MoveSubmission,
    RecordingEntropy, RoomCommand, SeasonId, SignatureCheck,
};
use hall_wire::{AgentId, GameId, Span, Timestamp};

/// Commands that follow one another in a probe, mostly about the same agent and game; about lobbies twice as many.
const CHAIN: u32 = 6;

/// What the commands of a chain are about.
#[derive(Clone, Copy)]
enum Theme {
    Everything,
    /// Agents and operators that are suspended and restored, and what they may do then.
    Suspensions,
    /// One game, by everybody who can do something to it.
    Game,
    /// Who may wait, and who is paired with whom, under other quotas.
    Lobbies,
    /// The doorbell of one agent, as time passes.
    Doorbell,
}

/// Words that are written into leaves as they are: what must be escaped, and what must not.
const WORDS: [&str; 6] = [
    "a plain word",
    "",
    "\"quoted\" and \\",
    "tab\t, line\nand \u{8}\u{c}\r\u{1}\u{1f}",
    "Żółć 棋 ♞ 😀",
    "/\u{7f}\u{2028}",
];

/// A command that was tried, in its circumstances.
#[derive(Clone, Debug, PartialEq)]
pub struct Tried {
    /// Core time.
    pub at: Timestamp,
    /// When the request had arrived.
    pub stamp: Timestamp,
    /// Who asked.
    pub who: Caller,
    /// For what.
    pub what: Command,
    /// The random bytes drawn; none yet in the middle of a decision.
    pub drawn: Vec<u8>,
    /// Whether the state was saved and read back after it.
    pub saved: bool,
}

/// Asks the hall for something at random, and compares what it would do with what it must do. What it asked is added
/// to `tried` before it is decided.
///
/// # Errors
/// The first difference.
pub(super) fn probe(
    hall: &Hall,
    reference: &Reference,
    at: Timestamp,
    dice: &mut Dice,
    tried: &mut Vec<Tried>,
) -> Result<(), Divergence> {
    // Time comes first: what is due would be done before anything else is decided.
    if hall.settings().is_none() || at < hall.clock() || hall.next_deadline().is_some_and(|due| due <= at) {
        return Ok(());
    }
    let (mut hall, mut reference, mut at) = (hall.clone(), reference.clone(), at);
    // Some are moved to where something changes. What is due until then is not done: a decision is the same function
    // of the state all the same.
    let (at_midnight, at_deadline) = (dice.permille(100), dice.permille(150));
    if at_midnight {
        let into = dice.pick(&[0, 0, 1, 999]).copied().unwrap_or(0);
        at = Timestamp::from_millis((at.utc_day() + 1) * 86_400_000 + into);
    }
    let theme = match dice.below(10) {
        0 => Theme::Suspensions,
        1 | 2 => Theme::Game,
        3 => Theme::Lobbies,
        4 => Theme::Doorbell,
        _ => Theme::Everything,
    };
    let mut picked = Probe { hall: &hall, at, dice: &mut *dice, focus: (None, None), theme };
    let focus = (picked.agent().map(|agent| agent.id), picked.room().map(Room::id));
    let deadline = focus.1.and_then(|game| hall.rooms().find(&game)?.deadline()).filter(|_| at_deadline);
    if let Some(deadline) = deadline {
        at = at.max(deadline + Span::from_millis(dice.below(2)));
    }
    // Many begin with one to three illegal moves in the turn that is open.
    let (length, impatient) = match theme {
        Theme::Lobbies | Theme::Doorbell => (2 * CHAIN, 0),
        Theme::Everything | Theme::Suspensions | Theme::Game => (CHAIN, 400),
    };
    let illegal = if dice.permille(impatient) { u32::try_from(dice.between(1, 3)).unwrap_or(1) } else { 0 };
    let mut previous: Option<(Caller, Command)> = None;
    for step in 0..length {
        let mut probe = Probe { hall: &hall, at, dice: &mut *dice, focus, theme };
        at = probe.later();
        probe.at = at;
        let illegal = if step < illegal { probe.illegal() } else { None };
        // The same again: some commands are limited or allowed only once.
        let again = previous.take().filter(|_| probe.dice.permille(200));
        let (who, what) = illegal.or(again).unwrap_or_else(|| probe.draw());
        // Who asks from outside may have waited a little.
        let most = if dice.permille(200) { 2_000 } else { 40 };
        let waited = match who {
            Caller::Agent(_) if deadline.is_some() => dice.below(3),
            Caller::Agent(_) => dice.below(most),
            _ => 0,
        };
        let stamp = Timestamp::from_millis(at.as_millis().saturating_sub_unsigned(waited));
        tried.push(Tried { at, stamp, who, what: what.clone(), drawn: Vec::new(), saved: false });
        let mut entropy = RecordingEntropy::new(&mut *dice);
        let decision = hall.decide(at, stamp, who, &what, &mut entropy);
        let drawn = entropy.into_drawn();
        tried.iter_mut().last().into_iter().for_each(|tried| tried.drawn.clone_from(&drawn));
        reference.follow(at, stamp, who, &what, &decision)?;
        decision.facts.iter().for_each(|fact| hall.apply(fact));
        hall.check();
        reference.compare(&hall, Extent::LastStep)?;
        if dice.permille(100) {
            tried.iter_mut().last().into_iter().for_each(|tried| tried.saved = true);
            hall = Hall::restore(*hall.catalog(), hall_driver::docket_wording, &hall.save())
                .expect("what was saved is read back");
            hall.check();
            reference.compare(&hall, Extent::LastStep)?;
        }
        previous = Some((who, what));
    }
    Ok(())
}

struct Probe<'a> {
    hall: &'a Hall,
    at: Timestamp,
    dice: &'a mut Dice,
    /// What most of it is about.
    focus: (Option<AgentId>, Option<GameId>),
    theme: Theme,
}

impl<'a> Probe<'a> {
    /// An illegal move of the player to move in the game.
    fn illegal(&mut self) -> Option<(Caller, Command)> {
        let room = self.hall.rooms().find(&self.focus.1?)?;
        let seat = room.seat(room.to_move().iter().next()?)?;
        let turn_index = room.turn_index();
        let (_, Command::Room(RoomCommand::Submit(other))) = self.submission(Caller::Hall) else {
            return None;
        };
        let what = MoveSubmission {
            game: room.id(),
            turn_index,
            choice: Some(Choice::Unparsable),
            resign: false,
            draw_offer: false,
            draw_accept: false,
            signature_check: SignatureCheck::Valid,
            ..other
        };
        Some((Caller::Agent(seat.seat.agent), Command::Room(RoomCommand::Submit(what))))
    }

    fn draw(&mut self) -> (Caller, Command) {
        let agent = self.agent();
        let own = agent.map_or(Caller::Hall, |agent| Caller::Agent(agent.id));
        let kind = match self.theme {
            Theme::Everything => self.dice.below(19),
            Theme::Suspensions => self.one(&[6, 6, 6, 6, 0, 1, 2, 4], 6),
            Theme::Game => self.one(&[7, 9, 10, 10, 11, 12, 12], 12),
            Theme::Lobbies => self.one(&[1, 2, 2, 2, 2, 2, 2, 2, 3, 19, 20], 2),
            Theme::Doorbell => {
                self.one(&[21, 22, 22, 23, 23, 24, 25, 25, 25, 25, 25, 25, 12, 12, 12, 12], 25)
            }
        };
        let (usual, what) = match kind {
            0 => (Caller::Hall, self.registration()),
            1 => (own, self.filing()),
            2 => (own, Command::Desk(DeskCommand::JoinLobby(self.lobby()))),
            3 => (own, Command::Desk(DeskCommand::LeaveLobby(self.lobby()))),
            4 => (own, self.feedback()),
            5 => (Caller::Operator, self.of_season()),
            6 => (Caller::Operator, self.of_suspension()),
            7 => (Caller::Operator, self.verdict()),
            8 => (Caller::Operator, self.docket_entry()),
            9 => (Caller::Hall, self.gap()),
            10 => (Caller::Hall, self.beacon()),
            11 => (Caller::Hall, Command::Hall(HallCommand::ArchiveGame { game: self.game() })),
            16 => (Caller::Operator, self.key()),
            17 => (Caller::Hall, self.checkpoint()),
            18 => (Caller::Operator, self.withholding()),
            19 => (Caller::Hall, self.start()),
            20 => (Caller::Hall, Command::Hall(HallCommand::Sweep)),
            21 => (own, self.doorbell()),
            22 => (own, Command::Doorbell(DoorbellCommand::BeginVerification)),
            23 => (Caller::Hall, self.proof()),
            24 => (own, Command::Doorbell(DoorbellCommand::Disable)),
            25 => (Caller::Hall, self.ring_report()),
            _ => return self.submission(own),
        };
        let who = match self.dice.below(10) {
            0 => own,
            1 => Caller::Operator,
            2 => Caller::Hall,
            _ => usual,
        };
        (who, what)
    }

    /// In a chain about a doorbell time passes, often to the instant at which something about it ends.
    fn later(&mut self) -> Timestamp {
        let doorbell = self.focus.0.and_then(|agent| self.hall.desk().doorbell(&agent));
        let Some(doorbell) = doorbell.filter(|_| matches!(self.theme, Theme::Doorbell)) else {
            return self.at;
        };
        let counted = doorbell.verifications.first().map(|begun| *begun + Span::from_secs(3_600));
        let expires = doorbell.pending.as_ref().map(|pending| pending.expires);
        let to = match self.dice.below(8) {
            0 => expires,
            1 => counted,
            2 => Some(self.at + Span::from_millis(self.dice.below(600_000))),
            _ => None,
        };
        let aside = self.dice.below(3);
        let to = to.map(|to| {
            Timestamp::from_millis(to.as_millis().saturating_sub(1).saturating_add_unsigned(aside))
        });
        to.unwrap_or_default().max(self.at)
    }

    fn number(&mut self, below: usize) -> usize {
        usize::try_from(self.dice.below(u64::try_from(below).unwrap_or(0))).unwrap_or(0)
    }

    fn one<T: Copy>(&mut self, of: &[T], otherwise: T) -> T {
        self.dice.pick(of).copied().unwrap_or(otherwise)
    }

    fn word(&mut self) -> String {
        self.one(&WORDS, "").to_owned()
    }

    /// What an operator gives as a reason, which is never nothing.
    fn reason(&mut self) -> String {
        format!("because: {}", self.word())
    }

    fn agent(&mut self) -> Option<&'a Agent> {
        if matches!(self.theme, Theme::Lobbies) && self.dice.permille(400) {
            return self.colleague();
        }
        if let (Some(agent), true) = (self.focus.0, self.dice.permille(600)) {
            return self.hall.desk().agent(&agent);
        }
        let place = self.number(self.hall.desk().agent_count());
        self.hall.desk().agents().nth(place)
    }

    /// Somebody of the operator whose agent it is mostly about.
    fn colleague(&mut self) -> Option<&'a Agent> {
        let desk = self.hall.desk();
        let operator = desk.agent(&self.focus.0?)?.operator;
        let colleagues: Vec<&Agent> = desk.agents().filter(|agent| agent.operator == operator).collect();
        self.dice.pick(&colleagues).copied()
    }

    fn room(&mut self) -> Option<&'a Room> {
        if let (Some(game), true) = (self.focus.1, self.dice.permille(600))
            && let Some(room) = self.hall.rooms().find(&game)
        {
            return Some(&**room);
        }
        let place = self.number(self.hall.rooms().iter().count());
        self.hall.rooms().iter().nth(place).map(|room| &**room)
    }

    /// A game in memory, or one that is not there.
    fn game(&mut self) -> GameId {
        let unknown = GameId::from_bytes(self.dice.bytes());
        if self.dice.permille(100) { unknown } else { self.room().map_or(unknown, Room::id) }
    }

    fn season(&mut self) -> Option<SeasonId> {
        let known: Vec<&SeasonId> = self.hall.desk().seasons().map(|season| &season.id).collect();
        match self.dice.below(3) {
            0 => SeasonId::parse("never-opened"),
            1 => self.hall.desk().current_season().cloned(),
            _ => self.dice.pick(&known).map(|season| (*season).clone()),
        }
    }
}
