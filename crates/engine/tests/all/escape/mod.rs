//! Programs that try to get out, each with the end that it must have, in `tests/escape`.
//!
//! All of them run at the same time in one engine, beside innocent ones that must notice nothing. Each way
//! to run them is a test that starts this program anew, so that nothing else runs in it: what is open
//! and mounted can then be compared before and after.

mod attack;
mod control;

use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};

use execute_python_engine::protocol::{Policy, Request, Status, Waiver};
use execute_python_engine::{Config, Engine};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::common::{Again, block_on};
use attack::{ALL, Attack, CANARY};

/// How many attacks run at a time.
const AT_ONCE: usize = 8;

/// A service of the host that an attack tries to reach, in the program that starts the others.
static SERVICE: LazyLock<UnixListener> = LazyLock::new(|| {
    let address = SocketAddr::from_abstract_name("execpy-canary").unwrap();
    UnixListener::bind_addr(&address).unwrap()
});

/// The test of this name in a program of its own, with a secret of the host in its environment.
fn again(name: &'static str) -> Again {
    if !Again::is_running() {
        LazyLock::force(&SERVICE);
    }
    Again::named(name).with("EXECPY_CANARY", CANARY)
}

#[test]
fn every_attack_ends_as_its_file_says() {
    again("escape::every_attack_ends_as_its_file_says")
        .run(|| all(Policy::Standard, &Config::default(), |_| true));
}

#[test]
fn no_attack_gains_anything_where_all_is_only_denied() {
    again("escape::no_attack_gains_anything_where_all_is_only_denied")
        .run(|| all(Policy::Lenient, &Config::default(), |_| true));
}

#[test]
fn without_root_every_attack_ends_as_its_file_says() {
    again("escape::without_root_every_attack_ends_as_its_file_says").without_root().run(|| {
        assert!(!rustix::process::geteuid().is_root(), "the control: this is no root");
        let config = Config { waived: vec![Waiver::Cgroup], ..Config::default() };
        all(Policy::Standard, &config, Attack::needs_no_packages);
    });
}

#[test]
fn there_are_attacks_of_every_kind() {
    for kind in [
        "file",
        "process",
        "network",
        "privilege",
        "limit",
        "runner",
        "output",
        "side",
        "hidden",
        "innocent",
    ] {
        let begins = format!("{kind}_");
        assert!(
            ALL.iter().filter(|attack| attack.name.starts_with(&begins)).count() >= 5,
            "{kind}"
        );
    }
    assert!(ALL.len() >= 200, "{}", ALL.len());
}

/// Runs all attacks that `fit`, and fails with everything that is wrong with their ends.
fn all(policy: Policy, config: &Config, fits: impl Fn(&Attack) -> bool) {
    let failures = block_on(async {
        let engine = Engine::new(Config { pool: 4, ..config.clone() }).unwrap();
        let neighbour = Neighbour::start(engine.clone());
        let places = Arc::new(Semaphore::new(AT_ONCE));
        let mut running = JoinSet::new();
        for attack in ALL.iter().filter(|attack| fits(attack)) {
            let place = Arc::clone(&places).acquire_owned().await.unwrap();
            let engine = engine.clone();
            running.spawn(async move {
                let failure = run(&engine, attack, policy).await;
                drop(place);
                failure
            });
        }
        let failures: String = running.join_all().await.concat();
        neighbour.stop().await;
        engine.shutdown().await;
        failures
    });
    assert!(failures.is_empty(), "\n{failures}");
}

async fn run(engine: &Engine, attack: &Attack, policy: Policy) -> String {
    let outcome = match engine.run(attack.request(policy)).await {
        Ok(outcome) => outcome,
        Err(error) => return format!("{}: {error}\n", attack.name),
    };
    let differences = match policy {
        Policy::Lenient => attack.differences_when_denied(&outcome),
        Policy::Standard | Policy::Strict => attack.differences(&outcome),
    };
    if differences.is_empty() {
        return String::new();
    }
    let said = outcome.stdout.text.chars().take(300).collect::<String>();
    format!("{} ({}):\n{differences}  stdout: {said:?}\n", attack.name, outcome.summary)
}

/// An innocent program that runs again and again beside the attacks, and must notice nothing.
struct Neighbour {
    over: Arc<AtomicBool>,
    rounds: Arc<AtomicUsize>,
    task: tokio::task::JoinHandle<()>,
}

impl Neighbour {
    fn start(engine: Engine) -> Neighbour {
        let over = Arc::new(AtomicBool::new(false));
        let rounds = Arc::new(AtomicUsize::new(0));
        let (stop, count) = (Arc::clone(&over), Arc::clone(&rounds));
        let code = "import os, json\nopen('mine', 'w').write('x')\nprint(sum(range(1000)), os.listdir(), json.dumps([1]))";
        let task = tokio::spawn(async move {
            while !stop.load(Ordering::Relaxed) {
                let request = Request { code: code.into(), ..Request::default() };
                let outcome = engine.run(request).await.unwrap();
                let found = (outcome.status, outcome.stdout.text.as_str());
                assert_eq!(found, (Status::Ok, "499500 ['mine'] [1]\n"), "{}", outcome.summary);
                assert_eq!(outcome.violations, []);
                count.fetch_add(1, Ordering::Relaxed);
            }
        });
        Neighbour { over, rounds, task }
    }

    async fn stop(self) {
        self.over.store(true, Ordering::Relaxed);
        self.task.await.unwrap();
        let rounds = self.rounds.load(Ordering::Relaxed);
        assert!(rounds >= 20, "the neighbour ran {rounds} times");
    }
}
