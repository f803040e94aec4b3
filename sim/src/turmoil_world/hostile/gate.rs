//! Replayed and forged requests, and registrations that must fail.

use super::super::clock::network_millis;
use super::super::operators::{guesses, operator_of};
use super::moves::ONE_MOVE;
use super::rules::{Allowed, judge_one_challenge};
use super::wire::{HostileAction, Request, moves_of, signed};
use super::{Mischief, Scene};
use hall_client::wire::message::Challenge;
use hall_client::wire::{AgentId, GameId, Handle};
use hall_client::{Choice, Homologation, Key, SignedMove};
use serde_json::{Value, json};

const SPENT: Allowed = &[(401, "CHALLENGE_SPENT")];
const NOT_SIGNED: Allowed = &[(401, "SIG_INVALID")];
const MISSING: Allowed = &[(401, "AUTH_MISSING")];
const UNKNOWN: Allowed = &[(401, "CHALLENGE_UNKNOWN")];
const REFUSED: Allowed = &[(422, "INVALID_BODY")];

const REPLAY: HostileAction = HostileAction("replay", "A2", SPENT);
const OTHER_BODY: HostileAction = HostileAction("other_body", "A2", SPENT);
const OTHER_PATH_SPENT: HostileAction = HostileAction("other_path_spent", "A2", SPENT);
const ONE_CHALLENGE: HostileAction = HostileAction(
    "one_challenge",
    "A2",
    &[(409, "wrong_turn"), (409, "GAME_NOT_LIVE"), (401, "CHALLENGE_SPENT")],
);
const OTHER_PATH: HostileAction = HostileAction("other_path", "A1", NOT_SIGNED);
pub(super) const UNSPENT: HostileAction = HostileAction("unspent", "A5", &[(200, "")]);
const SPENT_BY_REFUSAL: HostileAction = HostileAction("spent_by_refusal", "A5", SPENT);
const OTHERS_CHALLENGE: HostileAction = HostileAction("others_challenge", "A3", UNKNOWN);
const INVENTED_CHALLENGE: HostileAction = HostileAction("invented_challenge", "A3", UNKNOWN);
const OTHER_HANDLE: HostileAction =
    HostileAction("other_handle", "A1", &[(401, "SIG_INVALID"), (401, "AUTH_UNKNOWN_AGENT")]);
const OTHER_KEY: HostileAction = HostileAction("other_key", "A1", NOT_SIGNED);
const FORGED_BODY: HostileAction = HostileAction("forged_body", "A1", NOT_SIGNED);
const FORGED_HEADER: HostileAction = HostileAction("forged_header", "A1", NOT_SIGNED);
const FORGED_MOVE: HostileAction = HostileAction("forged_move", "A1", NOT_SIGNED);
const MISSING_HEADER: HostileAction = HostileAction("missing_header", "A1", MISSING);
const UPPERCASE_HEADER: HostileAction = HostileAction("uppercase_header", "A1", MISSING);
const TWO_HEADERS: HostileAction = HostileAction("repeated_header", "A1", MISSING);
const WEAK_KEY: HostileAction = HostileAction("weak_key", "A8", REFUSED);
const KEY_SHARED: HostileAction = HostileAction("key_shared", "A6", &[(409, "KEY_ALREADY_REGISTERED")]);
const HANDLE_TAKEN: HostileAction = HostileAction("handle_taken", "A6", &[(409, "HANDLE_TAKEN")]);
const HANDLE_MISMATCH: HostileAction =
    HostileAction("handle_mismatch", "A6", &[(401, "AUTH_HANDLE_MISMATCH")]);
const OTHERS_FILING: HostileAction =
    HostileAction("others_filing", "A7", &[(403, "NOT_YOUR_AGENT"), (404, "AGENT_NOT_FOUND")]);

const GUESSED: HostileAction = HostileAction("token_guessed", "A9", &[(200, "")]);

/// Where doorbells are disabled, which without one changes nothing, and where they are verified.
pub(super) const DISABLE: &str = "/api/doorbell/disable";
const VERIFY: &str = "/api/doorbell/verify";

/// The encodings of points of small order, two of them as no encoder writes them, of a point of the curve beyond the
/// field's prime, and a key in upper case.
const NO_KEYS: [&str; 7] = [
    "0100000000000000000000000000000000000000000000000000000000000000",
    "0000000000000000000000000000000000000000000000000000000000000000",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "0100000000000000000000000000000000000000000000000000000000000080",
    "f0ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "D75A980182B10AB7D54BFED3C964073A0EE172F3DAA62325AF021A68F707511A",
];

