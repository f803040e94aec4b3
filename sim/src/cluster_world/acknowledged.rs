//! What clients were told: it must be in the journal in the end, once for each time (K1), and every signed read must
//! show it before that (K4).

use crate::protocol::{AgentRequest, AnswerBrief, GameBrief};
use hall_core::rooms::{RoomChange, RoomFact};
use hall_core::{
    Answer, Command, DeskFact, Fact, Filing, GovernanceCommand, GovernanceFact, JoinLobby, LeaveCause, Lobby,
    Reply, RoomCommand,
};
use hall_driver::JournalEntry;
use hall_wire::{AgentId, GameId, Handle, Notation, Player};
use std::collections::{BTreeMap, BTreeSet};

/// An invariant that is broken, and how.
pub(super) type Finding = (&'static str, String);

/// A move that was played and the hash of the state after its turn; no hash while the turn is not resolved.
type Played = (Option<Notation>, Option<[u8; 32]>);

/// What an agent does at the desk or in a room and may do again, as both its request and the journal know it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Deed {
    Registered,
    Filed(String),
    Joined(String),
    Left(String),
    Posted(String),
    Illegal(GameId, u32),
}

/// How often something was asked for, and how often it was granted.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    asked: usize,
    granted: usize,
    /// Somebody was told that it had been done before.
    is_known: bool,
}

/// What clients were told.
#[derive(Default)]
pub(super) struct Acknowledged {
    deeds: BTreeMap<(Handle, Deed), Count>,
    /// What was played and what it led to.
    moves: BTreeMap<(GameId, u32, Handle), Played>,
    /// The turn that every signed read must have reached, of each game that was not told to have ended.
    floors: BTreeMap<GameId, u32>,
    registered: BTreeSet<Handle>,
    /// Entries of the docket, and what the operator said in those that it made by itself.
    docket: BTreeMap<u64, Option<String>>,
    /// Games that the operator has adjudicated.
    adjudicated: BTreeSet<GameId>,
    /// Games that were not found, though they had been shown.
    missing: BTreeSet<GameId>,
    /// Games that were known to be live, by those in whose list they were not.
    unlisted: BTreeSet<(GameId, Handle)>,
    /// Those of them that were shown to be live later: they had not ended.
    still_live: BTreeSet<(GameId, Handle)>,
}

/// What a client asks, with what it must be shown if it reads.
pub(super) struct Asked {
    floors: BTreeMap<GameId, u32>,
    is_registered: bool,
    unlisted: BTreeSet<(GameId, Handle)>,
}

impl Acknowledged {
    /// A client sends a request: whatever anybody was told before this is contained in what it is shown.
    pub(super) fn asks(&mut self, handle: &Handle, what: &AgentRequest) -> Asked {
        if let Some(deed) = Deed::of(what) {
            self.deeds.entry((handle.clone(), deed)).or_default().asked += 1;
        }
        let of = |game: &GameId| self.floors.get_key_value(game).map(|(game, turn)| (*game, *turn));
        let floors = match what {
            AgentRequest::View(game) => of(game).into_iter().collect(),
            AgentRequest::MyGames => self.floors.clone(),
            _ => BTreeMap::new(),
        };
        Asked { floors, is_registered: self.registered.contains(handle), unlisted: self.unlisted.clone() }
    }

