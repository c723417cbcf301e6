//! Running the service: metrics, TLS, health, overload.

use std::time::Duration;

use execute_python_server::{Quota, Tls};
use reqwest::{Certificate, Client};
use serde_json::json;

use crate::support::{Answer as _, Server, config, folder};

#[tokio::test]
async fn metrics_tell_how_runs_end_and_how_long_they_take() {
    let folder = folder();
    let server = Server::start(&folder).await;
    for code in ["print(1)", "1 / 0", "import os; os.fork()"] {
        server.run(code).await;
    }
    let told = server.get("/metrics").response(200).await.text().await.unwrap();
    for line in [
        r#"execute_python_runs_total{environment="base",status="ok"} 1"#,
        r#"execute_python_runs_total{environment="base",status="exception"} 1"#,
        r#"execute_python_run_seconds_count{environment="base",phase="whole"} 3"#,
        r#"execute_python_violations_total{environment="base",category="process",action="interrupt"} 1"#,
        r#"execute_python_http_requests_total{method="POST",route="/v1/runs",status="200"} 3"#,
        "execute_python_running 0",
        "execute_python_queued 0",
        r#"execute_python_pool{environment="base"}"#,
    ] {
        assert!(told.contains(line), "{line}\n{told}");
    }
    server.stop().await;
}

#[tokio::test]
async fn a_service_with_a_certificate_speaks_tls_and_http_2() {
    let folder = folder();
    let made = rcgen::generate_simple_self_signed(["localhost".into()]).unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("cert.pem"), made.cert.pem()).unwrap();
    std::fs::write(path("key.pem"), made.signing_key.serialize_pem()).unwrap();
    let mut config = config(&folder);
    config.tls = Some(Tls { certificate: path("cert.pem"), key: path("key.pem") });
    config.header_timeout_seconds = 1;
    let server = Server::with(config).await;
    let root = Certificate::from_pem(made.cert.pem().as_bytes()).unwrap();
    let client = Client::builder().no_proxy().tls_certs_only([root]).build().unwrap();
    let url = server.at("/v1/runs").replace("127.0.0.1", "localhost");
    let response = client.post(&url).json(&json!({ "code": "print(1)" })).response(200).await;
    assert_eq!(response.version(), reqwest::Version::HTTP_2);
    // Who speaks no TLS, or says nothing, is cut off.
    assert!(server.client.get(url.replace("https", "http")).send().await.is_err());
    server.stop().await;
}

#[tokio::test]
async fn overload_answers_at_once_and_harms_no_run_under_way() {
    let folder = folder();
    let mut config = config(&folder);
    config.concurrent_runs = Some(2);
    config.queued_runs = 4;
    let server = Server::with(config).await;
    let body = json!({ "code": "import time; time.sleep(0.5); print('done')" });
    let asked: Vec<_> =
        (0..50).map(|_| tokio::spawn(server.post("/v1/runs", &body).send())).collect();
    let (mut done, mut turned_away) = (0, 0);
    for asked in asked {
        let response = asked.await.unwrap().unwrap();
        match response.status().as_u16() {
            200 => {
                let outcome: serde_json::Value = response.json().await.unwrap();
                assert_eq!(outcome["stdout"]["text"], "done\n");
                done += 1;
            }
            429 => {
                assert!(response.headers().contains_key("retry-after"));
                turned_away += 1;
            }
            other => panic!("{other}"),
        }
    }
    assert_eq!((done, turned_away), (6, 44));
    server.stop().await;
}

#[tokio::test]
async fn a_service_that_stops_finishes_what_goes_on_and_takes_nothing_new() {
    let folder = folder();
    let server = Server::start(&folder).await;
    let body = json!({ "code": "import time; time.sleep(1); print('done')" });
    let going = tokio::spawn(server.post("/v1/runs", &body).send());
    while server.service.load().0 == 0 {
        tokio::task::yield_now().await;
    }
    let late = server.get("/readyz");
    server.stop().await;
    let outcome: serde_json::Value = going.await.unwrap().unwrap().json().await.unwrap();
    assert_eq!(outcome["stdout"]["text"], "done\n");
    assert!(late.send().await.is_err());
}

#[tokio::test]
async fn many_connections_are_served() {
    let folder = folder();
    let server = Server::start(&folder).await;
    let address = server.url.trim_start_matches("http://").to_owned();
    let mut idle = Vec::new();
    for _ in 0..1_000 {
        idle.push(tokio::net::TcpStream::connect(&address).await.unwrap());
    }
    assert_eq!(server.run("print('well')").await["stdout"]["text"], "well\n");
    drop(idle);
    server.stop().await;
}

/// What this process holds: descriptors, and kilobytes of memory.
fn held() -> (usize, usize) {
    let descriptors = std::fs::read_dir("/proc/self/fd").unwrap().count();
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    (descriptors, resident.trim().trim_end_matches(" kB").parse().unwrap())
}

#[tokio::test]
async fn runs_of_all_kinds_leave_nothing_behind() {
    let folder = folder();
    let mut config = config(&folder);
    config.quota = Quota { concurrent_runs: Some(8), ..Quota::default() };
    let server = Server::with(config).await;
    let some = async |rounds: usize| {
        for round in 0..rounds {
            let code = match round % 5 {
                0 => "print(1)",
                1 => "1 / 0",
                2 => "import os; os.fork()",
                3 => "open('a.txt', 'w').write('x' * 1000)",
                _ => "print('x' * 100000)",
            };
            let stream = round % 2 == 0;
            let request = server.post("/v1/runs", &json!({ "code": code, "stream": stream }));
            let response = request.response(200).await;
            // Every third client does not stay to the end.
            if round % 3 > 0 {
                response.bytes().await.unwrap();
            }
        }
        // Those that were left are over when nothing is counted any more.
        let over = async {
            while server.service.load().0 > 0 {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(Duration::from_secs(30), over).await.unwrap();
        held()
    };
    some(100).await;
    let before = some(100).await;
    let after = some(400).await;
    // Other tests run in this process meanwhile, so this sees leaks of each run, not of one.
    assert!(after.0 < before.0 + 300, "{before:?} {after:?}");
    assert!(after.1 < before.1 + 100_000, "{before:?} {after:?}");
    server.stop().await;
}
