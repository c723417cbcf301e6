//! What the service says of itself.

use serde_json::{Value, json};

use crate::support::{Answer as _, Server, folder};

/// Set `UPDATE_SCHEMAS=1` to write the file anew.
#[tokio::test]
async fn the_checked_in_description_is_the_one_that_is_served() {
    let folder = folder();
    let server = Server::start(&folder).await;
    let described = server.get("/openapi.json").answer(200).await;
    server.stop().await;
    let fresh = serde_json::to_string_pretty(&described).unwrap() + "\n";
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/schema/openapi.json");
    if std::env::var_os("UPDATE_SCHEMAS").is_some() {
        std::fs::write(path, &fresh).unwrap();
    }
    let kept = std::fs::read_to_string(path).unwrap_or_default();
    assert!(kept == fresh, "{path} is stale: run the tests with UPDATE_SCHEMAS=1");
}

#[tokio::test]
async fn every_reference_in_the_description_leads_somewhere() {
    fn references<'a>(value: &'a Value, found: &mut Vec<&'a str>) {
        match value {
            Value::Object(fields) => {
                found.extend(fields.get("$ref").and_then(Value::as_str));
                fields.values().for_each(|value| references(value, found));
            }
            Value::Array(items) => items.iter().for_each(|value| references(value, found)),
            _ => {}
        }
    }
    let folder = folder();
    let server = Server::start(&folder).await;
    let described = server.get("/openapi.json").answer(200).await;
    let mut found = Vec::new();
    references(&described, &mut found);
    assert!(found.len() > 50, "{}", found.len());
    for reference in found {
        let name = reference.strip_prefix('#').unwrap();
        assert!(described.pointer(name).is_some(), "{reference}");
    }
    server.stop().await;
}

#[tokio::test]
async fn the_page_loads_nothing_but_our_own() {
    let folder = folder();
    let server = Server::start(&folder).await;
    let page = server.get("/docs").response(200).await;
    let policy = page.headers()["content-security-policy"].to_str().unwrap().to_owned();
    assert!(policy.starts_with("default-src 'none'; script-src 'self';"), "{policy}");
    let page = page.text().await.unwrap();
    for named in page.split("src=\"").skip(1).chain(page.split("href=\"").skip(1)) {
        let path = named.split('"').next().unwrap();
        server.get(path).response(200).await;
    }
    server.stop().await;
}

#[tokio::test]
async fn the_tool_is_given_in_the_form_of_who_takes_it() {
    let folder = folder();
    let server = Server::start(&folder).await;
    for (format, name, schema) in [
        ("openai", "/function/name", "/function/parameters"),
        ("openai_responses", "/name", "/parameters"),
        ("anthropic", "/name", "/input_schema"),
        ("gemini", "/functionDeclarations/0/name", "/functionDeclarations/0/parameters"),
        ("mcp", "/name", "/inputSchema"),
    ] {
        let tools = server.get(&format!("/v1/tools?format={format}")).answer(200).await;
        let tool = &tools["tools"][0];
        assert_eq!(tool.pointer(name), Some(&json!("execute_python")), "{format}");
        assert_eq!(tool.pointer(schema).unwrap()["required"], json!(["code"]), "{format}");
    }
    server.get("/v1/tools?format=other").response(422).await;
    server.stop().await;
}

#[tokio::test]
async fn environments_are_shown_without_their_place_on_the_host() {
    let folder = folder();
    let server = Server::start(&folder).await;
    server.run("1").await;
    let all = server.get("/v1/environments").answer(200).await;
    let base = server.get("/v1/environments/base").answer(200).await;
    assert_eq!(base["built"], true);
    assert_eq!(base["root"], Value::Null);
    assert!(all["environments"].as_array().unwrap().contains(&base));
    let missing = server.get("/v1/environments/none").answer(404).await;
    assert_eq!(missing["code"], "environment_unknown");
    server.post("/v1/environments/base/build", &json!({})).response(200).await;
    server.stop().await;
}
