//! Sessions: runs that share one live interpreter.

use execute_python_server::{Quota, Scope};
use serde_json::{Value, json};

use crate::runs::events;
use crate::support::{Answer as _, Server, config, folder, key};

async fn opened(server: &Server) -> String {
    let info = server.post("/v1/sessions", &json!({ "name": "mine" })).answer(201).await;
    format!("/v1/sessions/{}", info["id"].as_str().unwrap())
}

async fn run(server: &Server, session: &str, code: &str) -> Value {
    server.post(&format!("{session}/runs"), &json!({ "code": code })).answer(200).await
}

#[tokio::test]
async fn runs_of_a_session_share_variables_and_files() {
    let folder = folder();
    let server = Server::start(&folder).await;
    let session = opened(&server).await;
    run(&server, &session, "x = 41; open('a.txt', 'w').write('hi')").await;
    let outcome = run(&server, &session, "print(x + 1, open('a.txt').read())").await;
    assert_eq!(outcome["stdout"]["text"], "42 hi\n");
    assert_eq!(outcome["state"]["kind"], "kept");
    let variables = server.get(&format!("{session}/variables")).answer(200).await;
    assert_eq!(variables["variables"][0]["name"], "x");
    let value = server.get(&format!("{session}/variables/x")).answer(200).await;
    assert_eq!(value["data"]["text/plain"], "41");
    let records = server.get("/v1/runs").answer(200).await;
    assert_eq!(records["runs"][0]["session"], session.rsplit('/').next().unwrap());
    let all = server.get("/v1/sessions").answer(200).await;
    assert_eq!(all["sessions"][0]["runs"], 2);
    server.client.delete(server.at(&session)).response(204).await;
    server.get(&session).response(404).await;
    server.stop().await;
}

#[tokio::test]
async fn a_session_returns_to_where_it_was() {
    let folder = folder();
    let server = Server::start(&folder).await;
    let session = opened(&server).await;
    run(&server, &session, "x = 1").await;
    let checkpoints = format!("{session}/checkpoints");
    let kept = server.post(&checkpoints, &json!({ "name": "one" })).answer(201).await;
    assert_eq!(kept["name"], "one");
    run(&server, &session, "x = 2").await;
    let difference = server.get(&format!("{checkpoints}/one/diff")).answer(200).await;
    assert_eq!(difference["variables"]["changed"], json!(["x: int"]));
    let state =
        server.post(&format!("{session}/rewind"), &json!({ "to": "one" })).answer(200).await;
    assert_eq!(state["kind"], "rewound");
    assert_eq!(run(&server, &session, "print(x)").await["stdout"]["text"], "1\n");
    let list = server.get(&checkpoints).answer(200).await;
    assert!(list["checkpoints"].as_array().unwrap().len() >= 2);
    server.post(&format!("{session}/rewind"), &json!({ "to": "none" })).response(404).await;
    server.stop().await;
}

#[tokio::test]
async fn a_session_goes_on_in_branches_and_adopts_one() {
    let folder = folder();
    let mut config = config(&folder);
    config.quota = Quota { sessions: Some(3), ..Quota::default() };
    let server = Server::with(config).await;
    let session = opened(&server).await;
    run(&server, &session, "x = 1").await;
    let fork = format!("{session}/fork");
    let refused = server.post(&fork, &json!({ "count": 3 })).answer(429).await;
    assert_eq!(refused["code"], "quota_sessions");
    server.post(&fork, &json!({ "count": 0 })).response(422).await;
    let branches = server.post(&fork, &json!({ "count": 2 })).answer(200).await;
    let branch = &branches["sessions"][1]["id"];
    let path = format!("/v1/sessions/{}", branch.as_str().unwrap());
    run(&server, &path, "x += 41").await;
    assert_eq!(run(&server, &session, "print(x)").await["stdout"]["text"], "1\n");
    server.post(&format!("{session}/adopt"), &json!({ "branch": branch })).response(204).await;
    assert_eq!(run(&server, &session, "print(x)").await["stdout"]["text"], "42\n");
    server.get(&path).response(404).await;
    server.stop().await;
}

#[tokio::test]
async fn files_of_a_session_go_in_and_out_at_any_time() {
    let folder = folder();
    let server = Server::start(&folder).await;
    let session = opened(&server).await;
    let file = format!("{session}/files/sub/a.txt");
    server.client.put(server.at(&file)).body("0123456789").response(204).await;
    let outcome = run(&server, &session, "print(open('sub/a.txt').read())").await;
    assert_eq!(outcome["stdout"]["text"], "0123456789\n");
    let part = server.get(&file).header("range", "bytes=2-4").response(206).await;
    assert_eq!(part.headers()["x-content-type-options"], "nosniff");
    assert_eq!(part.text().await.unwrap(), "234");
    let list = server.get(&format!("{session}/files")).answer(200).await;
    assert_eq!(list["files"][0]["path"], "sub/a.txt");
    let all = server.get(&format!("{session}/files?format=zip")).response(200).await;
    let mut zip = zip::ZipArchive::new(std::io::Cursor::new(all.bytes().await.unwrap())).unwrap();
    let text = std::io::read_to_string(zip.by_name("sub/a.txt").unwrap()).unwrap();
    assert_eq!(text, "0123456789");
    server.client.delete(server.at(&file)).response(204).await;
    server.get(&file).response(404).await;
    for path in ["..%2Fx", "sub%2F..%2F..%2Fx", "%2Fetc%2Fpasswd", "a%00b"] {
        let put = server.client.put(server.at(&format!("{session}/files/{path}"))).body("x");
        assert_eq!(put.answer(422).await["code"], "input_file_not_placeable", "{path}");
    }
    server.stop().await;
}

