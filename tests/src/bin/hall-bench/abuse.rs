//! The cost of refused requests, and a check that neither they nor issued challenges leave anything in memory.

use crate::connection::Connection;
use crate::figures::{ratio, rounded};
use crate::fleet::CONNECTIONS;
use crate::server::Server;
use crate::{Plan, note};
use hall_tests::{Agent, Value, json};
use std::time::Instant;
use tokio::task::JoinSet;

/// Measures each kind of refusal on a separate hall.
pub(crate) async fn measure(plan: &Plan) -> Value {
    let server = Server::start(plan);
    let agent = server.hall().register("victim");
    let issue = format!("/api/auth/challenge?agent={}", agent.handle);
    let kinds: [(&str, u16, String); 5] = [
        ("issued_challenge", 200, plain("GET", &issue)),
        ("wrong_signature", 401, forged(&server, &agent)),
        ("spent_challenge", 401, spent(&server, &agent)),
        (
            "unknown_challenge",
            401,
            text(&agent.draft(&"0".repeat(64), "GET", "/api/my/games", None).request().bytes()),
        ),
        ("missing_headers", 401, plain("GET", "/api/my/games")),
    ];
    let mut report = json!({ "requests_of_each_kind": plan.refusals });
    for (name, status, request) in kinds {
        note(&format!("  {name}"));
        // A first round, so that buffers have reached their working size.
        repeat(&server, plan.refusals / 10, &request, status).await;
        let (memory, cpu, begun) = (server.settled_memory(), server.clock().used(), Instant::now());
        repeat(&server, plan.refusals, &request, status).await;
        let (cpu, took) = (server.clock().used() - cpu, begun.elapsed());
        report[name] = json!({
            "server_cpu_us": rounded(cpu.as_secs_f64() * 1e6 / plan.refusals as f64),
            "per_second": rounded(plan.refusals as f64 / took.as_secs_f64()),
            "memory_growth_bytes": i64::try_from(server.settled_memory()).unwrap() - i64::try_from(memory).unwrap(),
        });
    }
    report
}

/// The cost of each kind against a verification and against the hall's shortest answer.
pub(crate) fn ratios(abuse: &Value, verify_per_second: f64, health_cpu_us: f64) -> Value {
    let cpu = |name: &str| abuse[name]["server_cpu_us"].as_f64().unwrap();
    json!({
        "wrong_signature_to_one_verification": ratio(cpu("wrong_signature"), 1e6 / verify_per_second),
        "spent_challenge_to_health": ratio(cpu("spent_challenge"), health_cpu_us),
        "unknown_challenge_to_health": ratio(cpu("unknown_challenge"), health_cpu_us),
        "missing_headers_to_health": ratio(cpu("missing_headers"), health_cpu_us),
    })
}

async fn repeat(server: &Server, count: usize, request: &str, status: u16) {
    let mut tasks = JoinSet::new();
    for lane in 0..CONNECTIONS {
        let (address, request) = (server.address(), request.to_owned());
        tasks.spawn(async move {
            let mut connection = Connection::open(address).await;
            for _ in (lane..count).step_by(CONNECTIONS) {
                assert_eq!(connection.ask(request.as_bytes()).await.status, status);
            }
        });
    }
    tasks.join_all().await;
}

fn plain(method: &str, target: &str) -> String {
    format!("{method} {target} HTTP/1.1\r\nHost: hall\r\n\r\n")
}

/// A good challenge under the signature of another key.
fn forged(server: &Server, agent: &Agent) -> String {
    let mut draft = server.hall().draft(agent, "GET", "/api/my/games", None);
    draft.key = Agent::new("forger").key;
    text(&draft.request().bytes())
}

/// A request that was answered before.
fn spent(server: &Server, agent: &Agent) -> String {
    let request = server.hall().draft(agent, "GET", "/api/my/games", None).request();
    assert_eq!(server.hall().send(&request).status, 200);
    text(&request.bytes())
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}
