//! Long random histories of a session against a model of what it must be.

use std::collections::HashMap;

use execute_python_engine::Session;
use execute_python_engine::protocol::{Outcome, Request, SessionOptions, StateKind, Status};

use crate::common::{block_on, engine};

/// What a session holds, as far as its programs change it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Model {
    /// A list.
    x: Vec<u64>,
    /// How much of a generator is used up.
    taken: u64,
    /// What a file holds, and how much of it an open file has read.
    log: String,
    read: usize,
}

impl Model {
    /// What a program prints that shows everything.
    fn shown(&self) -> String {
        let x: Vec<String> = self.x.iter().map(u64::to_string).collect();
        format!("[{}] {} {} {}\n", x.join(", "), self.taken, self.log, self.read)
    }
}

const BEGIN: &str = "\
import os, itertools
x, g, taken = [], itertools.count(), 0
open('log', 'w').close()
f = open('log')
def take():
    global taken
    taken = next(g) + 1";
const SHOW: &str = "print(x, taken, open('log').read(), f.tell())";

/// Numbers that look random and are the same each time (splitmix64).
struct Random(u64);

impl Random {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % most
    }
}

async fn run(session: &Session, code: &str) -> Outcome {
    session.run(Request { code: code.into(), ..Request::default() }).await.unwrap()
}

/// A change and the code that makes it.
fn change(random: &mut Random, model: &mut Model) -> String {
    let n = random.below(1000);
    match random.below(5) {
        0 => {
            model.x.push(n);
            format!("x.append({n})")
        }
        1 => {
            model.x.pop();
            "x and x.pop()".into()
        }
        2 => {
            model.taken += 1;
            "take()".into()
        }
        3 => {
            model.log.push_str(&n.to_string());
            format!("open('log', 'a').write('{n}')")
        }
        _ => {
            let more = model.log.len().min(model.read + 2) - model.read;
            model.read += more;
            "f.read(2)".into()
        }
    }
}

async fn history(seed: u64, steps: usize) {
    let engine = engine();
    let mut random = Random(seed);
    let mut session = engine.open_session(SessionOptions::default(), None).await.unwrap();
    let mut model = Model::default();
    run(&session, BEGIN).await;
    let mut kept = HashMap::from([(session.checkpoint(None).await.unwrap().id, model.clone())]);
    for step in 0..steps {
        match random.below(10) {
            // A run that goes wrong after it changed something.
            0 | 1 => {
                let wrong = change(&mut random, &mut model.clone());
                let end = ["os._exit(1)", "os.system('x')", "import ctypes; ctypes.string_at(0)"];
                let end = end[usize::try_from(random.below(3)).unwrap()];
                let outcome = run(&session, &format!("{wrong}\n{end}")).await;
                assert_eq!(outcome.state.unwrap().kind, StateKind::Rewound, "step {step}");
            }
            2 => drop(kept.insert(session.checkpoint(None).await.unwrap().id, model.clone())),
            3 => {
                let at = usize::try_from(random.below(kept.len() as u64)).unwrap();
                let mut ids: Vec<_> = kept.keys().cloned().collect();
                ids.sort();
                session.rewind(&ids[at]).await.unwrap();
                model = kept[&ids[at]].clone();
            }
            4 => {
                let mut branches = session.fork(2).await.unwrap();
                let mut models = [model.clone(), model.clone()];
                for (branch, model) in branches.iter().zip(&mut models) {
                    let code = change(&mut random, model);
                    assert_eq!(run(branch, &code).await.status, Status::Ok);
                }
                let [first, second] = models;
                if random.below(2) == 0 {
                    session.adopt(branches.remove(0)).await.unwrap();
                    model = first;
                } else {
                    // The branch goes on as the session, which ends.
                    let branch = branches.remove(1);
                    std::mem::replace(&mut session, branch).close().await;
                    model = second;
                }
                for branch in branches {
                    branch.close().await;
                }
                kept = HashMap::from([(session.checkpoint(None).await.unwrap().id, model.clone())]);
            }
            _ => {
                let code = change(&mut random, &mut model);
                assert_eq!(run(&session, &code).await.status, Status::Ok, "step {step}: {code}");
            }
        }
        let shown = run(&session, SHOW).await;
        assert_eq!(shown.stdout.text, model.shown(), "seed {seed}, step {step}: {shown:?}");
    }
    engine.shutdown().await;
}

#[test]
fn a_session_is_what_its_history_makes_it() {
    for seed in 1..=4 {
        block_on(history(seed, 200));
    }
}
