//! The kit itself: it must not accept a hall that answers nonsense.

use super::chosen::ChosenGame;
use super::report::{ConformanceReport, soon};
use super::site::Site;
use hall_client::Origin;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

#[tokio::test]
async fn no_claim_holds_at_a_server_that_answers_ok_to_everything() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let origin = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                let mut request = [0; 64 * 1_024];
                while stream.read(&mut request).await.is_ok_and(|read| read > 0) {
                    let body = r#"{"ok":true,"data":{},"metadata":{"boundary":"b","untrusted_fields":[]}}"#;
                    let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json; charset=utf-8\r\nConnection: close";
                    let answer = format!("{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len());
                    if stream.write_all(answer.as_bytes()).await.is_err() || stream.shutdown().await.is_err()
                    {
                        return;
                    }
                }
            });
        }
    });
    let site = Site::new(Origin::parse(&origin).unwrap()).unwrap();
    let mut report = ConformanceReport::new(true);
    let game = ChosenGame::of(&site, None).await;
    super::all(&site, &mut report, &game).await;
    let [holds, fails, skipped] = report.counts();
    // The front door must only answer with an envelope.
    assert!(holds <= 1 && fails > 45 && skipped == 1, "{holds} hold, {fails} fail, {skipped} skipped");
    assert!(!report.holds());
}

#[tokio::test(start_paused = true)]
async fn a_public_read_may_be_behind_for_two_seconds_and_no_longer() {
    let begun = tokio::time::Instant::now();
    let shown_after = |millis| {
        soon(async move || {
            let shown = begun.elapsed() >= Duration::from_millis(millis);
            if shown { Ok(()) } else { Err(format!("not after {:?}", begun.elapsed())) }
        })
    };
    assert_eq!(shown_after(120).await, Ok(()));
    assert!(begun.elapsed() < Duration::from_millis(200), "nobody waits longer than needed");
    assert_eq!(shown_after(60_000).await, Err("not after 2.15s".to_owned()));
}