    /// A client was answered.
    pub(super) fn hears(
        &mut self,
        handle: &Handle,
        asked: &Asked,
        what: &AgentRequest,
        answer: &AnswerBrief,
    ) -> Vec<Finding> {
        self.grant(handle, what, answer);
        let mut found = Vec::new();
        match (what, answer) {
            (AgentRequest::Move(what), AnswerBrief::Moved { turn_index, notation, state_hash, ended }) => {
                let told = (*notation, Some(*state_hash).filter(|hash| *hash != [0; 32]));
                let key = (what.game, *turn_index, handle.clone());
                if self.moves.insert(key, told).is_some_and(|known| known != told) {
                    found.push((
                        "K1",
                        format!("{handle} was told twice of turn {turn_index} of {}", what.game),
                    ));
                }
                // Others may still be to act in the turn.
                let turn = if told.1.is_some() { turn_index + 1 } else { *turn_index };
                self.has_reached(what.game, turn);
                self.is_live(what.game, asked);
                if *ended {
                    self.floors.remove(&what.game);
                }
            }
            (AgentRequest::Join(_), AnswerBrief::Joined { game: Some(game) }) => {
                self.floors.entry(*game).or_default();
            }
            (AgentRequest::View(game), AnswerBrief::View(view)) => {
                if view.live {
                    self.is_live(*game, asked);
                }
                if let Some(floor) =
                    asked.floors.get(game).filter(|floor| view.live && view.turn_index < **floor)
                {
                    let turn = view.turn_index;
                    let text =
                        format!("{handle} was shown turn {turn} of {game}, and turn {floor} had begun");
                    found.push(("K4", text));
                }
                if view.live {
                    self.has_reached(*game, view.turn_index);
                }
            }
            (_, AnswerBrief::Games(games)) => found.extend(self.lists(handle, asked, games)),
            (AgentRequest::View(game), AnswerBrief::Refused { code: "GAME_NOT_FOUND", .. })
                if asked.floors.contains_key(game) =>
            {
                self.missing.insert(*game);
            }
            (_, AnswerBrief::Refused { code: "AUTH_UNKNOWN_AGENT", .. }) if asked.is_registered => {
                found.push(("K4", format!("{handle} is registered, and not known")));
            }
            _ => {}
        }
        found
    }

    /// A client was shown its live games.
    fn lists(&mut self, handle: &Handle, asked: &Asked, games: &[GameBrief]) -> Vec<Finding> {
        let mut found = Vec::new();
        for brief in games {
            self.is_live(brief.game, asked);
            if let Some(floor) = asked.floors.get(&brief.game).filter(|floor| brief.turn_index < **floor) {
                let (game, turn) = (brief.game, brief.turn_index);
                found.push(("K4", format!("{handle}'s games show turn {turn} of {game}, not {floor}")));
            }
        }
        // Which of them it plays in, and which had ended, is known in the end.
        let listed: BTreeSet<GameId> = games.iter().map(|brief| brief.game).collect();
        let unlisted = asked.floors.keys().filter(|game| !listed.contains(*game));
        self.unlisted.extend(unlisted.map(|game| (*game, handle.clone())));
        for brief in games {
            self.has_reached(brief.game, brief.turn_index);
        }
        found
    }

    /// Somebody was told that a game is in this turn, or further on.
    fn has_reached(&mut self, game: GameId, turn: u32) {
        let floor = self.floors.entry(game).or_default();
        *floor = (*floor).max(turn);
    }

    /// A game is shown to be live to somebody who had asked this.
    fn is_live(&mut self, game: GameId, asked: &Asked) {
        let of_game = asked.unlisted.iter().filter(|(unlisted, _)| *unlisted == game);
        self.still_live.extend(of_game.cloned());
    }

    fn grant(&mut self, handle: &Handle, what: &AgentRequest, answer: &AnswerBrief) {
        let is_known = *answer == AnswerBrief::Filed { unchanged: true };
        let is_granted = matches!(
            answer,
            AnswerBrief::Registered
                | AnswerBrief::Filed { .. }
                | AnswerBrief::Joined { .. }
                | AnswerBrief::Left
                | AnswerBrief::Posted
                | AnswerBrief::Refused { code: "ILLEGAL_MOVE", .. }
        );
        if *answer == AnswerBrief::Registered {
            self.registered.insert(handle.clone());
        }
        if let Some(deed) = Deed::of(what).filter(|_| is_granted) {
            let count = self.deeds.entry((handle.clone(), deed)).or_default();
            count.is_known |= is_known;
            count.granted += usize::from(!is_known);
        }
    }

    /// The operator was answered.
    pub(super) fn operator_hears(&mut self, command: &Command, answer: &Answer) {
        if let (Command::Room(RoomCommand::Adjudicate { game, .. }), Ok(_)) = (command, answer) {
            self.adjudicated.insert(*game);
        }
        if let Ok(Reply::DocketEntered { id }) = answer {
            let subject = match command {
                Command::Governance(GovernanceCommand::AddDocketEntry { subject, .. }) => {
                    Some(subject.clone())
                }
                _ => None,
            };
            self.docket.insert(*id, subject);
        }
    }

