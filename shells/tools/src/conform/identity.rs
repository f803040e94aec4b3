//! Challenges, signatures, registration, homologation.

use super::agent::Agent;
use super::chosen::ChosenGame;
use super::report::{CheckResult, ConformanceReport, ensure, soon};
use super::site::{Site, at, has, is, list_at, text_at, with};
use hall_client::wire::Digest;
use hall_client::wire::json::{Value, canonical};
use hall_client::wire::message::Challenge;
use hall_client::{NoRandomness, Randomness as _, SystemRandomness};
use serde_json::json;

/// The agents of this run.
pub(super) struct Cast {
    /// The two who play.
    pub(super) players: [Agent; 2],
    /// One of the same operator as the first.
    pub(super) sibling: Agent,
}

impl Cast {
    pub(super) const fn all(&self) -> [&Agent; 3] {
        let [one, two] = &self.players;
        [one, two, &self.sibling]
    }
}

pub(super) async fn claims(site: &Site, report: &mut ConformanceReport, chosen: &ChosenGame) -> Option<Cast> {
    report.group("Identity");
    let cast = match cast(site) {
        Ok(cast) => cast,
        Err(why) => {
            report.claim("Keys can be made.", Err(why));
            return None;
        }
    };
    let [ada, bob] = &cast.players;
    report.claim(
        "A challenge is issued for any handle, with what is to be signed.",
        challenge(site, ada).await,
    );
    report.claim("A key in upper case, or one of small order, is INVALID_BODY.", bad_keys(site, ada).await);
    report.claim("Another handle in the header is AUTH_HANDLE_MISMATCH.", mismatch(site, ada).await);
    let mut registered = true;
    for agent in cast.all() {
        let claim = format!("{} registers, and its id follows from its key.", agent.handle);
        registered &= report.claim(&claim, register(site, agent).await);
    }
    if !registered {
        return None;
    }
    report.claim(
        "A handle that is taken is HANDLE_TAKEN, a known key KEY_ALREADY_REGISTERED.",
        taken(site, ada, bob).await,
    );
    report.claim(
        "A bad signature is SIG_INVALID and costs no challenge; a good one spends it.",
        spending(site, ada).await,
    );
    report.claim("An unknown challenge is CHALLENGE_UNKNOWN.", unknown_challenge(site, ada).await);
    report.claim("Each signed answer brings the next challenge.", next_challenge(site, ada).await);
    report.claim("The query is not part of what is signed.", query(site, ada).await);
    report.claim("Acting for another's agent is NOT_YOUR_AGENT.", not_yours(site, ada, bob).await);
    report.claim(
        "Joining without a homologation is NOT_HOMOLOGATED.",
        not_homologated(site, ada, chosen).await,
    );
    report.claim(
        "A homologation is hashed, stays when filed again, and is voided by a change.",
        homologation(site, ada).await,
    );
    let mut filed = true;
    for agent in [bob, &cast.sibling] {
        filed &= report.claim(&format!("{} is homologated.", agent.handle), homologate(site, agent).await);
    }
    report.claim(
        "An engine in the pure division is DIVISION_MISMATCH, a strange season SEASON_NOT_FOUND.",
        misfiled(site, ada).await,
    );
    report.claim("The profile shows what was filed.", soon(async || profile(site, ada).await).await);
    filed.then_some(cast)
}

fn cast(site: &Site) -> Result<Cast, String> {
    let token = || -> Result<String, NoRandomness> {
        let mut bytes = [0; 32];
        SystemRandomness.fill(&mut bytes)?;
        Ok(Digest::of(&bytes).to_hex())
    };
    let token = || token().map_err(|error| error.to_string());
    let (one, two) = (token()?, token()?);
    let players = [Agent::new(site, "ada", &one)?, Agent::new(site, "bob", &two)?];
    Ok(Cast { players, sibling: Agent::new(site, "sib", &one)? })
}

async fn challenge(site: &Site, agent: &Agent) -> CheckResult {
    let data = site.get(&format!("/api/auth/challenge?agent={}", agent.handle)).await?.data()?;
    has(&data, &["expires", "sign"])?;
    is(&data, "single_use", true)?;
    ensure(Challenge::parse(&text_at(&data, "challenge")?).is_some(), || {
        "it is not 64 hex digits".to_owned()
    })?;
    site.get("/api/auth/challenge").await?.refused(422, "INVALID_QUERY").map(|_| ())
}

async fn bad_keys(site: &Site, agent: &Agent) -> CheckResult {
    // The last two encode points of small order.
    let upper = agent.key.public().to_string().to_uppercase();
    for key in [upper, format!("01{}", "0".repeat(62)), "0".repeat(64)] {
        let body = with(agent.registration(), "pubkey", key);
        agent.post(site, "/api/agents", &body).await?.refused(422, "INVALID_BODY")?;
    }
    Ok(())
}

async fn mismatch(site: &Site, agent: &Agent) -> CheckResult {
    let body = with(agent.registration(), "handle", "conform-somebody-else");
    agent.post(site, "/api/agents", &body).await?.refused(401, "AUTH_HANDLE_MISMATCH").map(|_| ())
}

async fn register(site: &Site, agent: &Agent) -> CheckResult {
    let data = agent.post(site, "/api/agents", &agent.registration()).await?.data()?;
    is(&data, "agent_id", agent.key.agent_id().to_string())?;
    is(&data, "handle", agent.handle.as_str())?;
    let operator = text_at(&data, "operator_id")?;
    ensure(operator.len() == 28 && operator.starts_with("o_"), || format!("operator_id is {operator:?}"))
}

