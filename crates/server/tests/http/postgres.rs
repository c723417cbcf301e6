//! The same on PostgreSQL, which is started for the test.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use execute_python_server::{Database, Scope, verify};
use serde_json::json;

use crate::support::{Answer as _, Server, config, folder, key};

/// A database server of its own, on a free port.
struct Postgres {
    bin: PathBuf,
    data: PathBuf,
    url: String,
}

impl Postgres {
    fn start(folder: &Path) -> Self {
        let found = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
        let bin = found.map(|entry| entry.path().join("bin")).max();
        let bin = bin.expect("this machine has no PostgreSQL (Debian: apt-get install postgresql)");
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let data = folder.join("postgres");
        std::fs::create_dir(&data).unwrap();
        let postgres =
            Self { bin, data, url: format!("postgres://postgres@127.0.0.1:{port}/postgres") };
        if rustix::process::geteuid().is_root() {
            // It refuses to run as root.
            run(Command::new("chown").arg("postgres").args([folder, &postgres.data]));
        }
        postgres.call("initdb", &["--auth=trust", "--username=postgres", "--no-sync"]);
        let options =
            format!("-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=");
        postgres.call("pg_ctl", &["--wait", "--silent", "--options", &options, "start"]);
        postgres
    }

    /// Runs a program of PostgreSQL on the data.
    fn call(&self, program: &str, arguments: &[&str]) {
        let program = self.bin.join(program);
        let mut command = if rustix::process::geteuid().is_root() {
            let mut command = Command::new("setpriv");
            command.args(["--reuid=postgres", "--regid=postgres", "--clear-groups"]).arg(program);
            command
        } else {
            Command::new(program)
        };
        run(command.arg("--pgdata").arg(&self.data).args(arguments).current_dir("/"));
    }
}

#[expect(clippy::disallowed_methods, reason = "a test starts a database")]
fn run(command: &mut Command) {
    let status = command.stdout(Stdio::null()).stderr(Stdio::inherit()).status().unwrap();
    assert!(status.success(), "{command:?}");
}

impl Drop for Postgres {
    fn drop(&mut self) {
        self.call("pg_ctl", &["--mode=immediate", "--silent", "stop"]);
    }
}

#[tokio::test]
async fn keys_records_and_background_runs_are_kept_in_postgresql() {
    let folder = folder();
    let postgres = Postgres::start(folder.path());
    let mut config = config(&folder);
    config.database = Some(postgres.url.clone());
    config.require_key = true;
    config.records.code = true;
    let key = key(&config, "us", &Scope::ALL).await;
    let server = Server::with(config.clone()).await;
    let body = json!({ "code": "print('a\\x00b')" });
    for again in [false, true] {
        let request = server.post("/v1/runs", &body).bearer_auth(&key);
        let response = request.header("idempotency-key", "one").response(200).await;
        assert_eq!(response.headers().contains_key("idempotency-replayed"), again);
    }
    let body = json!({ "code": "print(1)", "background": true });
    let id = server.post("/v1/runs", &body).bearer_auth(&key).answer(202).await["id"].clone();
    let path = format!("/v1/runs/{}?wait=30", id.as_str().unwrap());
    let state = server.get(&path).bearer_auth(&key).answer(200).await;
    assert_eq!(state["outcome"]["stdout"]["text"], "1\n");
    let records = server.get("/v1/runs?q=print").bearer_auth(&key).answer(200).await;
    assert_eq!(records["runs"], json!([]));
    let records = server.get("/v1/runs?status=ok&limit=1").bearer_auth(&key).answer(200).await;
    assert_eq!(records["runs"][0]["id"], id);
    server.stop().await;
    let database = Database::open(&config).await.unwrap();
    let found = verify(&database, None).await.unwrap();
    assert_eq!((found.entries, found.faults.as_slice()), (3, &[][..]));
    database.close().await;
    sqlx::any::install_default_drivers();
    let raw = sqlx::AnyPool::connect(&postgres.url).await.unwrap();
    let refused = sqlx::query("DELETE FROM audit").execute(&raw).await.unwrap_err();
    assert!(refused.to_string().contains("append-only"), "{refused}");
    raw.close().await;
}
