//! What a check says: claims in a fixed order, each with a verdict.

use core::fmt;
use serde_json::{Value, json};

macro_rules! claims {
    ($($(#[$doc:meta])* $name:ident: $id:literal, $sentence:literal;)+) => {
        /// What is claimed of a replay, in the order in which it is checked.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum ClaimId {
            $($(#[$doc])* $name,)+
        }

        impl ClaimId {
            /// Every claim, in order.
            pub const ALL: &[Self] = &[$(Self::$name),+];

            /// The stable name.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $id,)+
                }
            }

            /// The claim in a sentence, as it is unless the check has more to say.
            const fn sentence(self) -> &'static str {
                match self {
                    $(Self::$name => $sentence,)+
                }
            }
        }
    };
}

claims! {
    /// Version and form of the document.
    Document: "document", "The document is a replay of version svc.replay.v1, complete and well-formed.";
    /// Members that this version of the check does not know.
    Additions: "additions", "The document says nothing beyond what is checked here.";
    /// Who plays.
    Seats: "seats", "Each seat has a handle, a sound key, and the agent id that follows from the key.";
    /// The seed.
    Commitment: "commitment", "The seed opens the commitment that the game began with.";
    /// Whose turn each turn was.
    TurnOrder: "turn-order", "The turns are counted without a gap, and each belongs to the player who was to move.";
    /// The signed bodies.
    BodySignatures: "body-signatures", "Each move is the canonical text that its player signed, for this game and turn.";
    /// The counted illegal moves.
    Attempts: "attempts", "Each counted illegal move was signed twice by the player to move, each in a request of its own.";
    /// The moves.
    Legality: "legality", "Each move is legal and the one its player named; each counted illegal move names no legal one.";
    /// Penalties.
    Forced: "forced", "The hall moved for a player only after a missed deadline or three illegal moves, which cost a strike, or once its seat was vacant.";
    /// Random moves.
    Rolls: "draws", "Each random number, and the move or act of nature that it decides, follow from seed, beacon and turn.";
    /// Offers and acceptances.
    DrawOffers: "draw-offers", "A draw was agreed only on a standing offer.";
    /// The hashes of the positions.
    StateHashes: "state-hashes", "Each state hash is that of the position after the turn.";
    /// How the game ended.
    Result: "result", "The result is what the position and the events of the game make it.";
    /// The spectators' events.
    Events: "events", "The spectators' events tell the same game.";
    /// Times and deadlines.
    Times: "times", "Times are in order and deadlines follow from the clocks, as the hall dates them.";
    /// The side clocks.
    Clocks: "clocks", "Each turn cost its player the time it took.";
    /// Which round the game is bound to.
    BeaconRound: "beacon-round", "The game was bound, when it was formed, to the first drand round due at least 3 s later, as the hall dates it.";
    /// The beacon's signature.
    Beacon: "beacon", "The beacon's round is signed by its drand chain, and the randomness is the hash of that signature.";
    /// What was hidden.
    Hidden: "hidden", "What was hidden in the game is shown.";
    /// Withheld words.
    Withheld: "withheld", "No words of the players are withheld.";
    /// The PGN.
    Pgn: "pgn", "The PGN has the moves, players, times and result of the game (its Event and Site are the hall's words).";
    /// Events in the log.
    LogEvents: "log-events", "Each event is a leaf of the log under its checkpoint, in the order of the game.";
    /// Registrations in the log.
    Registrations: "registrations", "The log binds each player's handle, agent id and key, from before the game, under different operators.";
    /// The signature of the checkpoint.
    LogSignature: "log-signature", "The checkpoint is signed with the log's key.";
    /// Cosignatures.
    Witnesses: "witnesses", "Each witness that is trusted has cosigned the checkpoint.";
}

impl fmt::Display for ClaimId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

/// Whether a claim holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It was checked and is so.
    Holds,
    /// It was checked and is not so; the text says what was found first.
    Fails(String),
    /// It was not checked, or can not be; the text says why.
    NotChecked(String),
}

/// One claim and its verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// Which claim.
    pub id: ClaimId,
    /// The claim in a plain sentence.
    pub sentence: String,
    /// Whether it holds.
    pub verdict: Verdict,
}

impl Claim {
    fn to_json(&self) -> Value {
        let (verdict, reason) = match &self.verdict {
            Verdict::Holds => ("holds", None),
            Verdict::Fails(reason) => ("fails", Some(reason)),
            Verdict::NotChecked(why) => ("not_checked", Some(why)),
        };
        json!({ "id": self.id.as_str(), "claim": self.sentence, "verdict": verdict, "reason": reason })
    }
}

