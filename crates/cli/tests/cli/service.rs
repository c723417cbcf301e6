//! `serve`, `keys` and `runs`.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use snapbox::str;

use crate::support::{Folder, Streams};

/// A service that was started in a folder.
struct Service {
    child: Child,
    address: String,
}

impl Service {
    fn start(folder: &Folder) -> Self {
        let streams = Streams { stdout: Stdio::null(), stderr: Stdio::piped() };
        let listen = ["serve", "--listen", "127.0.0.1:0", "--data-dir", "data"];
        let mut child = folder.start(listen, streams);
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let address = loop {
            let line = lines.next().unwrap().unwrap();
            if let Some(address) = line.strip_prefix("serving: http://") {
                break address.to_owned();
            }
        };
        // Who writes to a pipe that nobody reads would wait.
        std::thread::spawn(move || lines.for_each(drop));
        Self { child, address }
    }

    /// Sends a request and gives the answer.
    fn ask(&self, head: &str, body: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let length = body.len();
        let request = format!(
            "{head} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\
             content-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
        );
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    fn signal(&self, signal: Signal) {
        let pid = Pid::from_raw(i32::try_from(self.child.id()).unwrap()).unwrap();
        kill_process(pid, signal).unwrap();
    }
}

#[test]
fn a_service_runs_code_and_stops_when_it_is_told() {
    let folder = Folder::new();
    let mut service = Service::start(&folder);
    let answer = service.ask("POST /v1/runs", r#"{"code": "print(6 * 7)"}"#);
    assert!(answer.contains(r#""text":"42\n""#), "{answer}");
    service.signal(Signal::TERM);
    assert!(service.child.wait().unwrap().success());
    folder.execute_python(["runs", "list", "--data-dir", "data"]).assert().success().stdout_eq(
        str![[r#"
[..]Z  [RUN]  ok  base  tenant local  [..] ms

"#]],
    );
    folder.execute_python(["runs", "verify", "--data-dir", "data"]).assert().success().stderr_eq(
        str![[r#"
ok: 1 entries, the last is [..]

"#]],
    );
}

#[test]
fn a_background_run_survives_the_death_of_the_service() {
    let folder = Folder::new();
    let mut service = Service::start(&folder);
    let body = r#"{"code": "import time; time.sleep(1); print('done')", "background": true}"#;
    let answer = service.ask("POST /v1/runs", body);
    let id = answer.split("run_").nth(1).unwrap()[..32].to_owned();
    service.signal(Signal::KILL);
    service.child.wait().unwrap();
    let mut service = Service::start(&folder);
    let answer = service.ask(&format!("GET /v1/runs/run_{id}?wait=30"), "");
    assert!(answer.contains(r#""text":"done\n""#), "{answer}");
    service.signal(Signal::TERM);
    assert!(service.child.wait().unwrap().success());
}

#[test]
fn an_address_in_reach_of_others_needs_a_key() {
    let folder = Folder::new();
    let serve = ["serve", "--listen", "0.0.0.0:0", "--data-dir", "data"];
    folder.execute_python(serve).assert().code(125).stderr_eq(str![[r#"
error: will not listen on `0.0.0.0:0` without keys: everybody who reaches it could run code
hint: make one with `execute-python keys create NAME`, or listen on 127.0.0.1

"#]]);
}

#[test]
fn a_key_is_shown_once_listed_and_revoked() {
    let folder = Folder::new();
    let keys = ["keys", "create", "alice", "--tenant", "acme", "--data-dir", "data"];
    let made = folder.execute_python(keys).output().unwrap();
    let secret = String::from_utf8(made.stdout).unwrap();
    assert!(secret.starts_with("epk_"), "{secret}");
    let list = ["keys", "list", "--data-dir", "data"];
    let listed = folder.execute_python(list).output().unwrap();
    assert!(!String::from_utf8(listed.stdout).unwrap().contains(secret.trim()));
    folder.execute_python(list).assert().success().stdout_eq(str![[r#"
key_[..]  alice  tenant acme  run,records  good

"#]]);
    folder.execute_python(["keys", "revoke", "alice", "--data-dir", "data"]).assert().success();
    let again = folder.execute_python(["keys", "revoke", "alice", "--data-dir", "data"]).assert();
    again.code(2).stderr_eq(str![[r#"
error: there is no key `alice` that is not revoked
hint: `execute-python keys list` shows all

"#]]);
    let bad = folder.execute_python(["keys", "create", "x", "--tenant", "../x"]).assert();
    bad.code(2);
}

#[test]
fn the_configuration_is_printed_as_files_variables_and_flags_make_it() {
    let file = "[server]\npool = 9\ndata_dir = 'kept'\n[server.quota]\nsessions = 3\n";
    let folder = Folder::new().with("config/execute-python/execute-python.toml", file);
    let print = ["serve", "--print-config", "--listen", "127.0.0.1:81"];
    let printed = folder
        .execute_python(print)
        .env("EXECUTE_PYTHON_SERVER__QUOTA__RUNS_PER_MINUTE", "7")
        .output()
        .unwrap();
    let printed = String::from_utf8(printed.stdout).unwrap();
    for line in [
        "listen = \"127.0.0.1:81\"",
        "pool = 9",
        "sessions = 3",
        "runs_per_minute = 7",
        "/config/execute-python/kept\"",
    ] {
        assert!(printed.contains(line), "{line}\n{printed}");
    }
    // What is printed is a settings file.
    let folder = Folder::new().with("printed.toml", &printed);
    let again = ["serve", "--print-config", "--config", "printed.toml"];
    let again = folder.execute_python(again).output().unwrap();
    assert_eq!(String::from_utf8(again.stdout).unwrap(), printed);
    let bad = folder.execute_python(["serve", "--print-config"]);
    let bad = bad.env("EXECUTE_PYTHON_SERVER__NONSENSE", "1").assert().code(2);
    bad.stderr_eq(str![[r#"
error: cannot understand the variables `EXECUTE_PYTHON_SERVER__…`: unknown field `nonsense`[..]

"#]]);
}
