//! Words that the operator has withheld (decision 8.1), where the journal holds them.

use hall_core::rooms::{RoomChange, RoomFact};
use hall_core::{Command, DeskCommand, DeskFact, Fact, Hall, RoomCommand, Withheld};
use hall_driver::JournalEntry;
use hall_wire::{AgentId, OperatorId};
use std::collections::BTreeSet;

/// Words that the operator has withheld.
#[derive(Default)]
pub(super) struct WithheldWords {
    pub(super) what: BTreeSet<Withheld>,
    /// The operators of whom an agent's words are withheld: their names are too, in whatever registration they stand.
    pub(super) unnamed: BTreeSet<OperatorId>,
}

impl WithheldWords {
    /// Those of a hall now.
    pub(super) fn of(hall: &Hall) -> Self {
        let what: BTreeSet<Withheld> = hall.desk().withheld().copied().collect();
        let agents =
            what.iter().filter_map(|what| if let Withheld::Agent(agent) = what { Some(agent) } else { None });
        let unnamed = agents.filter_map(|agent| Some(hall.desk().agent(agent)?.operator)).collect();
        Self { what, unnamed }
    }

    /// The fields of a registration.
    fn in_registration(
        &self,
        agent: &AgentId,
        operator: &OperatorId,
        name: Option<&String>,
    ) -> Vec<&'static str> {
        let model = self.what.contains(&Withheld::Agent(*agent)).then_some("model_id");
        let name = name.filter(|_| self.unnamed.contains(operator)).map(|_| "operator_name");
        model.into_iter().chain(name).collect()
    }
}

/// The places in a record, as JSON pointers, that hold withheld words.
pub(super) fn withheld_places(entry: &JournalEntry, words: &WithheldWords) -> BTreeSet<String> {
    let withheld = &words.what;
    let mut places = BTreeSet::new();
    if withheld.is_empty() {
        return places;
    }
    let mut hide = |inside: String, fields: &[&str]| {
        places.extend(fields.iter().map(|field| format!("{inside}/{field}")));
    };
    let is_of = |agent: &AgentId| withheld.contains(&Withheld::Agent(*agent));
    if let Command::Room(RoomCommand::Submit(asked)) = &entry.what
        && withheld.contains(&Withheld::Turn { game: asked.game, turn_index: asked.turn_index })
    {
        // An illegal move may be any word.
        let is_illegal = |fact: &Fact| {
            let Fact::Room(fact) = fact else { return false };
            matches!(fact.change, RoomChange::IllegalAttempted { .. })
        };
        let choice = entry.facts.iter().any(is_illegal).then_some("choice");
        let commentary = asked.commentary.as_ref().map(|_| "commentary");
        let said: Vec<&str> = choice.into_iter().chain(commentary).collect();
        hide("/what/submit_move".to_owned(), &said);
    }
    if let Command::Desk(DeskCommand::RegisterAgent(new)) = &entry.what {
        let agent = AgentId::of_key(&new.key);
        let fields = words.in_registration(&agent, &new.operator, new.operator_name.as_ref());
        hide("/what/register_agent".to_owned(), &fields);
    }
    if let Command::Desk(DeskCommand::FileHomologation { agent, .. }) = &entry.what
        && is_of(agent)
    {
        hide("/what/file_homologation/filing".to_owned(), &["model_id"]);
    }
    for (index, fact) in entry.facts.iter().enumerate() {
        if let Fact::Desk(DeskFact::AgentRegistered { agent, operator, operator_name, .. }) = fact {
            let fields = words.in_registration(agent, operator, operator_name.as_ref());
            hide(format!("/facts/{index}/agent_registered~11"), &fields);
        }
        if let Fact::Desk(DeskFact::HomologationFiled { agent, .. }) = fact
            && is_of(agent)
        {
            hide(format!("/facts/{index}/homologation_filed~11/filing"), &["model_id"]);
        }
        if let Fact::Desk(DeskFact::FeedbackPosted { id, context, .. }) = fact
            && withheld.contains(&Withheld::Feedback(*id))
        {
            let fields: &[&str] =
                if context.is_some() { &["subject", "body", "context"] } else { &["subject", "body"] };
            hide(format!("/facts/{index}/feedback_posted~11"), fields);
            hide("/what/post_feedback".to_owned(), fields);
        }
        if let Fact::Room(fact) = fact {
            hide(format!("/facts/{index}/room~11"), &said_in(fact, withheld));
        }
    }
    places
}

/// The signed bodies and the commentary of a turn whose words are withheld.
fn said_in(fact: &RoomFact, withheld: &BTreeSet<Withheld>) -> Vec<&'static str> {
    let (turn_index, body, commentary) = match &fact.change {
        RoomChange::IllegalAttempted { turn_index, .. } => {
            (*turn_index, Some("change/illegal_attempted/attempt/body/text"), None)
        }
        RoomChange::MoveSealed { turn_index, action, .. } => (
            *turn_index,
            action.body.as_ref().map(|_| "change/move_sealed/action/body/text"),
            action.commentary.as_ref().map(|_| "change/move_sealed/action/commentary"),
        ),
        RoomChange::SeatVacated { turn_index, body, .. } => {
            (*turn_index, body.as_ref().map(|_| "change/seat_vacated/body/text"), None)
        }
        RoomChange::MovePlayed(resolution) => {
            let body = resolution.body.as_ref().map(|_| "change/move_played/body/text");
            (resolution.turn_index, body, None)
        }
        RoomChange::Ended { resolution: Some(resolution), .. } => {
            let body = resolution.body.as_ref().map(|_| "change/ended/resolution/body/text");
            (resolution.turn_index, body, None)
        }
        RoomChange::Started(_)
        | RoomChange::NatureActed { .. }
        | RoomChange::HallDeferred { .. }
        | RoomChange::Shown { .. }
        | RoomChange::StrikeGiven { .. }
        | RoomChange::DrawOffered { .. }
        | RoomChange::DrawDeclined { .. }
        | RoomChange::DeadlineExtended { .. }
        | RoomChange::PenaltyDeferred { .. }
        | RoomChange::BeaconSettled { .. }
        | RoomChange::Ended { resolution: None, .. } => return Vec::new(),
    };
    if !withheld.contains(&Withheld::Turn { game: fact.game, turn_index }) {
        return Vec::new();
    }
    let told = fact.event.as_ref().and_then(|event| event.commentary.as_ref()).map(|_| "event/commentary");
    [body, commentary, told].into_iter().flatten().collect()
}
