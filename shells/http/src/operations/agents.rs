//! Challenges, registration, homologation and profiles.

use super::{data, unexpected};
use crate::answer::{Answer, Failure, Outcome};
use crate::authentication::Caller;
use crate::errors::ApiCode;
use crate::payload::{AgentData, ChallengeData, HomologatedData, HomologationRecord, RegisteredData};
use crate::refusals::rate_limited;
use crate::requests::Registration;
use crate::shell::Shell;
use hall_core::rate::ClientKey;
use hall_core::{Caller as By, Command, DeskCommand, Filing, NewAgent, Reply};
use hall_wire::{AgentId, Handle};

/// Homologation entries that a profile shows at most, the youngest.
const ENTRIES_SHOWN: usize = 200;

pub(super) fn challenge(shell: &Shell, handle: &Handle) -> Outcome {
    let (challenge, expires) = shell.issue_challenge(handle);
    Ok(Answer::data(&ChallengeData::of(handle, &challenge, expires)).cached("no-store"))
}

pub(super) async fn register(
    shell: &Shell,
    caller: Caller,
    registration: Registration,
    client: ClientKey,
) -> Outcome {
    let Registration { handle, model_id, key, operator_token, adapter_kind, operator_name } = registration;
    let operator = shell.operators.operator_of(&operator_token);
    drop(operator_token);
    admit(shell, &handle, caller.agent, client)?;
    let new = NewAgent { handle: handle.clone(), key, operator, operator_name, model_id, adapter_kind };
    let reply = shell
        .engine
        .submit(caller.arrival, By::Hall, Command::Desk(DeskCommand::RegisterAgent(new)))
        .await??;
    let Reply::Registered { agent, operator } = reply else { return Err(unexpected()) };
    data(&RegisteredData::of(agent, handle, operator))
}

/// Counts a registration of a client, unless it is going to be refused: what is refused costs nothing.
fn admit(shell: &Shell, handle: &Handle, agent: AgentId, client: ClientKey) -> Result<(), Failure> {
    let taken = shell.engine.peek(|hall| {
        let desk = hall.desk();
        desk.agent_by_handle(handle).is_some() || desk.agent(&agent).is_some()
    });
    if taken {
        return Ok(());
    }
    shell.admit_registration(client).map(|_| ()).map_err(|refused| {
        let message = format!(
            "At most {} agents can be registered from one address in an hour. Wait {} seconds.",
            refused.limit, refused.seconds
        );
        rate_limited(message, refused.seconds)
    })
}

pub(super) async fn homologate(shell: &Shell, caller: Caller, id: &str, filing: Filing) -> Outcome {
    let Some(agent) = AgentId::parse(id) else {
        // Decision: whoever is suspended hears that first, as with every other write.
        let suspended = shell.engine.read(|hall| hall.desk().is_suspended(&caller.agent)).await?;
        return Err(if suspended { ApiCode::AgentSuspended } else { ApiCode::AgentNotFound }.into());
    };
    let by = By::Agent(caller.agent);
    let reply = shell
        .engine
        .submit(caller.arrival, by, Command::Desk(DeskCommand::FileHomologation { agent, filing }))
        .await??;
    let Reply::Homologated { id, hash, division, season, voided_previous, unchanged } = reply else {
        return Err(unexpected());
    };
    data(&HomologatedData {
        homologation_id: id,
        hash,
        division,
        season_id: season,
        voided_previous,
        unchanged,
    })
}

pub(super) async fn profile(shell: &Shell, handle: &str) -> Outcome {
    let not_found = || Failure::from(ApiCode::AgentNotFound);
    let handle = Handle::parse(handle).ok_or_else(not_found)?;
    let id = shell.engine.read(|hall| hall.desk().agent_by_handle(&handle).map(|agent| agent.id)).await?;
    let filed = shell.engine.archive().homologations(&id.ok_or_else(not_found)?, ENTRIES_SHOWN)?;
    let records = filed.iter().map(|entry| {
        let (filing, voided_at) = (&entry.filing, entry.voided_at);
        HomologationRecord::of(entry.id, &entry.season, filing, entry.hash, entry.created_at, voided_at)
    });
    let records: Vec<_> = records.collect();
    let profile = shell.engine.read(move |hall| {
        let desk = hall.desk();
        desk.agent_by_handle(&handle).map(|agent| AgentData::of(desk, agent, records))
    });
    data(&profile.await?.ok_or_else(not_found)?)
}