    /// The end: it is all in the journal, as it was told.
    pub(super) fn ends(&self, entries: &BTreeMap<u64, JournalEntry>) -> Vec<Finding> {
        let kept = Kept::of(entries);
        let mut found: Vec<Finding> = Vec::new();
        for ((handle, deed), Count { asked, granted, is_known }) in &self.deeds {
            let count = kept.deeds.get(&(handle.clone(), deed.clone())).copied().unwrap_or(0);
            if count < (*granted).max(usize::from(*is_known)) || count > *asked {
                let text = format!(
                    "{deed:?} of {handle} was asked for {asked} times and granted {granted} times, and is {count} \
                     times in the journal"
                );
                found.push(("K1", text));
            }
        }
        let unasked = kept.deeds.keys().filter(|key| !self.deeds.contains_key(*key));
        found.extend(unasked.map(|(handle, deed)| ("K1", format!("nobody asked for {deed:?} of {handle}"))));
        for ((game, turn, handle), told) in &self.moves {
            if !kept.has_played(*game, *turn, handle, told) {
                let text = format!(
                    "turn {turn} of {game} was acknowledged to {handle} as {told:?}, and is not that"
                );
                found.push(("K1", text));
            }
        }
        for (game, floor) in &self.floors {
            if floor.checked_sub(1).is_some_and(|before| !kept.hashes.contains_key(&(*game, before))) {
                found.push(("K4", format!("turn {floor} of {game} was shown, and never began")));
            }
        }
        for (id, subject) in &self.docket {
            let entered = kept.docket.get(id);
            if entered.is_none() || subject.is_some() && entered != subject.as_ref() {
                found.push(("K1", format!("docket entry {id} was told as {subject:?}, and is {entered:?}")));
            }
        }
        for game in self.adjudicated.difference(&kept.ended) {
            found.push(("K1", format!("the operator was told that {game} is adjudicated, and it is live")));
        }
        for game in self.missing.difference(&kept.ended) {
            found.push(("K4", format!("{game} is live, and was not found")));
        }
        for (game, handle) in &self.unlisted {
            let was_live = !kept.ended.contains(game) || self.still_live.contains(&(*game, handle.clone()));
            let player = kept.players.get(&(*game, handle.clone()));
            if was_live && player.is_some_and(|player| !kept.left.contains(&(*game, *player))) {
                found
                    .push(("K4", format!("{handle} plays in {game}, which is live and was not in its list")));
            }
        }
        found
    }
}

impl Deed {
    /// What a request asks for.
    fn of(what: &AgentRequest) -> Option<Self> {
        match what {
            AgentRequest::Register(_) => Some(Self::Registered),
            AgentRequest::File(filing) => Some(Self::filed(filing)),
            AgentRequest::Join(lobby) => Some(Self::Joined(asked_for(lobby))),
            AgentRequest::Leave(lobby) => Some(Self::Left(asked_for(lobby))),
            AgentRequest::Post(_, subject) => Some(Self::Posted(subject.clone())),
            AgentRequest::Move(what) => Some(Self::Illegal(what.game, what.turn_index)),
            AgentRequest::Challenge | AgentRequest::MyGames | AgentRequest::View(_) => None,
        }
    }

    fn filed(filing: &Filing) -> Self {
        Self::Filed(format!("{} {} {:?}", filing.division, filing.config_sha256, filing.tool_access))
    }
}

fn asked_for(lobby: &JoinLobby) -> String {
    format!("{} {} {}", lobby.game, lobby.variant, lobby.division)
}

fn of_lobby(lobby: &Lobby) -> String {
    format!("{} {} {}", lobby.variant.game, lobby.variant.variant, lobby.division)
}

