//! Programs that must work, each with its exact end, in `tests/programs`.
//!
//! Comments at the top of a program say how it ends; the file beside it that ends in `.out` is its
//! standard output. `UPDATE_PROGRAMS=1` writes these files anew, for a person to read.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use execute_python_engine::protocol::{InputFile, LimitsRequest, Outcome, Request};
use execute_python_engine::{Config, Engine};

use crate::common::block_on;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/programs");

/// A program and how it must end.
struct Program {
    name: String,
    code: String,
    lines: Vec<(String, String)>,
}

impl Program {
    fn read(path: &Path) -> Program {
        let code = fs::read_to_string(path).unwrap();
        let lines = code
            .lines()
            .map_while(|line| line.strip_prefix("#: "))
            .map(|line| line.split_once(": ").unwrap())
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
            .collect();
        // The comments are no part of the program, so that its line numbers are its own.
        let body: Vec<&str> = code.lines().skip_while(|line| line.starts_with("#: ")).collect();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        Program { name, code: body.join("\n") + "\n", lines }
    }

    fn all<'a>(&'a self, key: &'a str) -> impl Iterator<Item = &'a str> + use<'a> {
        self.lines.iter().filter(move |(k, _)| k == key).map(|(_, value)| value.as_str())
    }

    fn one<'a>(&'a self, key: &'a str) -> Option<&'a str> {
        self.all(key).next()
    }

    fn request(&self) -> Request {
        let seconds = |key: &'static str| {
            self.one(key).map(|text| text.trim_end_matches('s').parse::<u64>().unwrap() * 1000)
        };
        let memory = self.one("memory").map(|text| text.trim_end_matches("MiB").parse::<u64>());
        let limits = LimitsRequest {
            wall_time_ms: seconds("wall_time"),
            cpu_time_ms: seconds("cpu_time").or(seconds("wall_time")),
            memory_bytes: memory.map(|mib| mib.unwrap() << 20),
            ..LimitsRequest::default()
        };
        let file = |name: &str| InputFile {
            path: name.to_owned(),
            content: fs::read(Path::new(FOLDER).join("files").join(name)).unwrap(),
        };
        Request {
            code: self.code.clone(),
            stdin: self.one("stdin").map(|text| text.replace("\\n", "\n")),
            files: self.all("file").map(file).collect(),
            environment: self.one("environment").map(str::to_owned),
            limits,
            ..Request::default()
        }
    }

    fn output(&self) -> PathBuf {
        Path::new(FOLDER).join(format!("{}.out", self.name))
    }

    /// Everything in which the outcome differs from what the program says.
    fn differences(&self, outcome: &Outcome) -> String {
        let mut text = String::new();
        let mut same = |what: &str, found: String, wanted: String| {
            if found != wanted {
                writeln!(text, "  {what}: found {found:?}, wanted {wanted:?}").unwrap();
            }
        };
        same("status", outcome.status.as_str().into(), self.one("status").unwrap_or("ok").into());
        same(
            "stdout",
            outcome.stdout.text.clone(),
            fs::read_to_string(self.output()).unwrap_or_default(),
        );
        let code = outcome.exit_code.map(|code| code.to_string()).unwrap_or_default();
        same("exit code", code, self.one("exit_code").unwrap_or_default().into());
        if let Some(value) = self.one("value") {
            let found = outcome.value.as_ref().and_then(|value| value.text());
            same("value", found.unwrap_or_default().into(), value.into());
        }
        for kind in self.all("value_mime") {
            let found = outcome.value.as_ref().is_some_and(|value| value.data.contains_key(kind));
            same(kind, found.to_string(), "true".into());
        }
        let artifacts: Vec<_> =
            outcome.artifacts.iter().map(|a| format!("{} {}", a.path, a.mime_type)).collect();
        same(
            "artifacts",
            artifacts.join(", "),
            self.all("artifact").collect::<Vec<_>>().join(", "),
        );
        let displays = self.all("displays").collect::<Vec<_>>();
        let shown: Vec<_> = outcome
            .displays
            .iter()
            .zip(displays.iter().map(Some).chain(std::iter::repeat(None)))
            .map(|(shown, kind)| match kind {
                Some(kind) if shown.data.contains_key(*kind) => (*kind).to_owned(),
                _ => shown.data.keys().cloned().collect::<Vec<_>>().join("+"),
            })
            .collect();
        same("displays", shown.join(", "), displays.join(", "));
        let raised = outcome.exception.as_ref().map(|e| {
            if e.message.is_empty() {
                e.r#type.clone()
            } else {
                format!("{}: {}", e.r#type, e.message)
            }
        });
        let raised = raised.unwrap_or_default();
        let wanted = self.one("exception").unwrap_or_default();
        same(
            "exception",
            raised.chars().take(wanted.chars().count().max(1)).collect(),
            wanted.into(),
        );
        let errors = &outcome.stderr.text;
        match self.one("stderr") {
            Some(part) if errors.contains(part) => {}
            wanted => same("stderr", errors.clone(), wanted.unwrap_or_default().into()),
        }
        text
    }
}

#[test]
fn every_program_ends_as_it_says() {
    let mut programs: Vec<Program> = fs::read_dir(FOLDER)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "py"))
        .map(|path| Program::read(&path))
        .collect();
    programs.sort_by(|a, b| a.name.cmp(&b.name));
    assert!(programs.len() >= 60);
    let failures = block_on(async {
        let engine = Engine::new(Config { pool: 1, ..Config::default() }).unwrap();
        let mut failures = String::new();
        let mut waiting = programs.into_iter();
        // Two at a time: each gets its own task, and the slowest sets the pace.
        loop {
            let pair: Vec<_> = waiting.by_ref().take(2).map(|p| run(engine.clone(), p)).collect();
            if pair.is_empty() {
                break;
            }
            for running in pair.into_iter().map(tokio::spawn).collect::<Vec<_>>() {
                failures += &running.await.unwrap();
            }
        }
        engine.shutdown().await;
        failures
    });
    assert!(failures.is_empty(), "\n{failures}");
}

async fn run(engine: Engine, program: Program) -> String {
    let program = Arc::new(program);
    let outcome = match engine.run(program.request()).await {
        Ok(outcome) => outcome,
        Err(error) => return format!("{}: {error}\n", program.name),
    };
    let newer = program.one("python").map(|version| version.trim_end_matches('+'));
    if newer.is_some_and(|version| minor(&outcome.python) < minor(version)) {
        return String::new();
    }
    if std::env::var_os("UPDATE_PROGRAMS").is_some() {
        match outcome.stdout.text.as_str() {
            "" => drop(fs::remove_file(program.output())),
            text => fs::write(program.output(), text).unwrap(),
        }
    }
    let differences = program.differences(&outcome);
    if differences.is_empty() {
        return String::new();
    }
    let traceback = outcome.exception.as_ref().map(|e| e.text.clone()).unwrap_or_default();
    format!("{} ({}):\n{differences}{traceback}", program.name, outcome.summary)
}

fn minor(version: &str) -> u32 {
    version.split('.').nth(1).and_then(|minor| minor.parse().ok()).unwrap_or(0)
}
