//! Probes: commands that no agent would come to send in these circumstances, decided on a copy.
//!
//! A decision is a pure function, so the hall can be asked what it would do without anything happening. The answer,
//! the facts, and the state after them must be those of the reference hall. So what agents seldom or never try is
//! tried in every state that a world comes to.

use crate::dice::Dice;
use crate::reference::{Divergence, Extent, Reference};
use hall_core::desk::Agent;
use hall_core::rooms::{ChallengeText, Room};
use hall_core::{
    AdapterKind, Caller, Choice, Command, DeskCommand, Division, DocketKind, DoorbellCommand, FeedbackKind,
    Filing, GameVerdict, GovernanceCommand, Hall, HallCommand, HallSettings, JoinLobby, KeyOccasion,
    KeyPurpose, MoveSubmission, NewAgent, NewFeedback, RecordingEntropy, RingFailure, RingOutcome,
    RingReport, RoomCommand, SeasonId, SignedBody, ToolAccess, Withheld,
};
use hall_wire::key::PrivateKey;
use hall_wire::message::Challenge;
use hall_wire::{
    AgentId, Digest, FeedbackId, GameId, Handle, Notation, OperatorId, Player, Signature, Span, Timestamp,
};

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
        // The same once more: what may be done only so often, or only once.
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
            hall = Hall::restore(*hall.catalog(), &hall.save()).expect("what was saved is read back");
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
    /// An illegal move of whoever is to move in the game in question.
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
            signature_verified: true,
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

    fn doorbell(&mut self) -> Command {
        let number = self.dice.below(2);
        Command::Doorbell(DoorbellCommand::Register {
            url: format!("https://probe.example/{number}"),
            permitted: self.dice.permille(900),
        })
    }

    /// What an endpoint proves: the address that waits, or one that does not.
    fn proof(&mut self) -> Command {
        let agent = self.agent().map_or(AgentId::from_bytes([9; 16]), |agent| agent.id);
        let pending = self.hall.desk().doorbell(&agent).and_then(|doorbell| doorbell.pending.as_ref());
        let none = ChallengeText(Challenge::from_bytes([3; 32]).to_string());
        let challenge = pending.map(|pending| pending.challenge.clone()).filter(|_| self.dice.permille(900));
        Command::Doorbell(DoorbellCommand::Confirm {
            agent,
            challenge: challenge.unwrap_or(none),
            signature: Signature::from_bytes([7; 64]),
        })
    }

    /// What came of an attempt to ring: the next one, one that was told already, or one that cannot be.
    fn ring_report(&mut self) -> Command {
        let agent = self.agent().map_or(AgentId::from_bytes([9; 16]), |agent| agent.id);
        let desk = self.hall.desk();
        let doorbell = desk.doorbell(&agent);
        let bell = doorbell.and_then(|doorbell| doorbell.bell.as_ref());
        let games: Vec<GameId> = desk.live_games(&agent).collect();
        let game = self.dice.pick(&games).copied().filter(|_| self.dice.permille(900));
        // Nobody is rung for a game of others. Of one that is over, reports may still come.
        let rooms = self.hall.rooms();
        let game = game.unwrap_or_else(|| self.game());
        let plays = rooms.find(&game).is_none_or(|room| room.player_of(&agent).is_some());
        let game = if plays { game } else { GameId::from_bytes(self.dice.bytes()) };
        let turn = self.hall.rooms().find(&game).map_or(0, |room| i64::from(room.turn_index()));
        let turn_index = u32::try_from(turn + self.one(&[0, 0, 0, 0, -1, 1], 0)).unwrap_or(0);
        let known = doorbell.and_then(|doorbell| doorbell.ringing(&game, turn_index));
        let next = known.map_or(1, |known| known.attempts.saturating_add(1));
        let failure = self.one(RingFailure::ALL, RingFailure::Timeout);
        let none = ChallengeText(Challenge::from_bytes([3; 32]).to_string());
        let own = bell.map(|bell| bell.challenge.clone()).filter(|_| self.dice.permille(900));
        Command::Doorbell(DoorbellCommand::ReportRing(RingReport {
            agent,
            challenge: own.unwrap_or(none),
            game,
            turn_index,
            attempt: if self.dice.permille(700) { next } else { self.one(&[0, 1, 2, 4, 5, 6, 255], 1) },
            outcome: if self.dice.permille(250) {
                RingOutcome::Answered
            } else {
                RingOutcome::Failed(failure)
            },
        }))
    }

    /// After which game a command goes on that sees to many: mostly it begins.
    fn after(&mut self) -> Option<GameId> {
        if self.dice.permille(200) { Some(self.game()) } else { None }
    }

    /// The hall as it is started with other quotas.
    fn start(&mut self) -> Command {
        let (Some(rules), Some(keys)) = (self.hall.settings(), self.hall.keys()) else {
            return Command::Hall(HallCommand::Stop);
        };
        let rules = HallSettings {
            concurrent_games: self.one(&[0, 1, 1, 2, 3], 1),
            joins_per_day: self.one(&[0, 1, 2, 50], 0),
            ..rules.clone()
        };
        Command::Hall(HallCommand::Start { settings: rules, keys: keys.clone() })
    }

    /// A text that is shown no more: of an agent, a turn or a post, there or not.
    fn withholding(&mut self) -> Command {
        let agent = self.agent().map_or(AgentId::from_bytes([9; 16]), |agent| agent.id);
        let turn_index = u32::try_from(self.dice.below(3)).unwrap_or(0);
        let what = match self.dice.below(3) {
            0 => Withheld::Agent(agent),
            1 => Withheld::Turn { game: self.game(), turn_index },
            _ => Withheld::Feedback(FeedbackId::from_bytes([1; 16])),
        };
        Command::Governance(GovernanceCommand::Withhold { what, reason: self.reason() })
    }

    /// Another key of the hall, or the same again.
    fn key(&mut self) -> Command {
        let number = self.dice.below(2);
        Command::Hall(HallCommand::ReplaceKey {
            purpose: self.one(&[KeyPurpose::Log, KeyPurpose::Ring], KeyPurpose::Log),
            public_key: format!("hall.sim/2+0000000{number}+AA=="),
            signature: Signature::from_bytes([7; 64]),
            occasion: self.one(&[KeyOccasion::Rotation, KeyOccasion::Restore], KeyOccasion::Rotation),
            reason: self.reason(),
        })
    }

    /// A checkpoint of the log as it is, or of another size.
    fn checkpoint(&mut self) -> Command {
        let size = self.hall.leaf_count() + self.dice.below(3);
        let size = if self.dice.permille(800) { self.hall.leaf_count() } else { size.saturating_sub(1) };
        Command::Hall(HallCommand::TakeCheckpoint { size, root: Digest::of(&size.to_be_bytes()) })
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
            1 => self.hall.desk().open_season().cloned(),
            _ => self.dice.pick(&known).map(|season| (*season).clone()),
        }
    }

    fn registration(&mut self) -> Command {
        let known = self.agent();
        let fresh = PrivateKey::from_seed(&self.dice.bytes()).public();
        let known_key = known.map_or(fresh, |agent| agent.key);
        let handle = known.map(|agent| agent.handle.clone()).filter(|_| self.dice.permille(200));
        let operator = known.map(|agent| agent.operator).filter(|_| self.dice.permille(500));
        let name = self.word();
        Command::Desk(DeskCommand::RegisterAgent(NewAgent {
            handle: handle.or_else(|| Handle::parse("a-probe")).unwrap_or_else(|| unreachable!("a handle")),
            key: if self.dice.permille(200) { known_key } else { fresh },
            operator: operator.unwrap_or_else(|| OperatorId::from_bytes(self.dice.bytes())),
            operator_name: self.dice.permille(700).then_some(name),
            model_id: self.word(),
            adapter_kind: self.dice.pick(AdapterKind::ALL).copied(),
        }))
    }

    fn filing(&mut self) -> Command {
        let known = self.agent();
        if self.dice.permille(500)
            && let Some(agent) = known
            && let Some(filing) = self.refiling(agent)
        {
            return Command::Desk(DeskCommand::FileHomologation { agent: agent.id, filing });
        }
        let agent = known.map_or_else(|| AgentId::from_bytes(self.dice.bytes()), |agent| agent.id);
        let named = self.season().map_or_else(String::new, |season| season.to_string());
        let filing = Filing {
            season_id: if self.dice.permille(500) { "current".to_owned() } else { named },
            division: self.one(Division::ALL, Division::Open),
            model_id: self.word(),
            adapter_kind: self.one(AdapterKind::ALL, AdapterKind::Other),
            endpoint_url: self.dice.permille(300).then(|| "https://probe.example/".to_owned()),
            system_prompt_sha256: Digest::of(b"prompt"),
            config_sha256: Digest::of(&self.dice.below(2).to_be_bytes()),
            tool_access: self.one(ToolAccess::ALL, ToolAccess::Pure),
        };
        Command::Desk(DeskCommand::FileHomologation { agent, filing })
    }

    /// What stands already, but for one field at most.
    fn refiling(&mut self, agent: &Agent) -> Option<Filing> {
        let (desk, division) = (self.hall.desk(), self.one(Division::ALL, Division::Open));
        let entry = desk.standing(&agent.id, desk.open_season()?, division)?;
        // Of an address its hash is known, of no address that there is none.
        if entry.endpoint_url_sha256.is_some() {
            return None;
        }
        let mut filing = Filing {
            season_id: "current".to_owned(),
            division,
            model_id: entry.model_id.to_string(),
            adapter_kind: entry.adapter_kind,
            endpoint_url: None,
            system_prompt_sha256: entry.system_prompt_sha256,
            config_sha256: entry.config_sha256,
            tool_access: entry.tool_access,
        };
        match self.dice.below(7) {
            0 => filing.model_id.push('2'),
            1 => filing.adapter_kind = self.one(AdapterKind::ALL, AdapterKind::Other),
            2 => filing.endpoint_url = Some("https://probe.example/".to_owned()),
            3 => filing.system_prompt_sha256 = Digest::of(b"another prompt"),
            4 => filing.config_sha256 = Digest::of(b"another configuration"),
            5 => filing.tool_access = self.one(ToolAccess::ALL, ToolAccess::Pure),
            _ => {}
        }
        Some(filing)
    }

    fn lobby(&mut self) -> JoinLobby {
        if matches!(self.theme, Theme::Lobbies) {
            let division = self.one(Division::ALL, Division::Open);
            return JoinLobby { game: "chess".to_owned(), variant: "standard".to_owned(), division };
        }
        JoinLobby {
            game: self
                .one(&["chess", "chess", "chess", "go", "", "Chess", "seventeen-letters"], "")
                .to_owned(),
            variant: self.one(&["standard", "standard", "standard", "960", ""], "").to_owned(),
            division: self.one(Division::ALL, Division::Open),
        }
    }

    fn feedback(&mut self) -> Command {
        Command::Desk(DeskCommand::PostFeedback(NewFeedback {
            kind: self.one(FeedbackKind::ALL, FeedbackKind::Other),
            subject: self.word(),
            body: self.word(),
            context: self.dice.permille(300).then(|| "{\"a\":1}".to_owned()),
        }))
    }

    fn of_season(&mut self) -> Command {
        let Some(season) = self.season() else { return Command::Hall(HallCommand::Stop) };
        if self.dice.permille(500) {
            Command::Governance(GovernanceCommand::OpenSeason { season })
        } else {
            Command::Governance(GovernanceCommand::CloseSeason { season })
        }
    }

    fn of_suspension(&mut self) -> Command {
        let (agent, reason) = (self.agent(), self.reason());
        let unknown = OperatorId::from_bytes(self.dice.bytes());
        let operator = agent.map_or(unknown, |agent| agent.operator);
        let handle = agent.map(|agent| agent.handle.clone()).or_else(|| Handle::parse("nobody"));
        match (self.dice.below(5), handle) {
            (0, Some(handle)) => Command::Governance(GovernanceCommand::SuspendAgent { handle, reason }),
            (1, Some(handle)) => Command::Governance(GovernanceCommand::RestoreAgent { handle, reason }),
            (2, _) => Command::Governance(GovernanceCommand::RestoreOperator { operator, reason }),
            (3, _) => Command::Governance(GovernanceCommand::SuspendOperator { operator: unknown, reason }),
            _ => Command::Governance(GovernanceCommand::SuspendOperator { operator, reason }),
        }
    }

    fn verdict(&mut self) -> Command {
        let verdicts = [
            GameVerdict::Winner(Player::new(0)),
            GameVerdict::Winner(Player::new(1)),
            GameVerdict::Winner(Player::new(2)),
            GameVerdict::Draw,
            GameVerdict::Abort,
        ];
        let verdict = self.one(&verdicts, GameVerdict::Abort);
        Command::Room(RoomCommand::Settle { game: self.game(), verdict, reason: self.reason() })
    }

    fn docket_entry(&mut self) -> Command {
        Command::Governance(GovernanceCommand::AddDocketEntry {
            kind: self.one(DocketKind::ALL, DocketKind::Note),
            subject: self.word(),
            reason: self.word(),
            disposition: self.dice.permille(500).then(|| self.word()),
        })
    }

    fn gap(&mut self) -> Command {
        let lost = Span::from_millis(self.dice.below(100_000));
        let from = Timestamp::from_millis(self.at.as_millis().saturating_sub_unsigned(lost.as_millis()));
        Command::Room(RoomCommand::ExtendForGap {
            from,
            until: self.at,
            reason: "probe".to_owned(),
            after: self.after(),
        })
    }

    /// A round of some game's beacon, or one that nobody waits for.
    fn beacon(&mut self) -> Command {
        let terms = self.room().and_then(Room::beacon_terms);
        let other = Digest::of(b"another chain");
        let (chain_hash, round) = terms.map_or((other, 1), |terms| (terms.chain_hash, terms.round));
        Command::Room(RoomCommand::ReceiveBeacon {
            chain_hash: if self.dice.permille(200) { other } else { chain_hash },
            round: round.saturating_add(self.dice.below(2)),
            randomness: Digest::of(b"a probe"),
            signature: "00".repeat(48),
            after: self.after(),
        })
    }

    fn submission(&mut self, own: Caller) -> (Caller, Command) {
        let Some(room) = self.room() else { return (own, Command::Hall(HallCommand::Stop)) };
        let player = Player::new(u8::try_from(self.dice.below(2)).unwrap_or(0));
        let seated = room.seat(player).map_or(own, |seat| Caller::Agent(seat.seat.agent));
        let legal = room.notations(player);
        let count = i64::try_from(legal.len()).unwrap_or(0);
        let listed = self.dice.pick(&legal).copied().map(Choice::Notation);
        let choice = match self.dice.below(8) {
            0 => None,
            1 => Some(Choice::Unparsable),
            2 => Notation::parse("e1h1").map(Choice::Notation),
            3 => Some(Choice::Index(self.one(&[-1, 0, count - 1, count, i64::MAX], 0))),
            _ => listed,
        };
        let turn = i64::from(room.turn_index()) + self.one(&[0, 0, 0, -1, 1], 0);
        let body = "{}".to_owned();
        let signed = SignedBody {
            sha256: Digest::of(body.as_bytes()),
            body,
            signature: Signature::from_bytes(self.dice.bytes()),
            challenge: Challenge::from_bytes(self.dice.bytes()),
            auth_signature: Signature::from_bytes(self.dice.bytes()),
            request_sha256: Digest::of(b"a request"),
        };
        let what = MoveSubmission {
            game: room.id(),
            turn_index: u32::try_from(turn).unwrap_or(0),
            choice,
            resign: self.dice.permille(100),
            draw_offer: self.dice.permille(200),
            draw_accept: self.dice.permille(200),
            commentary: self.dice.permille(200).then(|| self.word()),
            signature_verified: self.dice.permille(900),
            signed: Some(signed),
        };
        let who = if self.dice.permille(100) { own } else { seated };
        (who, Command::Room(RoomCommand::Submit(what)))
    }
}
