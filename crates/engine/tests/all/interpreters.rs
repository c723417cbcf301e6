//! Every CPython of this machine that can be the base of an environment.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use execute_python_engine::protocol::{Request, Status};
use execute_python_engine::{Config, Engine};

use crate::common::block_on;

/// One interpreter of each kind and minor version: those of version managers, and the system's.
fn found() -> Vec<PathBuf> {
    let home = PathBuf::from(std::env::var_os("HOME").unwrap());
    let mut by_version = BTreeMap::new();
    for managed in [".pyenv/versions", ".local/share/uv/python"] {
        for version in fs::read_dir(home.join(managed)).into_iter().flatten().flatten() {
            for minor in 9..=14 {
                let place = version.path().join(format!("bin/python3.{minor}"));
                if place.exists() {
                    by_version.insert((managed, minor), place);
                }
            }
        }
    }
    let system = (9..=14).map(|minor| PathBuf::from(format!("/usr/bin/python3.{minor}")));
    by_version.into_values().chain(system.filter(|place| place.exists())).collect()
}

const PROGRAM: &str = r#"
import asyncio, bz2, ctypes, decimal, hashlib, json, lzma, os, re, sqlite3, ssl, sys, threading, zlib
from datetime import datetime
from zoneinfo import ZoneInfo

print(sys.prefix, os.__file__.startswith("/usr/lib"), sys.executable)
print(datetime(2024, 7, 1, tzinfo=ZoneInfo("Europe/Rome")).utcoffset())
print(sqlite3.connect(":memory:").execute("select 6 * 7").fetchone()[0])
thread = threading.Thread(target=print, args=("thread",))
thread.start()
thread.join()
print(ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)(lambda n: n + 1)(1))
await asyncio.sleep(0)
try:
    os.fork()
except OSError as error:
    print(error.errno)
sys.version_info[:2]
"#;

#[test]
fn every_interpreter_of_this_machine_can_be_the_base() {
    let interpreters = found();
    assert!(!interpreters.is_empty());
    for python in interpreters {
        let name = python.display().to_string();
        let outcome = block_on(async {
            let config = Config { pool: 0, python: Some(python), ..Config::default() };
            let engine = Engine::new(config).unwrap();
            let policy = execute_python_engine::protocol::Policy::Lenient;
            let request = Request { code: PROGRAM.into(), policy, ..Request::default() };
            let outcome = engine.run(request).await;
            engine.shutdown().await;
            outcome.unwrap_or_else(|error| panic!("{name}: {error}"))
        });
        let minor = outcome.python.split('.').nth(1).unwrap();
        let text = outcome.exception.map(|exception| exception.text);
        assert_eq!((outcome.status, text), (Status::Ok, None), "{name}");
        let lines: Vec<&str> = outcome.stdout.text.lines().collect();
        let executable = format!("/usr True /usr/bin/python3.{minor}");
        assert_eq!(lines[..3], [executable.as_str(), "2:00:00", "42"], "{name}");
        assert_eq!(lines[4..], ["2", "1"], "{name}");
        assert_eq!(outcome.value.unwrap().text(), Some(format!("(3, {minor})").as_str()), "{name}");
    }
}

/// Debian's own Python looks for packages elsewhere than every other one.
#[test]
fn packages_are_found_on_the_systems_interpreter() {
    let python = PathBuf::from("/usr/bin/python3");
    if !python.exists() {
        return;
    }
    let outcome = block_on(async {
        let engine =
            Engine::new(Config { pool: 0, python: Some(python), ..Config::default() }).unwrap();
        let code = "import numpy, pandas\nprint(int(pandas.Series([1, 2]).sum()))".into();
        let outcome = engine.run(Request { code, ..Request::default() }).await.unwrap();
        engine.shutdown().await;
        outcome
    });
    assert_eq!((outcome.stdout.text.as_str(), outcome.environment.as_str()), ("3\n", "data"));
}