impl Mischief {
    /// Sends again what it has sent.
    pub(super) async fn replay(&mut self, scene: Scene<'_>) -> Option<()> {
        self.send_hoard().await;
        // The hall does not restart in a world without faults.
        if self.hostility.excuses.faulty && self.dice.permille(500) {
            return self.hoard(scene).await;
        }
        match self.dice.below(4) {
            0 => self.share_one_challenge(scene).await,
            1 => self.redirect().await,
            2 => self.borrow_challenges().await,
            _ => self.repeat_move(scene).await,
        }
    }

    /// Makes its move, and sends the very same request again, and its challenge with other requests.
    async fn repeat_move(&mut self, scene: Scene<'_>) -> Option<()> {
        let move_body = self.body_of(scene);
        let path = moves_of(&move_body.game);
        let challenge = self.wire.challenge(&self.wire.handle).await?;
        let request = self.wire.signed(&challenge, &path, &move_body.body);
        let asked = network_millis();
        let reply = self.wire.dare(ONE_MOVE, &request).await?;
        self.wire.accepted(&move_body, &reply, asked);
        self.wire.dare(REPLAY, &request).await?;
        let next = self.marked(&move_body.game, move_body.turn_index + 1, OTHER_BODY);
        let altered = Request { body: Some(next.body.to_vec()), ..request.clone() };
        self.wire.dare(OTHER_BODY, &altered).await?;
        let elsewhere = self.wire.signed(&challenge, DISABLE, b"{}");
        self.wire.dare(OTHER_PATH_SPENT, &elsewhere).await.map(|_| ())
    }

    /// Sends one request several times at the same time.
    async fn share_one_challenge(&mut self, scene: Scene<'_>) -> Option<()> {
        let game = scene.view.game_id;
        let stale = self.marked(&game, scene.view.turn_index + 2, ONE_CHALLENGE);
        let request = self.wire.fresh(&moves_of(&game), &stale.body).await?;
        let count = usize::try_from(self.dice.between(2, 6)).ok()?;
        let replies = self.at_once(ONE_CHALLENGE, vec![request; count]).await;
        let codes: Vec<String> = replies.into_iter().map(|reply| reply.code).collect();
        if let Some((invariant, text)) = judge_one_challenge(&codes) {
            self.wire.chronicle.violation(invariant, format!("{game}: {text}"));
        }
        Some(())
    }

    /// Signs for one path and sends to another; its challenge is still good for the first.
    async fn redirect(&self) -> Option<()> {
        let request = self.wire.fresh(DISABLE, b"{}").await?;
        let elsewhere = Request { path: VERIFY.to_owned(), ..request.clone() };
        self.wire.dare(OTHER_PATH, &elsewhere).await?;
        self.wire.dare(UNSPENT, &request).await?;
        self.wire.dare(REPLAY, &request).await.map(|_| ())
    }

    /// Uses challenges that were issued for others, or never.
    async fn borrow_challenges(&mut self) -> Option<()> {
        let other = self.neighbour()?;
        let issued = self.wire.challenge(&other).await?;
        let request = self.wire.signed(&issued, DISABLE, b"{}");
        self.wire.dare(OTHERS_CHALLENGE, &request).await?;
        let invented = Challenge::from_bytes(self.dice.bytes());
        let request = self.wire.signed(&invented, DISABLE, b"{}");
        self.wire.dare(INVENTED_CHALLENGE, &request).await.map(|_| ())
    }

    /// Forges in one of the ways there are.
    pub(super) async fn forge(&mut self, scene: Scene<'_>) -> Option<()> {
        match self.dice.below(5) {
            0 => self.forge_request(scene).await,
            1 => self.forge_move(scene).await,
            2 => self.forge_name().await,
            3 => self.spoil_headers(scene).await,
            _ => self.register_no_key().await,
        }
    }

    /// Alters what is signed, or the signature.
    async fn forge_request(&mut self, scene: Scene<'_>) -> Option<()> {
        let game = scene.view.game_id;
        let path = moves_of(&game);
        let (written, other) = (self.body_of(scene), self.marked(&game, scene.view.turn_index, FORGED_BODY));
        let request = self.wire.fresh(&path, &written.body).await?;
        let altered = Request { body: Some(other.body.to_vec()), ..request };
        self.wire.dare(FORGED_BODY, &altered).await?;
        let forged = self.marked(&game, scene.view.turn_index, FORGED_HEADER);
        let mut request = self.wire.fresh(&path, &forged.body).await?;
        for (name, value) in &mut request.headers {
            if *name == "x-svc-signature" {
                let flipped = if value.starts_with('0') { "1" } else { "0" };
                value.replace_range(..1, flipped);
            }
        }
        self.wire.dare(FORGED_HEADER, &request).await.map(|_| ())
    }