/// The same as the journal has it.
#[derive(Default)]
struct Kept {
    handles: BTreeMap<AgentId, Handle>,
    deeds: BTreeMap<(Handle, Deed), usize>,
    players: BTreeMap<(GameId, Handle), Player>,
    /// Entries of the docket with their subjects.
    docket: BTreeMap<u64, String>,
    /// What each player did in a turn.
    acted: BTreeMap<(GameId, u32, Player), Option<Notation>>,
    /// What each turn led to.
    hashes: BTreeMap<(GameId, u32), [u8; 32]>,
    /// Who left a table at which others play on.
    left: BTreeSet<(GameId, Player)>,
    ended: BTreeSet<GameId>,
}

impl Kept {
    fn of(entries: &BTreeMap<u64, JournalEntry>) -> Self {
        let mut kept = Self::default();
        for fact in entries.values().flat_map(|entry| &entry.facts) {
            match fact {
                Fact::Desk(fact) => kept.desk(fact),
                Fact::Room(fact) => kept.room(fact),
                Fact::Governance(GovernanceFact::DocketEntered { entry, .. }) => {
                    kept.docket.insert(entry.id, entry.subject.clone());
                }
                Fact::Hall(_) | Fact::Governance(_) | Fact::Doorbell(_) => {}
            }
        }
        kept
    }

    fn desk(&mut self, fact: &DeskFact) {
        let (agent, deed) = match fact {
            DeskFact::AgentRegistered { agent, handle, .. } => {
                self.handles.insert(*agent, handle.clone());
                (agent, Deed::Registered)
            }
            DeskFact::HomologationFiled { agent, filing, .. } => (agent, Deed::filed(filing)),
            DeskFact::LobbyJoined { agent, lobby, .. } => (agent, Deed::Joined(of_lobby(lobby))),
            DeskFact::LobbyLeft { agent, lobby, cause: LeaveCause::Left, .. } => {
                (agent, Deed::Left(of_lobby(lobby)))
            }
            DeskFact::FeedbackPosted { agent, subject, .. } => (agent, Deed::Posted(subject.clone())),
            DeskFact::LobbyLeft { .. } | DeskFact::LobbiesSwept { .. } | DeskFact::GameRated { .. } => return,
        };
        if let Some(handle) = self.handles.get(agent) {
            *self.deeds.entry((handle.clone(), deed)).or_default() += 1;
        }
    }

    fn room(&mut self, fact: &RoomFact) {
        let game = fact.game;
        match &fact.change {
            RoomChange::Started(terms) => {
                let players = (0..).map(Player::new).zip(&terms.seats);
                self.players.extend(players.map(|(player, seat)| ((game, seat.handle.clone()), player)));
            }
            RoomChange::IllegalAttempted { turn_index, player, .. } => {
                let of_player =
                    |((of, _), who): &(&(GameId, Handle), &Player)| *of == game && **who == *player;
                if let Some(((_, handle), _)) = self.players.iter().find(of_player) {
                    let deed = Deed::Illegal(game, *turn_index);
                    *self.deeds.entry((handle.clone(), deed)).or_default() += 1;
                }
            }
            RoomChange::MoveSealed { turn_index, player, action, .. } => {
                self.acted.insert((game, *turn_index, *player), Some(action.notation));
            }
            RoomChange::SeatVacated { turn_index, player, .. } => {
                // One who has sealed an action and is put out then had done that.
                self.acted.entry((game, *turn_index, *player)).or_insert(None);
                self.left.insert((game, *player));
            }
            RoomChange::Ended { .. } => {
                self.ended.insert(game);
            }
            _ => {}
        }
        if let Some(resolution) = fact.change.resolution() {
            let turn = resolution.turn_index;
            if let Some(player) = resolution.player {
                self.acted.insert((game, turn, player), resolution.notation);
            }
            self.hashes.insert((game, turn), *resolution.state_hash.as_bytes());
        }
    }

    /// Whether this is what somebody did in a turn, and what the turn led to.
    fn has_played(&self, game: GameId, turn: u32, handle: &Handle, (notation, hash): &Played) -> bool {
        let Some(player) = self.players.get(&(game, handle.clone())) else { return false };
        let is_done = self.acted.get(&(game, turn, *player)) == Some(notation);
        is_done && hash.is_none_or(|hash| self.hashes.get(&(game, turn)) == Some(&hash))
    }
}
