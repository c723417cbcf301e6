//! CPython's own tests inside the sandbox: the modules that `tests/cpython` lists all pass.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

use execute_python_engine::protocol::{LimitsRequest, Policy, Request};
use execute_python_engine::{Config, Engine};

use crate::common::block_on;

const MODULES: &str = include_str!("../../../../tests/cpython/modules-3.11.txt");
/// How many modules run after each other in one worker.
const BATCH: usize = 12;

/// Runs modules and prints a line for each.
const RUNNER: &str = r#"
import importlib, io, unittest
import test.libregrtest.main

for name in NAMES:
    out = io.StringIO()
    try:
        module = importlib.import_module(name if name.startswith("test.") else "test." + name)
        suite = unittest.defaultTestLoader.loadTestsFromModule(module)
        result = unittest.TextTestRunner(stream=out).run(suite)
        told = [str(test) + ": " + text.strip().splitlines()[-1] for test, text in result.failures + result.errors]
        state = "ok" if result.wasSuccessful() and result.testsRun else f"{result.testsRun} tests: {told[:5]}"
    except BaseException as error:
        state = repr(error)
    print("@@", name, state.replace("\n", " "), flush=True)
"#;

/// A CPython 3.11 of this machine that has its tests, which the packages of some systems leave out.
fn interpreter() -> Option<PathBuf> {
    let home = PathBuf::from(std::env::var_os("HOME")?);
    let managed = std::fs::read_dir(home.join(".pyenv/versions")).into_iter().flatten().flatten();
    let mut prefixes: Vec<PathBuf> = managed.map(|entry| entry.path()).collect();
    prefixes.extend(["/usr/local", "/usr"].map(PathBuf::from));
    prefixes
        .into_iter()
        .find(|prefix| prefix.join("lib/python3.11/test/test_json").is_dir())
        .map(|prefix| prefix.join("bin/python3.11"))
}

#[test]
#[expect(clippy::print_stdout, reason = "a test that is left out says so")]
fn cpythons_own_tests_pass_inside() {
    let Some(python) = interpreter() else {
        // Not every system has this version; where all must run, it is missing.
        let missing =
            "a CPython 3.11 with its tests (Debian: apt-get install libpython3.11-testsuite)";
        assert!(std::env::var_os("CI").is_none(), "this needs {missing}");
        return println!("left out, for want of {missing}");
    };
    let modules: Vec<&str> = MODULES.lines().filter(|line| !line.starts_with('#')).collect();
    assert!(modules.len() > 250);
    let states = block_on(async {
        let engine =
            Engine::new(Config { pool: 0, python: Some(python), ..Config::default() }).unwrap();
        let mut states = BTreeMap::new();
        let batches: Vec<Vec<String>> =
            modules.chunks(BATCH).map(|b| b.iter().map(|&m| m.to_owned()).collect()).collect();
        for pair in batches.chunks(2) {
            let running: Vec<_> =
                pair.iter().map(|batch| tokio::spawn(run(engine.clone(), batch.clone()))).collect();
            for task in running {
                states.extend(task.await.unwrap());
            }
        }
        engine.shutdown().await;
        states
    });
    let mut failed = String::new();
    for module in modules {
        let state = states.get(module).map_or("did not come to its end", String::as_str);
        if state != "ok" {
            writeln!(failed, "{module}: {state}").unwrap();
        }
    }
    assert!(failed.is_empty(), "\n{failed}");
}

async fn run(engine: Engine, modules: Vec<String>) -> Vec<(String, String)> {
    let limits = LimitsRequest {
        wall_time_ms: Some(300_000),
        cpu_time_ms: Some(300_000),
        memory_bytes: Some(2 << 30),
        threads: Some(256),
        disk_bytes: Some(512 << 20),
        files: Some(50_000),
        ..LimitsRequest::default()
    };
    let code = RUNNER.replace("NAMES", &format!("{modules:?}"));
    let environment = Some("base".to_owned());
    // Some modules try out what is forbidden and expect an error.
    let policy = Policy::Lenient;
    let request = Request { code, environment, limits, policy, ..Request::default() };
    let outcome = engine.run(request).await.unwrap();
    let lines = outcome.stdout.text.lines().filter_map(|line| line.strip_prefix("@@ "));
    lines
        .filter_map(|line| line.split_once(' '))
        .map(|(module, state)| (module.to_owned(), state.to_owned()))
        .collect()
}
