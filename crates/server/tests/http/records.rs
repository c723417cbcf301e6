//! What is kept of runs.

use execute_python_server::{Records, verify};
use serde_json::{Value, json};

use crate::support::{Answer as _, Server, config, folder};

#[tokio::test]
async fn every_run_is_recorded_without_what_the_guest_wrote() {
    let folder = folder();
    let server = Server::start(&folder).await;
    let outcome = server.run("print('the secret')\nimport os\nos.fork()").await;
    let records = server.get("/v1/runs").answer(200).await;
    let record = &records["runs"][0];
    assert_eq!(record["id"], outcome["id"]);
    assert_eq!(record["status"], "violation");
    assert_eq!(record["violations"][0]["category"], "process");
    assert_eq!(record["code_sha256"].as_str().unwrap().len(), 64);
    assert!(!records.to_string().contains("secret"));
    let path = format!("/v1/runs/{}", outcome["id"].as_str().unwrap());
    assert_eq!(server.get(&path).answer(200).await["outcome"], Value::Null);
    server.stop().await;
}

#[tokio::test]
async fn code_and_outcome_are_kept_where_the_operator_says_so() {
    let folder = folder();
    let mut config = config(&folder);
    config.records.code = true;
    config.records.output = true;
    let server = Server::with(config.clone()).await;
    let outcome = server.run("print('kept')").await;
    let id = outcome["id"].as_str().unwrap();
    let state = server.get(&format!("/v1/runs/{id}")).answer(200).await;
    assert_eq!(state["outcome"]["stdout"]["text"], "kept\n");
    let database = execute_python_server::Database::open(&config).await.unwrap();
    let kept = Records::new(database).get(None, id).await.unwrap().unwrap();
    assert_eq!(kept.code.unwrap(), "print('kept')");
    server.stop().await;
}

#[tokio::test]
async fn records_are_listed_in_pages_and_found() {
    let folder = folder();
    let server = Server::start(&folder).await;
    for code in ["print(1)", "1 / 0", "print(2)", "int('x')"] {
        server.run(code).await;
    }
    let list = async |query: &str| server.get(&format!("/v1/runs{query}")).answer(200).await;
    let page = list("?limit=3").await;
    assert_eq!(page["runs"].as_array().unwrap().len(), 3);
    let rest = list(&format!("?limit=3&before={}", page["next"].as_str().unwrap())).await;
    assert_eq!(rest["runs"].as_array().unwrap().len(), 1);
    assert_eq!(rest["next"], Value::Null);
    let failed = list("?status=exception&q=ZeroDivision").await;
    assert_eq!(failed["runs"].as_array().unwrap().len(), 1);
    assert_eq!(list("?q=%25").await["runs"], json!([]));
    server.get("/v1/runs?limit=x").response(422).await;
    server.get("/v1/runs?nonsense=1").response(422).await;
    server.stop().await;
}

#[tokio::test]
async fn the_trail_proves_itself_whole_and_shows_what_was_changed() {
    let folder = folder();
    let server = Server::start(&folder).await;
    for number in 0..20 {
        server.run(&format!("print({number})")).await;
    }
    server.stop().await;
    let config = config(&folder);
    let database = execute_python_server::Database::open(&config).await.unwrap();
    let whole = verify(&database, None).await.unwrap();
    assert_eq!((whole.entries, whole.faults.as_slice()), (20, &[][..]));
    database.close().await;

    sqlx::any::install_default_drivers();
    let url = format!("sqlite://{}", folder.path().join("records.db").display());
    let raw = sqlx::AnyPool::connect(&url).await.unwrap();
    let change = async |statement: &'static str| sqlx::query(statement).execute(&raw).await;
    assert!(change("DELETE FROM audit WHERE seq = 20").await.is_err());
    change("DROP TRIGGER audit_forgets_nothing").await.unwrap();
    change("DROP TRIGGER audit_keeps_what_is").await.unwrap();
    change("UPDATE audit SET tenant = 'other' WHERE seq = 3").await.unwrap();
    change("DELETE FROM audit WHERE seq = 7").await.unwrap();
    change("DELETE FROM audit WHERE seq = 20").await.unwrap();
    change("UPDATE runs SET record = '{}' WHERE id = (SELECT MIN(id) FROM runs)").await.unwrap();
    let database = execute_python_server::Database::open(&config).await.unwrap();
    let faults = verify(&database, Some(&whole.head)).await.unwrap().faults;
    for (told, count) in [
        ("entry 3 was changed", 1),
        ("entries 7 to 7 are missing", 1),
        ("entry 8 does not follow", 1),
        ("its end was cut off", 1),
        ("is not what the trail says", 3),
    ] {
        let found = faults.iter().filter(|fault| fault.contains(told)).count();
        assert_eq!(found, count, "{told}: {faults:?}");
    }
}
