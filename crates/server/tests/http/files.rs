//! Files that go in and come out.

use execute_python_server::{Quota, Scope};
use reqwest::multipart::{Form, Part};
use serde_json::{Value, json};

use crate::support::{Answer as _, Server, config, folder, key};

#[tokio::test]
async fn a_file_is_uploaded_once_and_given_to_many_runs() {
    let folder = folder();
    let server = Server::start(&folder).await;
    let upload = server.client.post(server.at("/v1/files?name=a.csv")).body("x,y\n1,2\n");
    let known: Value = upload.answer(201).await;
    assert_eq!(known["bytes"], 8);
    assert_eq!(known["mime_type"], "text/csv");
    let id = &known["id"];
    for path in ["a.csv", "sub/b.csv"] {
        let body = json!({
            "code": format!("print(open({path:?}).read())"),
            "files": [{ "file_id": id, "path": path }],
        });
        let outcome = server.post("/v1/runs", &body).answer(200).await;
        assert_eq!(outcome["stdout"]["text"], "x,y\n1,2\n\n", "{outcome}");
    }
    let id = id.as_str().unwrap();
    assert_eq!(server.get("/v1/files").answer(200).await["files"], json!([known]));
    let path = format!("/v1/files/{id}/content");
    let part = server.get(&path).header("range", "bytes=4-6").response(206).await;
    assert_eq!(part.text().await.unwrap(), "1,2");
    server.client.delete(server.at(&format!("/v1/files/{id}"))).response(204).await;
    let body = json!({ "code": "1", "files": [{ "file_id": id }] });
    let missing = server.post("/v1/runs", &body).answer(404).await;
    assert_eq!(missing["field"], "files[0].file_id");
    server.stop().await;
}

#[tokio::test]
async fn a_form_brings_code_and_files() {
    let folder = folder();
    let server = Server::start(&folder).await;
    let form = Form::new()
        .text("code", "print(open('a.bin', 'rb').read(), open('b.txt').read())")
        .part("file", Part::bytes(&[0, 255][..]).file_name("a.bin"))
        .part("file", Part::text("hi").file_name("b.txt"));
    let outcome: Value =
        server.client.post(server.at("/v1/runs")).multipart(form).answer(200).await;
    assert_eq!(outcome["stdout"]["text"], "b'\\x00\\xff' hi\n", "{outcome}");
    server.stop().await;
}

#[tokio::test]
async fn an_artifact_comes_back_and_cannot_act_in_our_origin() {
    let folder = folder();
    let server = Server::start(&folder).await;
    let page = "<script>alert(1)</script>";
    let outcome = server.run(&format!("open('p.html', 'w').write({page:?})")).await;
    let artifact = &outcome["artifacts"][0];
    assert_eq!(artifact["content"], Value::Null);
    let response = server.get(artifact["url"].as_str().unwrap()).response(200).await;
    let headers = response.headers().clone();
    assert_eq!(headers["content-type"], "text/html");
    assert_eq!(headers["x-content-type-options"], "nosniff");
    assert_eq!(headers["content-disposition"], "attachment; filename*=UTF-8''p.html");
    assert!(headers["content-security-policy"].to_str().unwrap().starts_with("sandbox;"));
    assert_eq!(response.text().await.unwrap(), page);
    let body = json!({ "code": "open('a', 'w').write('x')", "include": ["artifacts"] });
    let outcome = server.post("/v1/runs", &body).answer(200).await;
    assert_eq!(outcome["artifacts"][0]["content"], "eA==");
    server.stop().await;
}

#[tokio::test]
async fn nobody_sees_what_is_another_tenants() {
    let folder = folder();
    let mut config = config(&folder);
    config.require_key = true;
    let ours = key(&config, "ours", &Scope::ALL).await;
    let theirs = key(&config, "theirs", &Scope::ALL).await;
    let server = Server::with(config).await;
    let upload = server.client.post(server.at("/v1/files?name=a.txt")).body("secret");
    let file = upload.bearer_auth(&ours).answer(201).await;
    let body = json!({ "code": "open('a.txt', 'w').write('secret')" });
    let run = server.post("/v1/runs", &body).bearer_auth(&ours).answer(200).await;
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let paths = [
        format!("/v1/files/{}", text(&file["id"])),
        format!("/v1/files/{}/content", text(&file["id"])),
        text(&run["artifacts"][0]["url"]),
        format!("/v1/runs/{}", text(&run["id"])),
    ];
    for path in paths {
        // The control: its owner sees it.
        server.get(&path).bearer_auth(&ours).response(200).await;
        server.get(&path).bearer_auth(&theirs).response(404).await;
    }
    let all = server.get("/v1/runs").bearer_auth(&theirs).answer(200).await;
    assert_eq!(all, json!({ "runs": [] }));
    let all = server.get("/v1/files").bearer_auth(&theirs).answer(200).await;
    assert_eq!(all, json!({ "files": [] }));
    server.stop().await;
}

#[tokio::test]
async fn a_quota_of_bytes_refuses_files_and_leaves_artifacts_in_the_outcome() {
    let folder = folder();
    let mut config = config(&folder);
    config.quota = Quota { stored_bytes: Some(10), ..Quota::default() };
    let server = Server::with(config).await;
    let upload = |body| server.client.post(server.at("/v1/files?name=a")).body(body);
    upload("12345678").response(201).await;
    let refused = upload("12345678").response(429).await;
    assert!(refused.headers().contains_key("retry-after"));
    let outcome = server.run("open('a', 'w').write('12345678')").await;
    assert_eq!(outcome["artifacts"][0]["content"], "MTIzNDU2Nzg=");
    server.stop().await;
}
