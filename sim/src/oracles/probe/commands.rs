//! The commands that probes try.

use super::{Probe, Theme};
use hall_core::desk::Agent;
use hall_core::rooms::{ChallengeText, GapCause, Room};
use hall_core::{
    AdapterKind, Caller, Choice, Command, DeskCommand, Division, DocketKind, DoorbellCommand, FeedbackKind,
    Filing, GameVerdict, GovernanceCommand, HallCommand, HallSettings, JoinLobby, KeyOccasion, KeyPurpose,
    MoveSubmission, NewAgent, NewFeedback, RingFailure, RingOutcome, RingReport, RoomCommand, SignedBody,
    ToolAccess, Withheld,
};
use hall_wire::key::PrivateKey;
use hall_wire::message::Challenge;
use hall_wire::{
    AgentId, Digest, FeedbackId, GameId, Handle, Notation, OperatorId, Player, Signature, Span, Timestamp,
};
use std::sync::Arc;

impl Probe<'_> {
    pub(super) fn doorbell(&mut self) -> Command {
        let number = self.dice.below(2);
        Command::Doorbell(DoorbellCommand::Register {
            url: format!("https://probe.example/{number}"),
            address: self.dice.permille(900).into(),
        })
    }

    /// What an endpoint proves: the address that waits, or one that does not.
    pub(super) fn proof(&mut self) -> Command {
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

    /// The outcome of an attempt to ring: the next one, one already reported, or an impossible one.
    pub(super) fn ring_report(&mut self) -> Command {
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

    /// The game after which a command for many games continues; usually it begins.
    pub(super) fn after(&mut self) -> Option<GameId> {
        if self.dice.permille(200) { Some(self.game()) } else { None }
    }

    /// The hall as it is started with other quotas.
    pub(super) fn start(&mut self) -> Command {
        let (Some(settings), Some(keys)) = (self.hall.settings(), self.hall.keys()) else {
            return Command::Hall(HallCommand::Stop);
        };
        let settings = HallSettings {
            concurrent_games: self.one(&[0, 1, 1, 2, 3], 1),
            joins_per_day: self.one(&[0, 1, 2, 50], 0),
            ..settings.clone()
        };
        Command::Hall(HallCommand::Start { settings, keys: keys.clone() })
    }

    /// Withholds a text of an agent, a turn or a post, which may not exist.
    pub(super) fn withholding(&mut self) -> Command {
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
    pub(super) fn key(&mut self) -> Command {
        let number = self.dice.below(2);
        Command::Hall(HallCommand::ReplaceKey {
            purpose: self.one(&[KeyPurpose::Log, KeyPurpose::Ring], KeyPurpose::Log),
            public_key: format!("hall.sim/2+0000000{number}+AA=="),
            replaces: (number == 0).then(|| "hall.sim/2+00000001+AA==".to_owned()),
            signature: Signature::from_bytes([7; 64]),
            occasion: self.one(&[KeyOccasion::Rotation, KeyOccasion::Restore], KeyOccasion::Rotation),
            reason: self.reason(),
        })
    }

    /// A checkpoint of the log as it is, or of another size.
    pub(super) fn checkpoint(&mut self) -> Command {
        let size = self.hall.leaf_count() + self.dice.below(3);
        let size = if self.dice.permille(800) { self.hall.leaf_count() } else { size.saturating_sub(1) };
        Command::Hall(HallCommand::TakeCheckpoint { size, root: Digest::of(&size.to_be_bytes()) })
    }

    pub(super) fn registration(&mut self) -> Command {
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

    pub(super) fn filing(&mut self) -> Command {
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
    pub(super) fn refiling(&mut self, agent: &Agent) -> Option<Filing> {
        let (desk, division) = (self.hall.desk(), self.one(Division::ALL, Division::Open));
        let entry = desk.standing(&agent.id, desk.current_season()?, division)?;
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

    pub(super) fn lobby(&mut self) -> JoinLobby {
        let game = self.hall.catalog().iter().next().map_or("", |game| game.describe().id);
        if matches!(self.theme, Theme::Lobbies) {
            let division = self.one(Division::ALL, Division::Open);
            return JoinLobby { game: game.to_owned(), variant: "standard".to_owned(), division };
        }
        let capital = game.to_uppercase();
        JoinLobby {
            game: self.one(&[game, game, game, "go", "", &capital, "seventeen-letters"], "").to_owned(),
            variant: self.one(&["standard", "standard", "standard", "960", ""], "").to_owned(),
            division: self.one(Division::ALL, Division::Open),
        }
    }

    pub(super) fn feedback(&mut self) -> Command {
        Command::Desk(DeskCommand::PostFeedback(NewFeedback {
            kind: self.one(FeedbackKind::ALL, FeedbackKind::Other),
            subject: self.word(),
            body: self.word(),
            context: self.dice.permille(300).then(|| "{\"a\":1}".to_owned()),
        }))
    }

    pub(super) fn of_season(&mut self) -> Command {
        let Some(season) = self.season() else { return Command::Hall(HallCommand::Stop) };
        if self.dice.permille(500) {
            Command::Governance(GovernanceCommand::OpenSeason { season })
        } else {
            Command::Governance(GovernanceCommand::CloseSeason { season })
        }
    }

    pub(super) fn of_suspension(&mut self) -> Command {
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

    pub(super) fn verdict(&mut self) -> Command {
        let verdicts = [
            GameVerdict::Winner(Player::new(0)),
            GameVerdict::Winner(Player::new(1)),
            GameVerdict::Winner(Player::new(2)),
            GameVerdict::Draw,
            GameVerdict::Abort,
        ];
        // Now and then a player is taken out instead.
        if self.dice.permille(300) {
            let player = Player::new(u8::try_from(self.dice.below(5)).unwrap_or(0));
            // Who is out by the rules has no seat to leave, though others play on.
            let is_live = |room: &&Arc<Room>| room.result().is_none();
            let mut live = self.hall.rooms().iter().filter(is_live);
            let out = live.find_map(|room| Some((room.id(), *room.position().eliminated().first()?)));
            let out = out.filter(|_| self.dice.permille(300));
            let (game, player) = out.unwrap_or_else(|| (self.game(), player));
            return Command::Room(RoomCommand::Vacate { game, player, reason: self.reason() });
        }
        let verdict = self.one(&verdicts, GameVerdict::Abort);
        Command::Room(RoomCommand::Adjudicate { game: self.game(), verdict, reason: self.reason() })
    }

    pub(super) fn docket_entry(&mut self) -> Command {
        Command::Governance(GovernanceCommand::AddDocketEntry {
            kind: self.one(DocketKind::ALL, DocketKind::Note),
            subject: self.word(),
            reason: self.word(),
            disposition: self.dice.permille(500).then(|| self.word()),
        })
    }

    pub(super) fn gap(&mut self) -> Command {
        let lost = Span::from_millis(self.dice.below(100_000));
        let from = Timestamp::from_millis(self.at.as_millis().saturating_sub_unsigned(lost.as_millis()));
        Command::Room(RoomCommand::ExtendForGap {
            from,
            until: self.at,
            cause: GapCause::Pause,
            after: self.after(),
        })
    }

    /// A round of some game's beacon, or one that no game waits for.
    pub(super) fn beacon(&mut self) -> Command {
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

    pub(super) fn submission(&mut self, own: Caller) -> (Caller, Command) {
        let Some(room) = self.room() else { return (own, Command::Hall(HallCommand::Stop)) };
        let seats = u64::try_from(room.seats().len()).unwrap_or(2);
        let player = Player::new(u8::try_from(self.dice.below(seats)).unwrap_or(0));
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
            signature_check: self.dice.permille(900).into(),
            signed: Some(signed),
        };
        let who = if self.dice.permille(100) { own } else { seated };
        (who, Command::Room(RoomCommand::Submit(what)))
    }
}