    /// Has another key sign the move. The request is its own, and so its challenge is spent.
    async fn forge_move(&mut self, scene: Scene<'_>) -> Option<()> {
        let key = self.other_key()?;
        let choice = scene.choice.clone().saying(FORGED_MOVE.0);
        let forged = SignedMove::new(&key, &scene.view.game_id, scene.view.turn_index, &choice);
        self.wire.must_not_apply(FORGED_MOVE, &forged);
        let request = self.wire.fresh(&moves_of(&forged.game), &forged.body).await?;
        self.wire.dare(FORGED_MOVE, &request).await?;
        self.wire.dare(SPENT_BY_REFUSAL, &request).await.map(|_| ())
    }

    /// Acts in its own name with another key, and in another's name with its own.
    async fn forge_name(&mut self) -> Option<()> {
        let (key, other) = (self.other_key()?, self.neighbour()?);
        let challenge = self.wire.challenge(&self.wire.handle).await?;
        let request = signed(&key, &self.wire.handle, &challenge, DISABLE, b"{}");
        self.wire.dare(OTHER_KEY, &request).await?;
        let challenge = self.wire.challenge(&other).await?;
        let request = signed(&self.wire.key, &other, &challenge, DISABLE, b"{}");
        self.wire.dare(OTHER_HANDLE, &request).await.map(|_| ())
    }

    /// Leaves a header out, writes it otherwise, and writes it twice.
    async fn spoil_headers(&mut self, scene: Scene<'_>) -> Option<()> {
        let written = self.marked(&scene.view.game_id, scene.view.turn_index, MISSING_HEADER);
        let request = self.wire.fresh(&moves_of(&written.game), &written.body).await?;
        let left_out = usize::try_from(self.dice.below(3)).ok()?;
        let mut without = request.clone();
        without.headers.remove(left_out);
        self.wire.dare(MISSING_HEADER, &without).await?;
        let mut shouted = request.clone();
        for (name, value) in &mut shouted.headers {
            if *name == "x-svc-challenge" {
                value.make_ascii_uppercase();
                value.replace_range(..1, "A");
            }
        }
        self.wire.dare(UPPERCASE_HEADER, &shouted).await?;
        let mut twice = request;
        let again = twice.headers.get(left_out)?.clone();
        twice.headers.push(again);
        self.wire.dare(TWO_HEADERS, &twice).await.map(|_| ())
    }

    /// Registers what is no key, or not as keys are written.
    async fn register_no_key(&mut self) -> Option<()> {
        let handle = Handle::parse(&format!("weak-{}", self.wire.number))?;
        let no_key = *self.dice.pick(&NO_KEYS)?;
        let body = self.registration(&handle, no_key);
        self.register(WEAK_KEY, &self.wire.key, &handle, &body).await
    }

    /// Registers its key and its handle again, and files for another agent.
    pub(super) async fn share(&mut self, _: Scene<'_>) -> Option<()> {
        if self.dice.permille(300) {
            return self.guess_token().await;
        }
        let own = self.wire.key.public().to_string();
        let second = Handle::parse(&format!("second-{}", self.wire.number))?;
        let body = self.registration(&second, &own);
        self.register(KEY_SHARED, &self.wire.key, &second, &body).await?;
        let other = self.other_key()?;
        let body = self.registration(&self.wire.handle, &other.public().to_string());
        self.register(HANDLE_TAKEN, &other, &self.wire.handle, &body).await?;
        self.register(HANDLE_MISMATCH, &other, &second, &body).await?;
        let agent: AgentId = other.agent_id();
        let path = format!("/api/agents/{agent}/homologate");
        let filing = Homologation::bare("open", "random", "other").body().to_string();
        let request = self.wire.fresh(&path, filing.as_bytes()).await?;
        self.wire.dare(OTHERS_FILING, &request).await.map(|_| ())
    }

