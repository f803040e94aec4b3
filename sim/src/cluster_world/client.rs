//! Agents that play honestly, go to any node with every request, and ask again until they are answered.

use super::http::{Caller, read, request_text};
use super::in_time::{Answered, Deadlines, aimed};
use super::plan::Weakness;
use super::unseen::unseen;
use super::world::World;
use crate::agents::{Reaction, Stimulus};
use crate::dice::Dice;
use crate::direct::{Actor, Sent, SignedRequest};
use crate::protocol::{AgentRequest, AnswerBrief, SendMode};
use futures_util::future::join_all;
use hall_wire::message::Challenge;
use hall_wire::{Span, Timestamp};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep, sleep_until, timeout};

/// How long it waits for an answer of one node.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(5);
/// Longer than a turn lasts.
const AWAY: Duration = Duration::from_secs(90);
/// The longest wait for a turn, in seconds: less than its patience.
const LONGEST_WAIT: u64 = 3;
/// Longer than an answer takes that nothing holds up.
const WAITED: Duration = Duration::from_millis(500);
/// How the handles begin of those whose moves arrive when their deadline is near.
const LATE: &str = "late-";
/// How often it looks at its games.
const LOOKS: Span = Span::from_secs(4);

/// An agent with its program.
pub(super) struct Client {
    world: Rc<World>,
    caller: Caller,
    actor: Actor,
    dice: Dice,
    planned: BTreeMap<(Instant, u64), Planned>,
    numbered: u64,
    deadlines: Deadlines,
}

enum Planned {
    Look,
    Ask(AgentRequest, SendMode),
}

impl Client {
    pub(super) fn new(caller: Caller, actor: Actor, dice: Dice) -> Self {
        let actor = if caller.world().hall.over_http { actor.over_http() } else { actor };
        let world = Rc::clone(caller.world());
        let (planned, deadlines) = Default::default();
        Self { world, caller, actor, dice, planned, numbered: 0, deadlines }
    }

    /// Plays until the world is over.
    pub(super) async fn live(mut self) {
        let begins = self.dice.span(Span::from_millis(0), Span::from_secs(5));
        self.plan(begins, Planned::Look);
        while let Some(((at, _), planned)) = self.planned.pop_first() {
            sleep_until(at).await;
            if self.world.is_over.get() {
                return;
            }
            if self.world.is_ending.get() {
                self.actor.player.retire();
            }
            if self.world.hall.weakness == Some(Weakness::SlowAgents) && self.dice.permille(30) {
                sleep(AWAY).await;
            }
            match planned {
                Planned::Look => {
                    self.plan(LOOKS, Planned::Look);
                    let reaction = self.actor.player.react(self.now(), Stimulus::Woken);
                    self.carry_out(reaction);
                    // Nobody tells it when a turn waits on it.
                    self.plan(Span::from_millis(0), Planned::Ask(AgentRequest::MyGames, SendMode::Honest));
                }
                Planned::Ask(what, mode) => self.actor.queue(what, mode),
            }
            self.send_all().await;
        }
    }

    fn now(&self) -> Timestamp {
        self.world.now()
    }

    fn plan(&mut self, after: Span, planned: Planned) {
        self.numbered += 1;
        let at = Instant::now() + Duration::from_millis(after.as_millis());
        self.planned.insert((at, self.numbered), planned);
    }

    fn carry_out(&mut self, reaction: Reaction) {
        for request in reaction.requests {
            self.plan(request.after, Planned::Ask(request.what, request.mode));
        }
    }

    /// Sends what is in the line.
    async fn send_all(&mut self) {
        while let Some(sent) = self.actor.next_request(self.world.now(), None, &mut self.dice) {
            let Sent { number, request, mode, copies } = sent;
            let answers = if copies == 1 {
                vec![self.answered(&request, mode).await]
            } else {
                self.world.judge().report.mark("client", "races");
                let (caller, dice) = (&self.caller, &mut self.dice);
                let copies = (0..copies)
                    .map(|_| ask(caller, &request, None, Dice::of(dice.below(u64::MAX), "copy", 0)));
                join_all(copies).await
            };
            for (answer, next) in answers {
                if copies == 1 && is_not_decided(&answer) {
                    self.actor.again();
                    let span = Duration::from_millis(self.dice.between(100, 900));
                    let is_discouraged = self.world.hall.weakness == Some(Weakness::DiscouragedAgents);
                    sleep(if is_discouraged { AWAY } else { span }).await;
                } else if let Some((what, mode, answer)) = self.actor.hear(self.now(), number, answer, next) {
                    self.deadlines.hear(&answer);
                    let reaction =
                        self.actor.player.react(self.world.now(), Stimulus::Answered(&what, mode, &answer));
                    self.carry_out(reaction);
                }
            }
            if self.world.is_over.get() {
                return;
            }
        }
    }

