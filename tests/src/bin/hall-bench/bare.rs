//! The bare answer of the HTTP library that the hall uses, served by this program in a separate process.

use crate::figures::spread;
use crate::server::CpuClock;
use crate::{Plan, cores, load};
use hall_tests::{Value, Wire, eventually};
use salvo::prelude::{Listener as _, Router, Server, TcpListener, handler};
use std::net::{Ipv4Addr, SocketAddr};
use std::process::{Command, Stdio};
use std::time::Duration;

/// Serves one short answer until it is killed.
pub(crate) fn serve(port: u16) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    runtime.block_on(async {
        let acceptor = TcpListener::new(SocketAddr::from((Ipv4Addr::LOCALHOST, port))).bind().await;
        Server::new(acceptor).serve(Router::with_path("healthz").get(hello)).await;
    });
}

#[handler]
async fn hello() -> &'static str {
    "{\"ok\":true,\"data\":{\"status\":\"ok\"},\"metadata\":{}}"
}

/// Measures it with the same load generator as the hall.
pub(crate) async fn measure(plan: &Plan) -> Value {
    let address = hall_tests::hall::free_address();
    let mut child = cores::on_first_core(plan, || {
        // This same program, even if its file was rebuilt since it started.
        Command::new("/proc/self/exe")
            .args(["--serve-bare", &address.port().to_string()])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    });
    eventually("the bare server answers", Duration::from_secs(5), || Wire::try_connect(address).ok());
    let clock = CpuClock::of(child.id());
    let mut rounds = Vec::new();
    for _ in 0..plan.rounds {
        rounds.push(load::gets(plan, address, &clock, "/healthz").await);
    }
    child.kill().unwrap();
    child.wait().unwrap();
    hall_tests::json!({
        "requests_per_second": spread(&rounds, "requests_per_second"),
        "server_cpu_us_per_request": spread(&rounds, "server_cpu_us_per_request"),
    })
}