/// What was found about one replay: every claim of [`ClaimId::ALL`], in that order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplayReport {
    game_id: String,
    claims: Vec<Claim>,
}

impl ReplayReport {
    /// The game that the replay says it is of, unchecked text if the document was not well-formed.
    #[must_use]
    pub fn game_id(&self) -> &str {
        &self.game_id
    }

    /// Every claim, in order.
    #[must_use]
    pub fn claims(&self) -> &[Claim] {
        &self.claims
    }

    /// The verdict on one claim.
    #[must_use]
    pub fn verdict(&self, id: ClaimId) -> Option<&Verdict> {
        self.claims.iter().find(|claim| claim.id == id).map(|claim| &claim.verdict)
    }

    /// Whether no claim fails. Claims that were not checked do not count; [`Self::not_checked`] names them.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.first_failing().is_none()
    }

    /// The first claim that fails: those after it may fail only because of it.
    #[must_use]
    pub fn first_failing(&self) -> Option<&Claim> {
        self.claims.iter().find(|claim| matches!(claim.verdict, Verdict::Fails(_)))
    }

    /// The report as one JSON object: `game_id`, `holds`, `first_failing` (the name of a claim, or null), `not_checked`
    /// (names), and `claims` in order, each with `id`, `claim`, `verdict` (`holds`, `fails` or `not_checked`) and `reason`
    /// (null where it holds).
    #[must_use]
    pub fn to_json(&self) -> Value {
        json!({
            "game_id": self.game_id,
            "holds": self.holds(),
            "first_failing": self.first_failing().map(|claim| claim.id.as_str()),
            "not_checked": self.not_checked().map(|claim| claim.id.as_str()).collect::<Vec<_>>(),
            "claims": self.claims.iter().map(Claim::to_json).collect::<Vec<_>>(),
        })
    }

    /// The claims that were not checked.
    pub fn not_checked(&self) -> impl Iterator<Item = &Claim> {
        self.claims.iter().filter(|claim| matches!(claim.verdict, Verdict::NotChecked(_)))
    }
}

/// Gathers verdicts. What was neither failed nor left holds.
#[derive(Debug)]
pub(super) struct Ledger {
    claims: Vec<Claim>,
}

impl Ledger {
    pub(super) fn new() -> Self {
        let claim =
            |id: &ClaimId| Claim { id: *id, sentence: id.sentence().to_owned(), verdict: Verdict::Holds };
        Self { claims: ClaimId::ALL.iter().map(claim).collect() }
    }

    /// The claim fails; what was found first stays.
    pub(super) fn fail(&mut self, id: ClaimId, reason: impl Into<String>) {
        self.change(id, |claim| {
            if !matches!(claim.verdict, Verdict::Fails(_)) {
                claim.verdict = Verdict::Fails(reason.into());
            }
        });
    }

    /// The claim is left unchecked; what was found or left before stays.
    pub(super) fn leave(&mut self, id: ClaimId, why: impl Into<String>) {
        self.change(id, |claim| {
            if claim.verdict == Verdict::Holds {
                claim.verdict = Verdict::NotChecked(why.into());
            }
        });
    }

    /// Leaves every claim that has not failed unchecked.
    pub(super) fn leave_rest(&mut self, why: &str) {
        ClaimId::ALL.iter().for_each(|id| self.leave(*id, why));
    }

    /// Fails the claim if `checked` is an error.
    pub(super) fn settle(&mut self, id: ClaimId, checked: Result<(), String>) {
        if let Err(reason) = checked {
            self.fail(id, reason);
        }
    }

    /// Says the claim in other words, because more or less is so than usual.
    pub(super) fn say(&mut self, id: ClaimId, sentence: impl Into<String>) {
        self.change(id, |claim| claim.sentence = sentence.into());
    }

    pub(super) fn has_failed(&self, id: ClaimId) -> bool {
        self.claims.iter().any(|claim| claim.id == id && matches!(claim.verdict, Verdict::Fails(_)))
    }

    pub(super) fn finish(self, game_id: String) -> ReplayReport {
        ReplayReport { game_id, claims: self.claims }
    }

    fn change(&mut self, id: ClaimId, change: impl FnOnce(&mut Claim)) {
        if let Some(claim) = self.claims.iter_mut().find(|claim| claim.id == id) {
            change(claim);
        }
    }
}
