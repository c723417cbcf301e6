//! Running code.

use serde_json::{Value, json};

use crate::support::{Answer as _, Server, folder};

#[tokio::test]
async fn a_run_answers_with_its_outcome() {
    let folder = folder();
    let server = Server::start(&folder).await;
    let outcome = server.run("print(1 + 1)\n'last'").await;
    assert_eq!(outcome["status"], "ok");
    assert_eq!(outcome["stdout"]["text"], "2\n");
    assert_eq!(outcome["value"]["data"]["text/plain"], "'last'");
    server.stop().await;
}

#[tokio::test]
async fn what_the_guest_did_is_never_an_error_of_ours() {
    let folder = folder();
    let server = Server::start(&folder).await;
    for (code, status) in [
        ("1 / 0", "exception"),
        ("import sys; sys.exit(3)", "exited"),
        ("import os; os.fork()", "violation"),
        ("import os; os.abort()", "crashed"),
    ] {
        assert_eq!(server.run(code).await["status"], status, "{code}");
    }
    server.stop().await;
}

/// The events of a stream of server-sent events: number, name, data.
pub(crate) fn events(text: &str) -> Vec<(u64, String, Value)> {
    let frames = text.split("\n\n").filter(|frame| frame.starts_with("id: "));
    frames
        .map(|frame| {
            let mut lines = frame.lines().map(|line| line.split_once(": ").unwrap().1);
            let number = lines.next().unwrap().parse().unwrap();
            let name = lines.next().unwrap().to_owned();
            (number, name, serde_json::from_str(lines.next().unwrap()).unwrap())
        })
        .collect()
}

#[tokio::test]
async fn events_come_as_they_happen_and_end_with_the_outcome() {
    let folder = folder();
    let server = Server::start(&folder).await;
    // The program waits for a file that never comes, so its first line has to come before its end.
    let code = "print('first', flush=True)\nimport time\ntime.sleep(60)";
    let request = server.post("/v1/runs", &json!({ "code": code, "stream": true }));
    let mut response = request.response(200).await;
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    let mut text = String::new();
    while !text.contains("first") {
        text += std::str::from_utf8(&response.chunk().await.unwrap().unwrap()).unwrap();
    }
    let id = events(&text)[0].2["id"].as_str().unwrap().to_owned();
    server.post(&format!("/v1/runs/{id}/cancel"), &json!({})).response(202).await;
    while let Some(bytes) = response.chunk().await.unwrap() {
        text += std::str::from_utf8(&bytes).unwrap();
    }
    let events = events(&text);
    let names: Vec<_> = events.iter().map(|(_, name, _)| name.as_str()).collect();
    assert_eq!(names, ["started", "stdout", "finished"]);
    assert_eq!(events.iter().map(|(number, ..)| *number).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!(events[2].2["outcome"]["status"], "cancelled");
    assert_eq!(events[2].2["outcome"]["stdout"]["text"], "first\n");
    server.stop().await;
}

#[tokio::test]
async fn one_event_a_line_for_who_asks_so() {
    let folder = folder();
    let server = Server::start(&folder).await;
    let request = server.post("/v1/runs", &json!({ "code": "print(1)" }));
    let response = request.header("accept", "application/x-ndjson").response(200).await;
    let text = response.text().await.unwrap();
    let types: Vec<_> = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["type"].clone())
        .collect();
    assert_eq!(types, ["started", "stdout", "finished"]);
    server.stop().await;
}

#[tokio::test]
async fn a_client_that_goes_away_cancels_its_run_and_it_is_recorded() {
    let folder = folder();
    let server = Server::start(&folder).await;
    for stream in [false, true] {
        let code = "import time\nprint('here', flush=True)\ntime.sleep(60)";
        let request = server.post("/v1/runs", &json!({ "code": code, "stream": stream }));
        let client = tokio::spawn(request.send());
        // The run has started when it is counted.
        while server.service.load().0 == 0 {
            tokio::task::yield_now().await;
        }
        if stream {
            drop(client.await.unwrap().unwrap());
        } else {
            client.abort();
        }
        while server.service.load().0 > 0 {
            tokio::task::yield_now().await;
        }
    }
    let records = server.get("/v1/runs").answer(200).await;
    let statuses: Vec<_> =
        records["runs"].as_array().unwrap().iter().map(|run| &run["status"]).collect();
    assert_eq!(statuses, ["cancelled", "cancelled"]);
    server.stop().await;
}

#[tokio::test]
async fn the_same_request_with_the_same_key_runs_once() {
    let folder = folder();
    let server = Server::start(&folder).await;
    let code = "import uuid; print(uuid.uuid4())";
    let ask = |code: &str, stream: bool| {
        let request = server.post("/v1/runs", &json!({ "code": code, "stream": stream }));
        request.header("idempotency-key", "one")
    };
    let first = ask(code, false).answer(200).await;
    let again = ask(code, false).response(200).await;
    assert_eq!(again.headers()["idempotency-replayed"], "true");
    assert_eq!(again.json::<Value>().await.unwrap(), first);
    let other = ask("print(2)", false).answer(422).await;
    assert_eq!(other["code"], "idempotency_key_reused");
    assert_eq!(server.get("/v1/runs").answer(200).await["runs"].as_array().unwrap().len(), 1);
    server.stop().await;
}

#[tokio::test]
async fn a_refused_request_leaves_its_key_free() {
    let folder = folder();
    let server = Server::start(&folder).await;
    let bad = json!({ "code": "print(1)", "environment": "none" });
    let refused = server.post("/v1/runs", &bad).header("idempotency-key", "x").answer(404).await;
    assert_eq!(refused["code"], "environment_unknown");
    // The key is made free behind the answer.
    loop {
        let request = server.post("/v1/runs", &json!({ "code": "print(1)" }));
        let response = request.header("idempotency-key", "x").send().await.unwrap();
        match response.status().as_u16() {
            200 => break,
            status => assert!(matches!(status, 409 | 422), "{status}"),
        }
    }
    server.stop().await;
}
