//! Runs that nobody waits for.

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::runs::events;
use crate::support::{Answer as _, Server, config, folder};

async fn accepted(server: &Server, code: &str) -> String {
    let body = json!({ "code": code, "background": true });
    let response = server.post("/v1/runs", &body).response(202).await;
    let location = response.headers()["location"].to_str().unwrap().to_owned();
    let answer: Value = response.json().await.unwrap();
    let id = answer["id"].as_str().unwrap().to_owned();
    assert_eq!(location, format!("/v1/runs/{id}"));
    id
}

#[tokio::test]
async fn a_background_run_is_waited_for_by_its_id() {
    let folder = folder();
    let server = Server::start(&folder).await;
    let id = accepted(&server, "print('done')").await;
    let state = server.get(&format!("/v1/runs/{id}?wait=30")).answer(200).await;
    assert_eq!(state["status"], "ok");
    assert_eq!(state["outcome"]["id"], id);
    assert_eq!(state["outcome"]["stdout"]["text"], "done\n");
    assert_eq!(state["record"]["background"], true);
    server.stop().await;
}

#[tokio::test]
async fn one_that_could_never_run_is_refused_at_once() {
    let folder = folder();
    let server = Server::start(&folder).await;
    let body = json!({ "code": " ", "background": true });
    let problem = server.post("/v1/runs", &body).answer(422).await;
    assert!(problem["detail"].as_str().unwrap().contains("is empty"), "{problem}");
    server.stop().await;
}

#[tokio::test]
async fn its_events_are_given_again_from_any_of_them_on() {
    let folder = folder();
    let server = Server::start(&folder).await;
    let id = accepted(&server, "print(1, flush=True)").await;
    let path = format!("/v1/runs/{id}/events");
    let whole = server.get(&path).response(200).await.text().await.unwrap();
    let names: Vec<_> = events(&whole).into_iter().map(|(_, name, _)| name).collect();
    assert_eq!(names, ["started", "stdout", "finished"]);
    let rest = server.get(&path).header("last-event-id", "2").response(200).await;
    let rest = events(&rest.text().await.unwrap());
    assert_eq!(rest.len(), 1);
    assert_eq!((rest[0].0, rest[0].1.as_str()), (3, "finished"));
    server.stop().await;
}

#[tokio::test]
async fn it_can_be_cancelled_while_it_goes_on_and_while_it_waits() {
    let folder = folder();
    let mut config = config(&folder);
    config.concurrent_runs = Some(1);
    let server = Server::with(config).await;
    let first = accepted(&server, "import time; time.sleep(60)").await;
    while server.service.load().0 == 0 {
        tokio::task::yield_now().await;
    }
    let second = accepted(&server, "print(1)").await;
    let state = server.get(&format!("/v1/runs/{second}")).answer(200).await;
    assert_eq!(state["status"], "queued");
    for id in [&second, &first] {
        server.post(&format!("/v1/runs/{id}/cancel"), &json!({})).response(202).await;
        let state = server.get(&format!("/v1/runs/{id}?wait=30")).answer(200).await;
        assert_eq!(state["status"], "cancelled");
    }
    server.stop().await;
}

#[tokio::test]
async fn a_stop_loses_no_accepted_run() {
    let folder = folder();
    let mut config = config(&folder);
    config.concurrent_runs = Some(1);
    config.drain_seconds = 0;
    let server = Server::with(config.clone()).await;
    let mut ids = vec![accepted(&server, "import time; time.sleep(3); print('slept')").await];
    while server.service.load().0 == 0 {
        tokio::task::yield_now().await;
    }
    for number in 0..5 {
        ids.push(accepted(&server, &format!("print({number})")).await);
    }
    // One goes on and the others wait.
    server.stop().await;
    let server = Server::with(config).await;
    for (number, id) in ids.iter().enumerate() {
        let state = server.get(&format!("/v1/runs/{id}?wait=30")).answer(200).await;
        assert_eq!(state["status"], "ok", "{number}: {state}");
    }
    let records = server.get("/v1/runs").answer(200).await;
    assert_eq!(records["runs"].as_array().unwrap().len(), ids.len());
    server.stop().await;
}

#[tokio::test]
async fn what_cannot_be_carried_out_says_why() {
    let folder = folder();
    let server = Server::start(&folder).await;
    let body = json!({ "code": "print(1)", "background": true, "environment": "none" });
    let id = server.post("/v1/runs", &body).answer(202).await["id"].clone();
    let path = format!("/v1/runs/{}?wait=30", id.as_str().unwrap());
    let state = server.get(&path).answer(200).await;
    assert_eq!(state["status"], "failed");
    assert_eq!(state["problem"]["code"], "environment_unknown");
    server.stop().await;
}

#[tokio::test]
async fn a_webhook_tells_of_the_end_and_is_tried_again() {
    let folder = folder();
    let server = Server::start(&folder).await;
    let hook = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/hook", hook.local_addr().unwrap());
    let webhook = json!({ "url": url, "secret": "hush" });
    let body = json!({ "code": "print(1)", "background": true, "webhook": webhook });
    let trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    let accepted = server.post("/v1/runs", &body).header("traceparent", trace).answer(202).await;
    let id = accepted["id"].clone();
    for status in ["503 Service Unavailable", "204 No Content"] {
        let (mut stream, _) = hook.accept().await.unwrap();
        let mut text = String::new();
        let mut bytes = [0; 4096];
        while !text.contains("\r\n\r\n") || !text.ends_with('}') {
            let length = stream.read(&mut bytes).await.unwrap();
            text += std::str::from_utf8(&bytes[..length]).unwrap();
        }
        let answer = format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
        stream.write_all(answer.as_bytes()).await.unwrap();
        let (head, message) = text.split_once("\r\n\r\n").unwrap();
        assert!(head.contains("webhook-signature: v1,"), "{head}");
        assert!(head.contains(trace), "{head}");
        let message: Value = serde_json::from_str(message).unwrap();
        assert_eq!(message["id"], id);
        assert_eq!(message["status"], "ok");
        assert_eq!(message["outcome"]["stdout"]["text"], "1\n");
    }
    server.stop().await;
}