    async fn answered(
        &mut self,
        request: &SignedRequest,
        mode: SendMode,
    ) -> (AnswerBrief, Option<Challenge>) {
        if mode == SendMode::Replay {
            self.world.judge().report.mark("client", "replays");
        }
        let dice = Dice::of(self.dice.below(u64::MAX), "request", 0);
        let is_late = request.handle.as_str().starts_with(LATE);
        let deadline = self.deadlines.of(&request.what).filter(|_| is_late);
        ask(&self.caller, request, deadline, dice).await
    }
}

/// Whether the same is asked again.
fn is_not_decided(answer: &AnswerBrief) -> bool {
    match answer {
        AnswerBrief::Lost => true,
        AnswerBrief::Refused { code, .. } => {
            matches!(*code, "NO_LEADER" | "UNKNOWN" | "STOPPING" | "OVERLOADED" | "UNAVAILABLE")
        }
        _ => false,
    }
}

/// Asks any node; at a deadline, if there is one to aim at.
async fn ask(
    caller: &Caller,
    request: &SignedRequest,
    deadline: Option<Timestamp>,
    mut dice: Dice,
) -> (AnswerBrief, Option<Challenge>) {
    let world = caller.world();
    let handle = &request.handle;
    let asked = world.judge().asks(handle, &request.what);
    let (answer, next) = if world.hall.over_http {
        ask_over_http(caller, request, &mut dice).await
    } else {
        ask_engine(world, request, deadline, &mut dice).await
    };
    let at = world.now();
    world.judge().hears(at, handle, &asked, &request.what, &answer);
    (answer, next)
}

/// Asks a node as its service does.
async fn ask_engine(
    world: &Rc<World>,
    request: &SignedRequest,
    deadline: Option<Timestamp>,
    dice: &mut Dice,
) -> (AnswerBrief, Option<Challenge>) {
    sleep(Duration::from_millis(dice.between(1, 15))).await;
    let Some(node) = world.some_node(dice) else { return (AnswerBrief::Lost, None) };
    if let Some(deadline) = deadline {
        sleep(aimed(node.engine.now(), deadline, |most| dice.between(0, most))).await;
    }
    world.judge().report.requests += 1;
    let (sender, receiver) = oneshot::channel();
    let (serving, judging, sent) = (node.clone(), Rc::clone(world), request.clone());
    let served = node.process.hold(async move {
        let (stamp, arrived) = (serving.engine.now(), Instant::now());
        let served = serving.serve(&sent).await;
        if let Some(deadline) = deadline {
            judging.is_answered(Answered {
                handle: &sent.handle,
                what: &sent.what,
                answer: &served.answer,
                deadline,
                stamp,
                took: arrived.elapsed(),
            });
        }
        let shown = serving.engine.peek(|hall| unseen(hall, &sent, &served.answer, judging.hall.weakness));
        if let Some(found) = shown {
            judging.judge().violation("K4", judging.now(), found);
        }
        if let (true, Some(challenge)) = (served.spent, &sent.challenge) {
            let at = judging.now();
            judging.judge().spends(at, challenge);
        }
        // Who asked may have given up.
        let _ = sender.send(served);
    });
    drop(tokio::task::spawn_local(served));
    let served = timeout(ANSWER_TIMEOUT, receiver).await;
    sleep(Duration::from_millis(dice.between(1, 15))).await;
    match served {
        Ok(Ok(served)) => (served.answer, served.next),
        Ok(Err(_)) | Err(_) => (AnswerBrief::Lost, None),
    }
}

/// Asks a node over HTTP. Some of those who ask for their games wait until a turn waits on them.
async fn ask_over_http(
    caller: &Caller,
    request: &SignedRequest,
    dice: &mut Dice,
) -> (AnswerBrief, Option<Challenge>) {
    let wait = dice.permille(300).then(|| dice.between(0, LONGEST_WAIT));
    let sent = Instant::now();
    let Ok(answer) = caller.ask(&request_text(request, wait), dice).await else {
        return (AnswerBrief::Lost, None);
    };
    let mut judge = caller.world().judge();
    let at = caller.world().now();
    let (told, next) = match read(&request.what, &answer) {
        Ok(told) => told,
        Err(why) => {
            judge.violation("K9", at, format!("{}: {why}", String::from_utf8_lossy(&answer.bytes)));
            return (AnswerBrief::Lost, None);
        }
    };
    // Only who has spent its challenge is answered, or given another one.
    if let Some(challenge) = &request.challenge
        && (next.is_some() || answer.head.status < 400)
    {
        judge.spends(at, challenge);
    }
    let has_turn = matches!(&told, AnswerBrief::Games(games) if games.iter().any(|game| game.mine));
    if wait.is_some() && has_turn && sent.elapsed() > WAITED {
        judge.report.mark("client", "told of a turn that it waited for");
    }
    (told, next)
}
