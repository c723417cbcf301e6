//! What is wrong, huge, deep, twice, or never comes.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::support::{Answer as _, Server, config, folder};

/// Bodies, and the status, code and field of the problem with them.
fn wrong() -> Vec<(&'static str, u16, &'static str, Value)> {
    vec![
        ("", 400, "json_malformed", Value::Null),
        ("{", 400, "json_malformed", Value::Null),
        ("[]", 422, "field_not_valid", Value::Null),
        ("{}", 422, "field_not_valid", Value::Null),
        (r#"{"code": 1}"#, 422, "field_not_valid", json!("code")),
        (r#"{"code": null}"#, 422, "field_not_valid", json!("code")),
        (r#"{"code": "1", "code": "2"}"#, 422, "field_not_valid", Value::Null),
        (r#"{"code": "1", "sandbox": "off"}"#, 422, "field_not_valid", json!("sandbox")),
        (
            r#"{"code": "1", "limits": {"threads": -1}}"#,
            422,
            "field_not_valid",
            json!("limits.threads"),
        ),
        (
            r#"{"code": "1", "limits": {"threads": 1e99}}"#,
            422,
            "field_not_valid",
            json!("limits.threads"),
        ),
        (
            r#"{"code": "1", "limits": {"threads": 0}}"#,
            422,
            "limit_too_small",
            json!("limits.threads"),
        ),
        (r#"{"code": "1", "policy": "none"}"#, 422, "field_not_valid", json!("policy")),
        (r#"{"code": "1", "files": [{"path": "a"}]}"#, 422, "field_not_valid", json!("files[0]")),
        (
            r#"{"code": "1", "files": [{"path": "a", "content": "?"}]}"#,
            422,
            "field_not_valid",
            json!("files[0].content"),
        ),
        (
            r#"{"code": "1", "files": [{"path": "../a", "content": ""}]}"#,
            422,
            "input_file_not_placeable",
            json!("files"),
        ),
        (r#"{"code": ""}"#, 422, "code_not_runnable", json!("code")),
        (r#"{"code": "a\u0000"}"#, 422, "code_not_runnable", json!("code")),
        (r#"{"code": "1", "name": "a\nb"}"#, 422, "code_not_runnable", json!("code")),
        (
            r#"{"code": "1", "webhook": {"url": "http://x"}}"#,
            422,
            "webhook_not_valid",
            json!("webhook"),
        ),
    ]
}

#[tokio::test]
async fn a_body_that_is_wrong_is_told_with_code_and_field() {
    let folder = folder();
    let server = Server::start(&folder).await;
    let deep = format!(r#"{{"code": {}1{}}}"#, "[".repeat(100_000), "]".repeat(100_000));
    let mut all = wrong();
    all.push((&deep, 422, "field_not_valid", json!("code")));
    for (body, status, code, field) in all {
        let request = server.client.post(server.at("/v1/runs"));
        let request = request.header("content-type", "application/json").body(body.to_owned());
        let problem = request.answer(status).await;
        let shown = &body[..body.len().min(80)];
        assert_eq!(
            (&problem["code"], &problem["field"]),
            (&json!(code), &field),
            "{shown} {problem}"
        );
        assert!(problem["request_id"].as_str().unwrap().starts_with("req_"));
    }
    let request = server.client.post(server.at("/v1/runs"));
    let request = request.header("content-type", "application/json");
    let problem = request.body(&b"{\"code\": \"\xff\"}"[..]).answer(400).await;
    assert_eq!(problem["code"], "json_malformed");
    assert_eq!(server.run("print('well')").await["stdout"]["text"], "well\n");
    server.stop().await;
}

#[tokio::test]
async fn every_path_refuses_what_it_does_not_have() {
    let folder = folder();
    let server = Server::start(&folder).await;
    for (method, path, status) in [
        ("GET", "/nothing", 404),
        ("GET", "/v1/runs/run_nothing", 404),
        ("GET", "/v1/runs/run_nothing/events", 404),
        ("POST", "/v1/runs/run_nothing/cancel", 404),
        ("GET", "/v1/files/fil_nothing", 404),
        ("GET", "/v1/files/..%2F..%2F..%2Fetc%2Fpasswd/content", 404),
        ("GET", "/v1/artifacts/art_%2e%2e", 404),
        ("GET", "/v1/artifacts/%ff%fe", 400),
        ("DELETE", "/v1/files/fil_nothing", 404),
        ("PUT", "/v1/runs", 405),
        ("DELETE", "/healthz", 405),
    ] {
        let method = reqwest::Method::from_bytes(method.as_bytes()).unwrap();
        let problem = server.client.request(method, server.at(path)).answer(status).await;
        assert!(problem["code"].is_string(), "{path}: {problem}");
    }
    server.stop().await;
}

#[tokio::test]
async fn what_is_too_large_or_too_many_is_refused() {
    let folder = folder();
    let mut config = config(&folder);
    config.body_bytes = 1 << 20;
    config.file_bytes = 2 << 20;
    let server = Server::with(config).await;
    let huge = json!({ "code": "x".repeat(2 << 20) });
    assert_eq!(server.post("/v1/runs", &huge).answer(413).await["code"], "body_too_large");
    let upload = server.client.post(server.at("/v1/files")).body(vec![0; 3 << 20]);
    assert_eq!(upload.answer(413).await["code"], "body_too_large");
    // The control: what fits is taken.
    server.client.post(server.at("/v1/files")).body(vec![0; 2 << 20]).response(201).await;
    let many: Vec<_> =
        (0..10_000).map(|n| json!({ "path": format!("f{n}"), "content": "" })).collect();
    let problem = server.post("/v1/runs", &json!({ "code": "1", "files": many })).answer(422).await;
    assert_eq!(problem["code"], "input_file_not_placeable");
    for (count, status) in [(10, 200), (5_000, 422)] {
        let request = server.client.post(server.at("/v1/runs")).body(form(count));
        let request = request.header("content-type", "multipart/form-data; boundary=xyz");
        request.response(status).await;
    }
    server.stop().await;
}

/// A form with code and so many files.
fn form(files: usize) -> String {
    let file = |n| {
        format!(
            "--xyz\r\ncontent-disposition: form-data; name=\"file\"; filename=\"f{n}\"\r\n\r\nx\r\n\
             content-type: text/plain\r\n\r\n"
        )
    };
    let files: String = (0..files).map(file).collect();
    format!(
        "--xyz\r\ncontent-disposition: form-data; name=\"code\"\r\n\r\nprint(1)\r\n{files}--xyz--\r\n"
    )
}

#[tokio::test]
async fn an_upload_is_never_unpacked() {
    let folder = folder();
    let server = Server::start(&folder).await;
    // Sixteen MiB of zeros in sixteen KiB.
    let mut bomb = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default();
    bomb.start_file("zeros", options).unwrap();
    std::io::Write::write_all(&mut bomb, &vec![0; 16 << 20]).unwrap();
    let bomb = bomb.finish().unwrap().into_inner();
    let upload = server.client.post(server.at("/v1/files?name=a.zip")).body(bomb.clone());
    assert_eq!(upload.answer(201).await["bytes"], bomb.len());
    // A body that says it is compressed is not unpacked either.
    let packed = server.client.post(server.at("/v1/runs")).header("content-encoding", "gzip");
    let packed = packed.header("content-type", "application/json").body(bomb);
    packed.response(400).await;
    server.stop().await;
}

async fn connect(server: &Server) -> TcpStream {
    TcpStream::connect(server.url.trim_start_matches("http://")).await.unwrap()
}

#[tokio::test]
async fn who_sends_too_slowly_is_cut_off() {
    let folder = folder();
    let mut config = config(&folder);
    config.header_timeout_seconds = 1;
    config.idle_timeout_seconds = 1;
    let server = Server::with(config).await;
    for begin in [
        "POST /v1/runs HTTP/1.1\r\nhost: localhost\r\n",
        "POST /v1/runs HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{",
    ] {
        let started = Instant::now();
        let mut stream = connect(&server).await;
        stream.write_all(begin.as_bytes()).await.unwrap();
        let mut answer = String::new();
        drop(
            tokio::time::timeout(Duration::from_secs(10), stream.read_to_string(&mut answer))
                .await
                .unwrap(),
        );
        assert!(started.elapsed() < Duration::from_secs(5), "{begin}");
        assert!(answer.is_empty() || answer.contains(" 408 "), "{answer}");
    }
    server.stop().await;
}

#[tokio::test]
async fn broken_connections_harm_nobody() {
    let folder = folder();
    let server = Server::start(&folder).await;
    for begin in [
        &b""[..],
        b"\x16\x03\x01\x02\x00",
        b"GET / HTTP/1.1\r\n\r\n",
        b"POST /v1/runs HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nx",
        b"POST /v1/runs HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00",
    ] {
        let mut stream = connect(&server).await;
        stream.write_all(begin).await.unwrap();
        stream.shutdown().await.unwrap();
        let mut answer = Vec::new();
        drop(tokio::time::timeout(Duration::from_secs(10), stream.read_to_end(&mut answer)).await.unwrap());
    }
    assert_eq!(server.run("print('well')").await["stdout"]["text"], "well\n");
    server.stop().await;
}
