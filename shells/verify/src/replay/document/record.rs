//! The replay as a whole: head, seats, beacon, result (decision 6.4).

use super::fields::{Node, Shaped};
use super::game::{Act, Event, Turn, Unresolved};
use super::log::Log;
use hall_games::GameResult;
use hall_wire::json::Value;
use hall_wire::roll::Seed;
use hall_wire::{AgentId, Digest, GameId, Handle, HomologationId, Player, PublicKey, Timestamp};

/// So many may sit at a table. No game has as many; what each of them may have signed is tried for all.
const MOST_SEATS: usize = 16;

/// A replay whose fields all have the form they must have.
pub(in crate::replay) struct Replay<'v> {
    pub(in crate::replay) value: &'v Value,
    pub(in crate::replay) version: &'v str,
    pub(in crate::replay) game_id: GameId,
    pub(in crate::replay) game: &'v str,
    pub(in crate::replay) ruleset: &'v str,
    pub(in crate::replay) seats: Vec<Seat>,
    pub(in crate::replay) commitment: Digest,
    pub(in crate::replay) seed: Seed,
    pub(in crate::replay) beacon: Beacon<'v>,
    pub(in crate::replay) events: Vec<Event<'v>>,
    pub(in crate::replay) moves: Vec<Turn<'v>>,
    /// The acts of nature; `None` in games without chance.
    pub(in crate::replay) chance: Option<Vec<Act<'v>>>,
    /// What was sealed when the game ended; `None` where turns are not shared.
    pub(in crate::replay) unresolved: Option<Vec<Unresolved<'v>>>,
    pub(in crate::replay) hidden: &'v Value,
    pub(in crate::replay) result: GameResult,
    pub(in crate::replay) pgn: Option<&'v str>,
    pub(in crate::replay) log: Option<Log<'v>>,
}

/// Who sat where.
pub(in crate::replay) struct Seat {
    pub(in crate::replay) player: Player,
    pub(in crate::replay) agent: AgentId,
    pub(in crate::replay) handle: Handle,
    /// `None` if the 64 digits are no key that may be registered.
    pub(in crate::replay) key: Option<PublicKey>,
}

/// The beacon of the game as it was at the end.
pub(in crate::replay) struct Beacon<'v> {
    pub(in crate::replay) chain: Option<Digest>,
    pub(in crate::replay) round: Option<u64>,
    pub(in crate::replay) status: BeaconStatus,
    pub(in crate::replay) randomness: Option<Digest>,
    pub(in crate::replay) signature: Option<&'v str>,
}

/// How far the beacon came (decision 6.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::replay) enum BeaconStatus {
    Off,
    Waiting,
    Verified,
    Missed,
}

impl<'v> Replay<'v> {
    /// Reads a replay, and names the members that are not part of version 1.
    pub(in crate::replay) fn of(value: &'v Value) -> Shaped<(Self, Vec<String>)> {
        let mut unknown = Vec::new();
        let node = Node::top(value);
        let known = [
            "version",
            "game_id",
            "game",
            "variant",
            "division",
            "season_id",
            "ruleset_version",
            "seats",
            "commitment",
            "seed",
            "beacon",
            "events",
            "moves",
            "chance",
            "unresolved",
            "hidden",
            "result",
            "pgn",
            "log",
        ];
        let top = node.object(&known, &mut unknown)?;
        for word in ["variant", "division", "season_id"] {
            top.member(word)?.text()?;
        }
        let seats = top.member("seats")?;
        if seats.elements()?.nth(MOST_SEATS).is_some() {
            return Err(seats.problem("must be at most 16"));
        }
        let events = top.member("events")?;
        let moves = top.member("moves")?;
        let chance = top.if_there("chance");
        let unresolved = top.if_there("unresolved");
        let log = top.optional("log")?;
        let replay = Self {
            value,
            version: top.member("version")?.text()?,
            game_id: top.member("game_id")?.parsed("must be a game id", GameId::parse)?,
            game: top.member("game")?.text()?,
            ruleset: top.member("ruleset_version")?.text()?,
            seats: seats.list(|seat| Seat::read(seat, &mut unknown))?,
            commitment: top.member("commitment")?.digest()?,
            seed: top.member("seed")?.parsed("must be 64 lowercase hexadecimal digits", Seed::parse)?,
            beacon: Beacon::read(&top.member("beacon")?, &mut unknown)?,
            events: events.list(|event| Event::read(event, &mut unknown))?,
            moves: moves.list(|turn| Turn::read(turn, &mut unknown))?,
            chance: chance.map(|acts| acts.list(|act| Act::read(act, &mut unknown))).transpose()?,
            unresolved: unresolved
                .map(|sealed| sealed.list(|action| Unresolved::read(action, &mut unknown)))
                .transpose()?,
            hidden: top.member("hidden")?.value(),
            result: result(&top.member("result")?, &mut unknown)?,
            pgn: top.optional("pgn")?.map(|pgn| pgn.text()).transpose()?,
            log: log.map(|log| Log::read(&log, &mut unknown)).transpose()?,
        };
        Ok((replay, unknown))
    }

