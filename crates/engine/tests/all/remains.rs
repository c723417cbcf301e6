//! What is left of runs on the host: nothing.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use execute_python_engine::protocol::{Request, SessionOptions};
use execute_python_engine::{Config, Engine};

use crate::common::block_on;

/// The control groups of engines of this process that exist now.
fn groups() -> Vec<PathBuf> {
    let own = fs::read_to_string("/proc/self/cgroup").unwrap();
    let memory = own.lines().find_map(|line| line.split_once(":memory:").map(|(_, path)| path));
    let Some(memory) = memory else { return Vec::new() };
    let folder = PathBuf::from(format!("/sys/fs/cgroup/memory{memory}"));
    let begins = format!("execute-python-{}-", std::process::id());
    fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.file_name().is_some_and(|n| n.to_string_lossy().starts_with(&begins)))
        .collect()
}

/// The processes below this one that are in a pid namespace of a sandbox.
fn sandboxed(parent: u32) -> usize {
    let below = |pid: &str| {
        let text = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        let field = |name: &str| {
            text.lines().find_map(|l| l.strip_prefix(name)).unwrap_or_default().trim().to_owned()
        };
        (field("PPid:"), field("NSpid:").split_whitespace().count())
    };
    let processes: Vec<(String, (String, usize))> = fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| name.bytes().all(|byte| byte.is_ascii_digit()))
        .map(|pid| (pid.clone(), below(&pid)))
        .collect();
    let mut tree = vec![parent.to_string()];
    let mut at = 0;
    while at < tree.len() {
        let of = tree[at].clone();
        tree.extend(processes.iter().filter(|(_, (p, _))| *p == of).map(|(pid, _)| pid.clone()));
        at += 1;
    }
    processes.iter().filter(|(pid, (_, depth))| tree.contains(pid) && *depth > 1).count()
}

/// Waits until something holds, which it must within seconds.
fn eventually(what: &str, holds: impl Fn() -> bool) {
    let until = Instant::now() + Duration::from_secs(10);
    while !holds() {
        assert!(Instant::now() < until, "{what}");
        std::thread::yield_now();
    }
}

#[test]
fn after_an_engine_no_process_group_or_descriptor_is_left() {
    let open = || fs::read_dir("/proc/self/fd").unwrap().count();
    let mounts = || fs::read_to_string("/proc/self/mountinfo").unwrap();
    let round = || {
        block_on(async {
            let engine = Engine::new(Config { pool: 2, ..Config::default() }).unwrap();
            for code in ["1", "1/0", "import os; os.abort()", "import os; os.fork()"] {
                engine.run(Request { code: code.into(), ..Request::default() }).await.unwrap();
            }
            let session = engine.open_session(SessionOptions::default(), None).await.unwrap();
            for code in ["x = 1", "import os; os._exit(1)", "x = 2"] {
                session.run(Request { code: code.into(), ..Request::default() }).await.unwrap();
            }
            let branches = session.fork(2).await.unwrap();
            session.close().await;
            let request = Request { code: "print(x)".into(), ..Request::default() };
            let outcome = branches[1].run(request).await.unwrap();
            assert_eq!(outcome.stdout.text, "2\n", "a branch outlives its trunk");
            engine.shutdown().await;
        });
    };
    let before = mounts();
    let groups_before = groups();
    round();
    assert_eq!(mounts(), before);
    let new = || groups().into_iter().filter(|group| !groups_before.contains(group)).count();
    eventually("a control group is left", || new() == 0);
    // Other tests of this program run beside this one, so only an upper bound can be told.
    assert!(open() < 500, "{} descriptors are open", open());
}

/// Not a test of its own: what [`killing_the_program_leaves_nothing_running`] starts and kills.
#[test]
fn an_engine_to_be_killed() {
    use execute_python_engine::{Delivery, protocol::Event};
    if std::env::var_os("ENGINE_TO_BE_KILLED").is_none() {
        return;
    }
    block_on(async {
        let engine = Engine::new(Config { pool: 2, ..Config::default() }).unwrap();
        let code = "import time\nprint('the guest waits')\ntime.sleep(4)".into();
        let request = Request { code, ..Request::default() };
        let mut run = engine.start(request, Delivery::Inline).await.unwrap();
        while let Some(event) = run.next().await {
            if let Event::Stdout { text } = event {
                std::io::Write::write_all(&mut std::io::stdout(), text.as_bytes()).unwrap();
            }
        }
    });
}

#[test]
fn killing_the_program_leaves_nothing_running() {
    let (mut child, pid) = start_and_wait_for_output();
    assert!(sandboxed(pid) > 0, "the control: the sandbox runs");
    let inside: Vec<String> = descendants(pid);
    assert!(!inside.is_empty(), "the control: there are processes");
    child.kill().unwrap();
    child.wait().unwrap();
    eventually("a process outlived the engine", || {
        inside.iter().all(|pid| {
            let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
            status.is_empty() || status.contains("State:\tZ")
        })
    });
}

fn descendants(parent: u32) -> Vec<String> {
    let parents: Vec<(String, String)> = fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter_map(|pid| {
            let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
            let parent = status.lines().find_map(|line| line.strip_prefix("PPid:"))?;
            Some((pid, parent.trim().to_owned()))
        })
        .collect();
    let mut tree = vec![parent.to_string()];
    let mut at = 0;
    while at < tree.len() {
        let of = tree[at].clone();
        tree.extend(parents.iter().filter(|(_, parent)| *parent == of).map(|(pid, _)| pid.clone()));
        at += 1;
    }
    tree.split_off(1)
}

/// This test program, started anew as an engine that runs a program which waits.
#[expect(clippy::disallowed_methods, reason = "the program under test is started to be killed")]
fn start_and_wait_for_output() -> (std::process::Child, u32) {
    use std::io::Read;
    let mut child = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "remains::an_engine_to_be_killed", "--nocapture"])
        .env("ENGINE_TO_BE_KILLED", "1")
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdout = child.stdout.take().unwrap();
    let mut text = String::new();
    let mut byte = [0];
    while !text.contains("the guest waits") {
        assert_eq!(stdout.read(&mut byte).unwrap(), 1, "{text}");
        text.push(char::from(byte[0]));
    }
    let pid = child.id();
    (child, pid)
}
