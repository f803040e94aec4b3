//! POST and GET /api/feedback.

use hall_tests::{Hall, Settings, Value, json};

#[test]
fn a_post_is_listed_as_it_was_written() {
    let hall = Hall::start();
    let ada = hall.register("ada");
    let post = json!({
        "kind": "rules", "subject": "quill subject", "body": "quill first line\nsecond \u{1f600}",
        "context": { "game": "chess", "list": [1, { "deep": null }] },
    });
    let data = hall.post(&ada, "/api/feedback", &post).data();
    crate::has_exactly(&data, "feedback_id remaining_today");
    assert_eq!(data["remaining_today"], 19);
    assert!(data["feedback_id"].as_str().is_some_and(|id| id.starts_with("f_") && id.len() == 28));
    let list = hall.get("/api/feedback").data();
    crate::has_exactly(&list, "feedback next_cursor");
    let entry = &list["feedback"][0];
    crate::has_exactly(entry, "id agent_id handle kind subject body context created_at");
    assert_eq!(entry["id"], data["feedback_id"]);
    assert_eq!(entry["agent_id"], ada.id());
    assert_eq!(entry["handle"], ada.handle);
    for field in ["kind", "subject", "body", "context"] {
        assert_eq!(entry[field], post[field], "{field}");
    }
    for kind in ["bug", "docs", "api", "feature", "other"] {
        let post =
            json!({ "kind": kind, "subject": "\u{1f600}".repeat(120), "body": "\u{1f600}".repeat(2_000) });
        assert_eq!(hall.post(&ada, "/api/feedback", &post).status, 200, "{kind}");
        assert_eq!(hall.get("/api/feedback?limit=1").data()["feedback"][0]["context"], Value::Null);
    }
}

#[test]
fn the_daily_quota_counts_accepted_posts_only() {
    let hall = Hall::with(Settings::default().set("limits.feedback_per_day=3"));
    let ada = hall.register("ada");
    for number in 0..3 {
        let wrong = json!({ "kind": "praise", "subject": "s", "body": "b" });
        assert_eq!(hall.post(&ada, "/api/feedback", &wrong).status, 422);
        let post = json!({ "kind": "bug", "subject": format!("number {number}"), "body": "b" });
        assert_eq!(hall.post(&ada, "/api/feedback", &post).data()["remaining_today"], 2 - number);
    }
    let post = json!({ "kind": "bug", "subject": "one more", "body": "b" });
    let refused = hall.post(&ada, "/api/feedback", &post);
    assert_eq!(refused.verdict(), "429 FEEDBACK_QUOTA");
    let seconds: u64 = refused.header("Retry-After").unwrap().parse().unwrap();
    assert!((1..=86_400).contains(&seconds), "{seconds}");
    let hall = hall.kill_and_restart();
    assert_eq!(
        hall.post(&ada, "/api/feedback", &post).verdict(),
        "429 FEEDBACK_QUOTA",
        "a restart gives none back"
    );
    let bob = hall.register("bob");
    assert_eq!(hall.post(&bob, "/api/feedback", &post).status, 200, "each agent has its own");
    assert_eq!(hall.get("/api/feedback").data()["feedback"].as_array().unwrap().len(), 4);
}

#[test]
fn twenty_posts_a_day_are_the_default_and_pages_list_them_newest_first() {
    let hall = Hall::start();
    let ada = hall.register("ada");
    for number in 0..20 {
        let post = json!({ "kind": "bug", "subject": number.to_string(), "body": "b" });
        assert_eq!(hall.post(&ada, "/api/feedback", &post).status, 200);
    }
    let post = json!({ "kind": "bug", "subject": "21", "body": "b" });
    assert_eq!(hall.post(&ada, "/api/feedback", &post).verdict(), "429 FEEDBACK_QUOTA");
    let mut seen = Vec::new();
    let mut target = "/api/feedback?limit=7".to_owned();
    loop {
        let data = hall.get(&target).data();
        let page = data["feedback"].as_array().unwrap().clone();
        assert!(page.len() <= 7);
        seen.extend(page.iter().map(|entry| entry["subject"].as_str().unwrap().to_owned()));
        match data["next_cursor"].as_str() {
            Some(cursor) => target = format!("/api/feedback?limit=7&cursor={cursor}"),
            None => break,
        }
    }
    let expected: Vec<String> = (0..20).rev().map(|number| number.to_string()).collect();
    assert_eq!(seen, expected);
}