async fn taken(site: &Site, ada: &Agent, bob: &Agent) -> CheckResult {
    let again = with(bob.registration(), "handle", ada.handle.as_str());
    let challenge = ada.challenge(site).await?;
    let bytes = canonical(&again);
    // Signed by the key in the body, under the handle in the body.
    let headers = hall_client::auth_headers(
        &bob.key,
        &ada.handle,
        &challenge,
        "POST",
        "/api/agents",
        Some(bytes.as_bytes()),
    );
    let reply = bob.send(site, &headers, "POST", "/api/agents", Some(bytes.as_bytes())).await?;
    reply.refused(409, "HANDLE_TAKEN")?;
    let stranger = Agent { handle: ada.handle.clone(), key: bob.key.clone(), token: bob.token.clone() };
    let other = Agent::new(site, "new", &bob.token)?;
    let renamed = Agent { handle: other.handle, ..stranger };
    renamed
        .post(site, "/api/agents", &renamed.registration())
        .await?
        .refused(409, "KEY_ALREADY_REGISTERED")
        .map(|_| ())
}

async fn spending(site: &Site, agent: &Agent) -> CheckResult {
    let challenge = agent.challenge(site).await?;
    let wrong = agent.headers(&challenge, "GET", "/api/my/other", None);
    let detail = agent.send(site, &wrong, "GET", "/api/my/games", None).await?.refused(401, "SIG_INVALID")?;
    is(&detail, "which", "header")?;
    let right = agent.headers(&challenge, "GET", "/api/my/games", None);
    agent.send(site, &right, "GET", "/api/my/games", None).await?.data()?;
    agent.send(site, &right, "GET", "/api/my/games", None).await?.refused(401, "CHALLENGE_SPENT").map(|_| ())
}

async fn unknown_challenge(site: &Site, agent: &Agent) -> CheckResult {
    let challenge = Challenge::parse(&"ab".repeat(32)).ok_or("64 digits are a challenge")?;
    let headers = agent.headers(&challenge, "GET", "/api/my/games", None);
    agent
        .send(site, &headers, "GET", "/api/my/games", None)
        .await?
        .refused(401, "CHALLENGE_UNKNOWN")
        .map(|_| ())
}

async fn next_challenge(site: &Site, agent: &Agent) -> CheckResult {
    let reply = agent.get(site, "/api/my/games").await?;
    let next = reply.header("x-svc-next-challenge").and_then(Challenge::parse);
    let next = next.ok_or("there is no X-Svc-Next-Challenge")?;
    let headers = agent.headers(&next, "GET", "/api/my/games", None);
    agent.send(site, &headers, "GET", "/api/my/games", None).await?.data().map(|_| ())
}

async fn query(site: &Site, agent: &Agent) -> CheckResult {
    is(&agent.get(site, "/api/my/games?status=ended").await?.data()?, "status", "ended")
}

async fn not_yours(site: &Site, ada: &Agent, bob: &Agent) -> CheckResult {
    let reply = ada.post(site, &bob.homologate_path(), &Agent::filing("open")).await?;
    reply.refused(403, "NOT_YOUR_AGENT").map(|_| ())
}

async fn not_homologated(site: &Site, agent: &Agent, chosen: &ChosenGame) -> CheckResult {
    let lobby = json!({ "game": chosen.id, "division": "open" });
    agent.post(site, "/api/lobby/join", &lobby).await?.refused(403, "NOT_HOMOLOGATED").map(|_| ())
}

async fn homologate(site: &Site, agent: &Agent) -> CheckResult {
    let data = agent.post(site, &agent.homologate_path(), &Agent::filing("open")).await?.data()?;
    is(&data, "division", "open")
}

async fn homologation(site: &Site, agent: &Agent) -> CheckResult {
    let filing = Agent::filing("open");
    let file = async |filing: &Value| agent.post(site, &agent.homologate_path(), filing).await?.data();
    let first = file(&filing).await?;
    let hashed = with(filing.clone(), "season_id", at(&first, "season_id")?.clone());
    let hashed = with(hashed, "agent_id", agent.key.agent_id().to_string());
    is(&first, "hash", Digest::of(canonical(&hashed).as_bytes()).to_hex())?;
    is(&first, "unchanged", false)?;
    is(&first, "voided_previous", Value::Null)?;
    let same = file(&filing).await?;
    is(&same, "unchanged", true)?;
    is(&same, "homologation_id", at(&first, "homologation_id")?.clone())?;
    let changed = file(&with(filing, "model_id", "hall conform, changed")).await?;
    is(&changed, "voided_previous", at(&first, "homologation_id")?.clone())
}

async fn misfiled(site: &Site, agent: &Agent) -> CheckResult {
    let filing = with(Agent::filing("pure"), "tool_access", "engine-assisted");
    agent.post(site, &agent.homologate_path(), &filing).await?.refused(422, "DIVISION_MISMATCH")?;
    let filing = with(Agent::filing("open"), "season_id", "never-opened");
    agent.post(site, &agent.homologate_path(), &filing).await?.refused(404, "SEASON_NOT_FOUND").map(|_| ())
}

async fn profile(site: &Site, agent: &Agent) -> CheckResult {
    let data = site.get(&format!("/api/agents/{}", agent.handle)).await?.data()?;
    is(&data, "agent.id", agent.key.agent_id().to_string())?;
    is(&data, "agent.pubkey_ed25519", agent.key.public().to_string())?;
    is(&data, "agent.status", "active")?;
    has(&data, &["ratings", "record"])?;
    let filed = list_at(&data, "homologations")?;
    let voided = filed.iter().filter(|entry| entry.get("voided_at").is_some_and(|at| !at.is_null())).count();
    ensure((filed.len(), voided) == (2, 1), || format!("{} entries, {voided} voided", filed.len()))
}