#[tokio::test]
async fn a_program_asks_and_the_client_answers() {
    let folder = folder();
    let server = Server::start(&folder).await;
    let session = opened(&server).await;
    let tool = json!({
        "name": "weather",
        "description": "The weather in a town",
        "input_schema": { "type": "object", "properties": { "town": { "type": "string" } } },
    });
    let body = json!({
        "code": "print(input('who? '), weather('Rome'))",
        "tools": [tool],
        "interactive": true,
        "stream": true,
    });
    let mut response = server.post(&format!("{session}/runs"), &body).response(200).await;
    let mut text = String::new();
    while let Some(bytes) = response.chunk().await.unwrap() {
        text += std::str::from_utf8(&bytes).unwrap();
        let Some((_, name, event)) = events(&text).pop() else { continue };
        match name.as_str() {
            "input_requested" => {
                assert_eq!(event["prompt"], "who? ");
                let answer = json!({ "id": event["id"], "text": "me" });
                server.post(&format!("{session}/input"), &answer).response(202).await;
            }
            "tool_call" => {
                assert_eq!(event["arguments"], json!({ "town": "Rome" }));
                let answer = json!({ "id": event["id"], "result": "sunny" });
                server.post(&format!("{session}/tool_results"), &answer).response(202).await;
            }
            _ => {}
        }
    }
    let (_, _, last) = events(&text).pop().unwrap();
    assert!(last["outcome"]["stdout"]["text"].as_str().unwrap().ends_with("me sunny\n"), "{last}");
    let late = server.post(&format!("{session}/input"), &json!({ "id": "1" })).answer(409).await;
    assert_eq!(late["code"], "session_idle");
    server.stop().await;
}

#[tokio::test]
async fn a_run_is_interrupted_and_the_session_goes_on() {
    let folder = folder();
    let server = Server::start(&folder).await;
    let session = opened(&server).await;
    let code = "x = 1\nprint('here', flush=True)\nimport time\ntime.sleep(60)";
    let body = json!({ "code": code, "stream": true });
    let mut response = server.post(&format!("{session}/runs"), &body).response(200).await;
    let mut text = String::new();
    while let Some(bytes) = response.chunk().await.unwrap() {
        text += std::str::from_utf8(&bytes).unwrap();
        if text.contains("here") && !text.contains("finished") {
            server.post(&format!("{session}/interrupt"), &json!({})).response(202).await;
        }
    }
    let (_, _, last) = events(&text).pop().unwrap();
    assert_eq!(last["outcome"]["exception"]["type"], "KeyboardInterrupt", "{last}");
    assert_eq!(run(&server, &session, "print(x)").await["stdout"]["text"], "1\n");
    server.stop().await;
}

#[tokio::test]
async fn another_tenants_session_looks_as_if_it_was_not_there() {
    let folder = folder();
    let mut config = config(&folder);
    config.require_key = true;
    config.quota = Quota { sessions: Some(1), ..Quota::default() };
    let ours = key(&config, "ours", &Scope::ALL).await;
    let theirs = key(&config, "theirs", &Scope::ALL).await;
    let server = Server::with(config).await;
    let open = || server.post("/v1/sessions", &json!({})).bearer_auth(&ours);
    let info = open().answer(201).await;
    assert_eq!(open().answer(429).await["code"], "quota_sessions");
    let session = format!("/v1/sessions/{}", info["id"].as_str().unwrap());
    let to = |method: &str, path: &str, key: &str| {
        let method = reqwest::Method::from_bytes(method.as_bytes()).unwrap();
        let request = server.client.request(method, server.at(&format!("{session}{path}")));
        request.bearer_auth(key).json(&json!({ "code": "1", "to": "x", "id": "x" }))
    };
    for (method, path) in [
        ("GET", ""),
        ("GET", "/files"),
        ("GET", "/files/a"),
        ("GET", "/checkpoints"),
        ("GET", "/variables"),
        ("GET", "/ws"),
        ("POST", "/interrupt"),
        ("DELETE", ""),
    ] {
        assert_eq!(
            to(method, path, &theirs).answer(404).await["code"],
            "session_unknown",
            "{path}"
        );
    }
    let body = json!({ "code": "1", "session": info["id"] });
    server.post("/v1/runs", &body).bearer_auth(&theirs).response(404).await;
    let list = server.get("/v1/sessions").bearer_auth(&theirs).answer(200).await;
    assert_eq!(list, json!({ "sessions": [] }));
    // The control: its owner reaches it.
    server.post("/v1/runs", &body).bearer_auth(&ours).response(200).await;
    to("DELETE", "", &ours).response(204).await;
    server.stop().await;
}

#[tokio::test]
async fn runs_for_a_session_wait_for_their_turn_and_not_for_a_place() {
    let folder = folder();
    let mut config = config(&folder);
    config.concurrent_runs = Some(2);
    let server = Server::with(config).await;
    let session = opened(&server).await;
    let body = |number: usize| {
        let code = format!("import time; time.sleep(0.2); n = {number}");
        json!({ "code": code, "background": true })
    };
    for number in 0..4 {
        server.post(&format!("{session}/runs"), &body(number)).response(202).await;
    }
    // Another run finds the second place free.
    let outcome = server.run("print('through')").await;
    assert_eq!(outcome["stdout"]["text"], "through\n");
    assert_eq!(run(&server, &session, "print(n)").await["stdout"]["text"], "3\n");
    server.stop().await;
}
