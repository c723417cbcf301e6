//! Who may do what.

use execute_python_server::{Quota, Scope};
use serde_json::json;

use crate::support::{Answer as _, Server, config, folder, key};

#[tokio::test]
async fn without_keys_an_address_in_reach_of_others_is_refused() {
    let folder = folder();
    let mut config = config(&folder);
    config.listen = "0.0.0.0:0".parse().unwrap();
    let engine = execute_python_engine::Engine::new(execute_python_engine::Config::default());
    let service = execute_python_server::Service::new(engine.unwrap(), config.clone());
    let refused = execute_python_server::bind(&service.await.unwrap()).await.unwrap_err();
    assert_eq!(refused.code(), "keys_missing");
    // The control: with a key it is not.
    let key = key(&config, "us", &[Scope::Run]).await;
    let server = Server::with(config).await;
    let body = json!({ "code": "print(1)" });
    let problem = server.post("/v1/runs", &body).answer(401).await;
    assert_eq!(problem["code"], "key_missing");
    server.post("/v1/runs", &body).bearer_auth(&key).response(200).await;
    server.post("/v1/runs", &body).header("x-api-key", &key).response(200).await;
    server.stop().await;
}

#[tokio::test]
async fn a_key_allows_what_its_scopes_say() {
    let folder = folder();
    let mut config = config(&folder);
    config.require_key = true;
    let reader = key(&config, "us", &[Scope::Records]).await;
    let server = Server::with(config).await;
    server.get("/v1/runs").bearer_auth(&reader).response(200).await;
    let refused = server.post("/v1/runs", &json!({ "code": "1" })).bearer_auth(&reader);
    assert_eq!(refused.answer(403).await["code"], "scope_missing");
    server.stop().await;
}

#[tokio::test]
async fn a_wrong_key_is_refused_also_where_none_is_needed() {
    let folder = folder();
    let server = Server::start(&folder).await;
    for value in ["Bearer epk_wrong", "Bearer ", "Basic eDp5", "epk_wrong"] {
        server.get("/v1/runs").header("authorization", value).response(401).await;
    }
    server.stop().await;
}

#[tokio::test]
async fn a_tenant_over_its_quota_is_told_when_to_come_again() {
    let folder = folder();
    let mut config = config(&folder);
    config.quota = Quota { runs_per_minute: Some(2), ..Quota::default() };
    let server = Server::with(config).await;
    for _ in 0..2 {
        server.run("print(1)").await;
    }
    let refused = server.post("/v1/runs", &json!({ "code": "print(1)" })).response(429).await;
    let wait: u64 = refused.headers()["retry-after"].to_str().unwrap().parse().unwrap();
    assert!((1..=30).contains(&wait), "{wait}");
    server.stop().await;
}

#[tokio::test]
async fn no_page_of_somebody_else_reaches_the_service() {
    let folder = folder();
    let mut config = config(&folder);
    config.origins = vec!["https://ours.example".into()];
    let server = Server::with(config).await;
    let body = json!({ "code": "print(1)" });
    let post = || server.post("/v1/runs", &body);
    for (name, value) in [
        ("host", "evil.example"),
        ("host", "127.0.0.1.evil.example"),
        ("origin", "https://evil.example"),
        ("origin", "null"),
        ("origin", "https://ours.example.evil.example"),
        ("sec-fetch-site", "cross-site"),
    ] {
        assert_eq!(post().header(name, value).answer(403).await["status"], 403, "{name}: {value}");
    }
    let own = server.url.as_str();
    for (name, value) in
        [("origin", own), ("origin", "https://ours.example"), ("host", "localhost")]
    {
        post().header(name, value).response(200).await;
    }
    // A form of another site can send text without a question asked before.
    let form = server.client.post(server.at("/v1/runs")).header("content-type", "text/plain");
    form.body(body.to_string()).response(415).await;
    let asked = server.client.request(reqwest::Method::OPTIONS, server.at("/v1/runs"));
    let asked = asked
        .header("origin", "https://ours.example")
        .header("access-control-request-method", "POST")
        .header("access-control-request-headers", "authorization,content-type")
        .response(200)
        .await;
    assert_eq!(asked.headers()["access-control-allow-origin"], "https://ours.example");
    let allowed = &asked.headers()["access-control-allow-headers"];
    assert_eq!(allowed, "authorization,content-type");
    server.stop().await;
}
