//! Registration and homologation.

use crate::command::Caller;
use crate::decision::Decision;
use crate::desk::context::DeskContext;
use crate::desk::entries::filing_hash;
use crate::desk::fact::{DeskFact, LeaveCause};
use crate::desk::filing::{Filing, NewAgent, ToolAccess};
use crate::desk::state::Desk;
use crate::entropy::Entropy;
use crate::fact::Fact;
use crate::leaf;
use crate::rejection::Rejection;
use crate::reply::Reply;
use alloc::string::ToString;
use alloc::vec;
use alloc::vec::Vec;
use hall_rooms::{Division, SeasonId};
use hall_wire::{AgentId, HomologationId, id};

impl Desk {
    /// Registers an agent (specification 2.2). Neither reply nor rejection tells whether the operator is new.
    pub(super) fn register(&self, context: &DeskContext<'_>, new: &NewAgent) -> Result<Decision, Rejection> {
        let agent = AgentId::of_key(&new.key);
        // A suspended caller is told so first, as with every other write.
        if self.registry.is_operator_suspended(&new.operator) || self.is_suspended(&agent) {
            return Err(Rejection::AgentSuspended);
        }
        if self.registry.find_handle(new.handle.as_str()).is_some() {
            return Err(Rejection::HandleTaken);
        }
        if self.registry.find(&agent).is_some() {
            return Err(Rejection::KeyAlreadyRegistered);
        }
        let is_new_operator = self.registry.operator(&new.operator).is_none();
        let fact = Fact::Desk(DeskFact::AgentRegistered {
            at: context.at,
            agent,
            handle: new.handle.clone(),
            key: new.key,
            operator: new.operator,
            operator_name: new.operator_name.clone().filter(|_| is_new_operator),
            model_id: new.model_id.clone(),
            adapter_kind: new.adapter_kind,
            leaf: leaf::registration(context.at, &new.handle, agent, &new.key, new.operator),
        });
        Ok(Decision::grant(Reply::Registered { agent, operator: new.operator }, vec![fact]))
    }

    /// Files a homologation (specification 2.3). The same fields again answer the standing entry; other fields
    /// void it, and take the agent out of the division's lobbies.
    pub(super) fn homologate(
        &self,
        context: &DeskContext<'_>,
        who: Caller,
        agent: AgentId,
        filing: &Filing,
        entropy: &mut dyn Entropy,
    ) -> Result<Decision, Rejection> {
        let caller = self.caller(who)?;
        self.registry.find(&agent).ok_or(Rejection::AgentNotFound)?;
        if caller.id != agent {
            return Err(Rejection::NotYourAgent);
        }
        if filing.division == Division::Pure && filing.tool_access != ToolAccess::Pure {
            return Err(Rejection::DivisionMismatch);
        }
        let (number, season) = self.season_to_file_in(&filing.season_id)?;
        let division = filing.division;
        let hash = filing_hash(agent, season, filing);
        let reply = |id, voided_previous, unchanged| Reply::Homologated {
            id,
            hash,
            division,
            season: season.clone(),
            voided_previous,
            unchanged,
        };
        let previous = self.entries.standing(agent, number, division);
        if let Some(same) = previous.filter(|entry| entry.hash == hash) {
            return Ok(Decision::grant(reply(same.id, None, true), Vec::new()));
        }
        let mut random = [0; 10];
        entropy.fill(&mut random);
        let id = HomologationId::from_bytes(id::time_ordered(context.at, random));
        let voids = previous.map(|entry| entry.id);
        let lobbies = self.lobbies.of_agent(&agent).filter(|lobby| lobby.division == division);
        let mut facts: Vec<Fact> = lobbies
            .map(|lobby| {
                Fact::Desk(DeskFact::LobbyLeft { at: context.at, agent, lobby, cause: LeaveCause::Refiled })
            })
            .collect();
        facts.push(Fact::Desk(DeskFact::HomologationFiled {
            at: context.at,
            id,
            agent,
            season: season.clone(),
            // Decision: the fact names the season itself where `current` was filed, so that the hash can be
            // computed from the fact alone.
            filing: Filing { season_id: season.to_string(), ..filing.clone() },
            hash,
            voids,
            leaf: leaf::homologation(context.at, id, agent, season, division, &hash, voids),
        }));
        Ok(Decision::grant(reply(id, voids, false), facts))
    }

    /// The open season, if that is what `asked` means: `current` or its name.
    fn season_to_file_in(&self, asked: &str) -> Result<(super::SeasonNumber, &SeasonId), Rejection> {
        let open = self.seasons.open().filter(|(_, id)| asked == "current" || asked == id.as_str());
        open.ok_or(Rejection::SeasonNotFound)
    }
}
