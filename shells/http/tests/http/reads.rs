//! Reading from the disk: in the background, so that it delays no other request.

use crate::hall::{Reply, Sent, TestHall, path_of, settings};
use crate::log::covered;
use futures_util::future::join_all;
use hall_http::{Access, Route, Verb, page_routes, routes};
use serde_json::json;
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The request threads of a test.
const THREADS: usize = 2;

impl TestHall {
    /// The answers to as many requests as there are threads, while nothing can be read from the disk until another request
    /// has been answered.
    async fn while_the_disk_is_slow(&self, requests: [Sent; THREADS]) -> Vec<Reply> {
        let path = requests[0].path.clone();
        let answered = AtomicUsize::new(0);
        let send = async |request| {
            let reply = self.send(request).await;
            answered.fetch_add(1, Ordering::SeqCst);
            reply
        };
        self.reads.shut_all();
        let mut answers = pin!(join_all(requests.iter().map(send)));
        let settled = async {
            while self.reads.waiting() + answered.load(Ordering::SeqCst) < THREADS {
                tokio::task::yield_now().await;
            }
        };
        let early = tokio::select! {
            answers = &mut answers => Some(answers),
            () = settled => None,
        };
        assert_eq!(self.get("/healthz").await.status, 200);
        self.reads.open();
        let answers = match early {
            Some(answers) => answers,
            None => answers.await,
        };
        assert_eq!(self.reads.late(), 0, "every thread waited for the disk: {path}");
        answers
    }
}

/// The path of a route such that something must be read for it.
fn read_by(route: &Route, id: &str) -> String {
    path_of(route, id).replace("to=1", "to=3").replace("/log/checkpoint", "/log/tile/entries/000.p/1")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_thread_that_answers_requests_waits_for_the_disk() {
    let hall = TestHall::start(settings()).await;
    let (white, black, ended) = hall.game("one", "two").await;
    white.play(&hall, &ended, 0, &json!({ "move": "e2e4", "commentary": "Good luck." })).await;
    black.play(&hall, &ended, 1, &json!({ "resign": true })).await;
    let live = hall.pair(&white, &black).await;
    let first = json!({ "move": "e2e4", "commentary": "Another one." });
    assert!(
        white.play(&hall, &live, 0, &first).await.status == 200
            || black.play(&hall, &live, 0, &first).await.status == 200
    );
    covered(&hall).await;
    hall.until_archived(&ended).await;
    let all = routes().chain(page_routes()).filter(|route| route.verb == Verb::Get);
    for route in all.filter(|route| route.id != "asset") {
        for id in [&ended, &live] {
            let path = read_by(route, id);
            let requests = if route.access == Access::Signed {
                let challenges = [hall.challenge(&white.handle).await, hall.challenge(&white.handle).await];
                challenges.map(|challenge| white.sign(&challenge, "GET", &path, None))
            } else {
                let mut sent = Sent::new("GET", &path);
                if page_routes().any(|page| page.id == route.id) {
                    sent.header("Accept", "text/html");
                }
                [sent.clone(), sent]
            };
            for reply in hall.while_the_disk_is_slow(requests).await {
                // One of two exports is refused, what is told of an ended game has to wait, and there is no beacon.
                let is_expected = matches!(reply.status, 200 | 409 | 429) || reply.code() == "UNAVAILABLE";
                assert!(is_expected, "{path}: {reply:?}");
            }
        }
    }
    hall.stop().await;
}
