//! The table of all checks: the name under which a violation is reported, and its meaning.
//!
//! Two further names belong to the program and not to an invariant: `panic`, when the hall or code that inspects it
//! panics (most often an assertion about the state), and `sweep`, when something due stays due.
//!
//! Invariants without a name here are tested elsewhere. That a sealed bid is disclosed to nobody before its round is
//! over: games of sealed bids beside the reference (`sim/tests/reference/bids`). That what a player is shown, legal moves
//! included, depends on nothing that it cannot know (N6): paired games (`sim/tests/reference/paired.rs`). That the pure parts of the core agree
//! with naive models of them: property tests beside those parts. That damage beyond the guarantees of storage ends in
//! a stop and never in a wrong answer: R2, D1 and D4 in worlds with corruption. Two halls on one folder, the marking
//! of agents' words, secrets in answers and logs: tests of the built hall. That the core has no clock, entropy or I/O:
//! its `no_std` and the lints. That every relevant state is reached: [`crate::marks`].

/// A named check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Check {
    /// Its short name, as `M1`.
    pub name: &'static str,
    /// The invariant, in one line.
    pub means: &'static str,
}

const fn check(name: &'static str, means: &'static str) -> Check {
    Check { name, means }
}

/// Every check there is, by family.
pub const CHECKS: &[Check] = &[
    check("A1", "every accepted request carries a valid signature of the handle's key"),
    check("A2", "one challenge authorizes at most one request, restarts included"),
    check("A3", "a challenge is accepted only for its handle, and for 300 s from its issue"),
    check("A4", "a request that the gate refuses leaves the state as it is"),
    check("A5", "a valid signature spends its challenge, and nothing else does"),
    check("A6", "handle and key belong together one to one and for ever"),
    check("A7", "an agent changes another's state only through a game that seats both, or by being paired"),
    check("A8", "every stored key is canonical and not of small order"),
    check("A9", "no operator token is written or told"),
    check("M1", "each turn of a game is resolved once"),
    check("M2", "the turn index rises by one with each resolution, and never otherwise"),
    check("M3", "every applied move is legal in an independent engine, and made by the player to move"),
    check(
        "M4",
        "the stored body of a move is its player's, signed for that game and turn, and says that move",
    ),
    check("M5", "a refused submission changes nothing, unless it is a counted illegal move"),
    check("M6", "illegal moves are counted one by one, only if illegal, and anew in each turn"),
    check(
        "M7",
        "the third illegal move brings one strike and, unless that ends the game, one random move, at once",
    ),
    check("M8", "an index means that entry of the list of legal moves"),
    check("M9", "legal moves are offered exactly to the player to move, all of them"),
    check("M10", "nothing happens in a game that has ended"),
    check("M11", "commentary is published with its move, and only then"),
    check("M12", "a game has one result with one cause, as an independent engine sees it"),
    check("M13", "a draw by agreement needs a standing offer of the opponent, which dies with the next move"),
    check("M14", "only the player to move resigns, and loses by it"),
    check("M15", "automatic draws and mates end the game with the move that brings them about"),
    check("M16", "an accepted move is answered with the turn that it resolved, and nothing is told twice"),
    check("M17", "a refused player is told how its game stands"),
    check(
        "T1",
        "a deadline is missed only when it has passed and no request stamped before it is on its way",
    ),
    check("T2", "a stamp at the deadline is in time, and one after it is late"),
    check("T3", "a deadline never moves earlier, and later only by a noted gap"),
    check("T4", "core time never runs backwards, and facts carry it"),
    check("T5", "at most one strike a turn and three a game; the third forfeits"),
    check("T6", "strikes are counted one by one within their game"),
    check("T7", "the next time at which the hall must act is that of its open turns and its sweep"),
    check("T8", "a deadline is the earlier of move time and side clock, as fixed when the game began"),
    check("T9", "nobody is struck for a gap, loses on time or is charged for it"),
    check(
        "N1",
        "nature acts when the rules call for it, as seed and beacon give, and shows only what is due",
    ),
    check("N2", "what is sealed in a shared turn is in no public word before the turn resolves"),
    check("N3", "a shared turn tells of each player what it has sealed, once all have acted"),
    check("N4", "a vacant seat is never waited for, struck or clocked"),
    check("N5", "points are those of the rules, places are a ranking, and winners are first"),
    check("L1", "an agent waits at most once in a lobby"),
    check("L2", "no game seats two agents of one operator"),
    check("L3", "no agent is seated twice in a game"),
    check("L4", "live games of an agent stay under the cap"),
    check("L5", "joins of a day stay within the quota, and the count is that of the journal"),
    check("L6", "what is refused at the desk changes nothing"),
    check("L7", "an agent that leaves a lobby was in it, and leaves it once"),
    check("L8", "who is paired holds a standing entry of that division and season, which the game keeps"),
    check("L9", "after a sweep or join nobody is left waiting who could be paired"),
    check("L10", "nobody is passed over for somebody who came later"),
    check("L11", "the game's identifier and seed are the recorded randomness"),
    check("L12", "a new filing changes no other entry and no live game"),
    check("L13", "who sat first less often sits first, and the lower hash in a tie"),
    check("L14", "an answer of the desk says what was decided"),
    check("L15", "a spent quota lasts until midnight"),
    check("D1", "what was durable is in the journal after every crash, as it was"),
    check("D2", "what was not known to be durable is there as a whole or not at all"),
    check("D3", "no answer leaves before its record is durable"),
    check("D4", "the recovered state is the one before the crash"),
    check("D5", "records are numbered without a gap and chained"),
    check("D7", "the recovered journal reaches as far as was ever told"),
    check("D8", "after a failed write nothing is answered"),
    check("D9", "a snapshot with the facts after it is the state of all facts"),
    check("G1", "every checkpoint is that of the one log, so that all are consistent with each other"),
    check("G2", "without faults every leaf is covered within a second"),
    check("G3", "a checkpoint that anybody can have covers only what is durable, and its cut is durable too"),
    check("G4", "no two checkpoints have one size"),
    check(
        "G5",
        "events, registrations, homologations, the docket and keys are in the log, and nothing else is",
    ),
    check("G6", "the commitment opens, and the beacon round lay in the future"),
    check("G7", "no seed comes twice"),
    check("G8", "every commitment is revealed, or its game is live"),
    check("G9", "state hashes, draws and event leaves are reproduced by a stranger"),
    check("G10", "a checkpoint bears the log key in force, and each key is signed by the one before it"),
    check("S2", "no seed is public before its game has ended"),
    check("S3", "an answer lists where agents' words stand in it, and lists nothing else"),
    check("S4", "the address of an endpoint is in no leaf, and nobody but its owner is shown it"),
    check("S5", "words that are withheld are shown no more, all others are, and no leaf changes with that"),
    check(
        "X1",
        "all attempts to ring for a turn share one event, are five at most, further and further apart, and end with the \
         turn",
    ),
    check("X2", "an agent is rung only where it has proven to be, unless that is suspended or disabled"),
    check("X3", "no connection leads to an address that is not public, or to another port"),
    check("X4", "one attempt for an endpoint and four for a host are under way, and few turns wait"),
    check("X5", "a stream is the events of its game in their order, without gap or repeat, resumed or not"),
    check("X6", "no reader of a stream delays an event, and the hall decides as it does without readers"),
    check("X7", "a ring has exactly its four fields"),
    check("X8", "an endpoint that is well is rung within three seconds of its turn"),
    check("X9", "an agent that waits is told of its turn, and of the end of its game, within three seconds"),
    check("V1", "without faults every open turn is resolved in time"),
    check("V2", "without faults an honest request succeeds within three tries"),
    check("V3", "without faults those who can be paired are, with the next sweep"),
    check("V4", "every bounded thing stays within its bound"),
    check("V5", "no flood of others brings an honest agent a strike"),
    check("V6", "without faults the hall is up"),
    check("W1", "each decided request is answered unless the process dies"),
    check("W2", "a ring that is due is attempted while its endpoint answers"),
    check("W3", "a beacon round that can be had in time is used, and no game waits for one that is settled"),
    check("W4", "a place, slot, permit or table row that was taken is given back"),
    check("W5", "what waits or has ended takes no more memory than it must"),
    check("W6", "after a failed append nothing of it was released"),
    check("Z1", "the same seed gives the same trace"),
    check("Z4", "the journal alone gives the same state"),
    check("H1", "every granted request of an agent is one decision, made between question and answer"),
    check("H2", "every refusal was right at some moment between question and answer"),
    check("H3", "nothing that an agent was granted vanishes"),
    check("H4", "the headers of an answer are those that it must have, and no others"),
    check("C1", "who came into the lobbies left them or waits there"),
    check("C2", "daily counts, live games and those that ended lately are those of the journal"),
    check("C3", "strikes shown are strikes given"),
    check("C4", "standings count a rated game once for each seat whose entry stands, by its result"),
    check("K1", "no acknowledged record is lost, doubled or changed over any sequence of leaders"),
    check(
        "K2",
        "the records of one epoch are those that its one leader decided, no two nodes have the right to lead at once, and \
         no process rings without a lease",
    ),
    check("K3", "at the same record all nodes have the same state, and it is that of the journal"),
    check("K4", "a signed read shows what anybody was told before; what a node shows never goes back"),
    check("K5", "a challenge is accepted once over all nodes and leaders"),
    check("K6", "the checkpoints of all leaders are prefixes of one log"),
    check("K7", "no agent pays for a change of the lead"),
    check("K8", "somebody leads within ten seconds when nothing goes wrong any more"),
    check(
        "K9",
        "an answer over HTTP is one of the interface: never INTERNAL, and UNAVAILABLE only while something is wrong",
    ),
    check(
        "K10",
        "what nodes say of themselves is so: one leader in an epoch, and no records that there are not",
    ),
    check("R1", "the reference hall decides the same"),
    check("R2", "the reference hall is in the same state"),
];