    /// The seat of a player.
    pub(in crate::replay) fn seat(&self, player: Player) -> Option<&Seat> {
        self.seats.get(player.index())
    }

    /// When the game was formed: the time of its first event.
    pub(in crate::replay) fn formed(&self) -> Option<Timestamp> {
        self.events.first().map(|event| event.created_at)
    }
}

impl Seat {
    fn read(node: &Node<'_, '_>, unknown: &mut Vec<String>) -> Shaped<Self> {
        let known = ["player", "agent_id", "handle", "pubkey_ed25519", "homologation_id"];
        let seat = node.object(&known, unknown)?;
        seat.member("homologation_id")?.parsed("must be a homologation id", HomologationId::parse)?;
        seat.member("pubkey_ed25519")?.digest()?;
        Ok(Self {
            player: seat.member("player")?.player()?,
            agent: seat.member("agent_id")?.parsed("must be an agent id", AgentId::parse)?,
            handle: seat.member("handle")?.parsed("must be a handle", Handle::parse)?,
            key: PublicKey::parse(seat.member("pubkey_ed25519")?.text()?),
        })
    }
}

impl<'v> Beacon<'v> {
    fn read(node: &Node<'v, '_>, unknown: &mut Vec<String>) -> Shaped<Self> {
        let known = ["chain_hash", "round", "status", "randomness", "signature"];
        let beacon = node.object(&known, unknown)?;
        let rule = "must be off, waiting, verified or missed";
        Ok(Self {
            chain: beacon.optional("chain_hash")?.map(|hash| hash.digest()).transpose()?,
            round: beacon.optional("round")?.map(|round| round.number()).transpose()?,
            status: beacon.member("status")?.parsed(rule, BeaconStatus::parse)?,
            randomness: beacon.optional("randomness")?.map(|hash| hash.digest()).transpose()?,
            signature: beacon.optional("signature")?.map(|text| text.text()).transpose()?,
        })
    }
}

impl BeaconStatus {
    pub(in crate::replay) const ALL: [Self; 4] = [Self::Off, Self::Waiting, Self::Verified, Self::Missed];

    fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == text)
    }

    pub(in crate::replay) const fn as_str(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Waiting => "waiting",
            Self::Verified => "verified",
            Self::Missed => "missed",
        }
    }
}

/// A result (decisions 5.8 and 13.6).
fn result(node: &Node<'_, '_>, unknown: &mut Vec<String>) -> Shaped<GameResult> {
    let members = node.object(&["winners", "draw", "reason", "points", "places"], unknown)?;
    members.member("winners")?.list(|winner| winner.player())?;
    members.member("draw")?.boolean()?;
    members.member("reason")?.text()?;
    let rule =
        "must have points and places, where it has them, as an object with a whole number for each player";
    serde_json::from_value(node.value().clone()).map_err(|_| node.problem(rule))
}