    /// Registers another agent with what might be the token of its neighbour's operator: that is another operator. With
    /// its own token it is its own, and no answer tells one from the other.
    async fn guess_token(&mut self) -> Option<()> {
        let other = self.neighbour()?;
        let number = u64::try_from(self.wire.number).ok()?;
        let theirs = operator_of(number.checked_sub(1).unwrap_or(1));
        let told = self.wire.read(format!("/api/agents/{other}")).await?;
        let theirs_id = told.pointer("/agent/operator_id")?.as_str()?.to_owned();
        let own = self.wire.read(format!("/api/agents/{}", self.wire.handle)).await?;
        let own_id = own.pointer("/agent/operator_id")?.as_str()?.to_owned();
        let guess = self.dice.pick(&guesses(theirs))?.clone();
        for (token, is_own) in [(guess, false), (self.wire.key.operator_token().to_owned(), true)] {
            let key = self.other_key()?;
            let handle = Handle::parse(&format!("guess-{}", &key.public().to_string()[..20]))?;
            let body = json!({
                "handle": handle, "model_id": "random", "pubkey": key.public().to_string(),
                "operator_token": token, "operator_name": "named by a guesser",
            });
            let challenge = self.wire.challenge(&handle).await?;
            let request = signed(&key, &handle, &challenge, "/api/agents", body.to_string().as_bytes());
            let reply = self.wire.dare(GUESSED, &request).await?;
            if let Err((invariant, text)) = judge_guess(&reply.data, is_own, &own_id, &theirs_id) {
                self.wire.chronicle.violation(invariant, format!("{handle}: {text}"));
            }
        }
        Some(())
    }

    async fn register(&self, action: HostileAction, key: &Key, handle: &Handle, body: &str) -> Option<()> {
        let challenge = self.wire.challenge(handle).await?;
        let request = signed(key, handle, &challenge, "/api/agents", body.as_bytes());
        self.wire.dare(action, &request).await.map(|_| ())
    }

    /// The body of a registration of this handle and key, under its own operator.
    fn registration(&self, handle: &Handle, pubkey: &str) -> String {
        let operator_token: Value = self.wire.key.operator_token().into();
        let body = json!({
            "handle": handle, "model_id": "random", "pubkey": pubkey, "operator_token": operator_token,
        });
        body.to_string()
    }

    /// A body that is like no other, and must never be applied.
    pub(super) fn marked(&self, game: &GameId, turn_index: u32, action: HostileAction) -> SignedMove {
        let marked = SignedMove::new(&self.wire.key, game, turn_index, &Choice::index(0).saying(action.0));
        self.wire.must_not_apply(action, &marked);
        marked
    }

    /// A key that belongs to no agent.
    fn other_key(&mut self) -> Option<Key> {
        Key::from_seed(self.wire.key.hall(), &self.dice.bytes(), self.wire.key.operator_token()).ok()
    }

    /// The handle of the agent that came before, or after the first one.
    fn neighbour(&self) -> Option<Handle> {
        Handle::parse(&format!("agent-{}", self.wire.number.checked_sub(1).unwrap_or(1)))
    }
}

/// The members of the answer to a registration, whether its operator is new or not.
const REGISTERED: [&str; 4] = ["agent_id", "handle", "next", "operator_id"];

/// Whether the answer to a registration under one's own token, or under one that is not the neighbour's, is right.
fn judge_guess(data: &Value, is_own: bool, own: &str, theirs: &str) -> Result<(), (&'static str, String)> {
    let members = data.as_object().into_iter().flat_map(|members| members.keys().map(String::as_str));
    if !members.eq(REGISTERED) {
        return Err(("A9", format!("the answer may say whether the operator is known: {data}")));
    }
    let told = data.get("operator_id").and_then(Value::as_str).unwrap_or_default();
    if (told == own) != is_own || !is_own && told == theirs {
        return Err((
            "L2",
            format!("own token: {is_own}, and the operator is {told}; own {own}, neighbour's {theirs}"),
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guess_that_succeeds_another_operator_for_the_same_token_and_a_hint_are_reported() {
        let told =
            |operator: &str| json!({ "agent_id": "a", "handle": "b", "next": "c", "operator_id": operator });
        let name = |data: &Value, is_own| judge_guess(data, is_own, "o_1", "o_2").err().map(|(name, _)| name);
        assert_eq!(name(&told("o_3"), false), None);
        assert_eq!(name(&told("o_1"), true), None);
        assert_eq!(name(&told("o_2"), false), Some("L2"));
        assert_eq!(name(&told("o_1"), false), Some("L2"));
        assert_eq!(name(&told("o_3"), true), Some("L2"));
        let mut hint = told("o_3");
        hint["linked"] = false.into();
        assert_eq!(name(&hint, false), Some("A9"));
    }
}
