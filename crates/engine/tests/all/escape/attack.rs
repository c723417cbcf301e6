//! One file of `tests/escape`: a program and the end that it must have, in comments at its top.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::sync::LazyLock;
use std::time::Duration;

use execute_python_engine::protocol::{Layer, LimitsRequest, Outcome, Policy, Request, Status};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/escape");

/// What an attack prints when it got what it wanted.
const SENTINEL: &str = "ESCAPED";
/// What no program inside may ever see; the tests plant it on the host.
pub(crate) const CANARY: &str = "EXECPY_CANARY-7c1e55a90b";

/// All of them, read once.
pub(crate) static ALL: LazyLock<Vec<Attack>> = LazyLock::new(|| {
    let mut all: Vec<Attack> = fs::read_dir(FOLDER)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "py"))
        .map(|path| Attack::read(&path))
        .filter(Attack::fits_this_machine)
        .collect();
    all.sort_by(|a, b| a.name.cmp(&b.name));
    all
});

/// A program that tries something, or an innocent one that looks as if it did.
#[derive(Debug)]
pub(crate) struct Attack {
    pub(crate) name: String,
    pub(crate) code: String,
    lines: Vec<(String, String)>,
}

/// What may stand at the top of a file; `tests/escape/README.md` says what it means.
const KEYS: [&str; 19] = [
    "title",
    "breaks",
    "severity",
    "check",
    "arch",
    "environment",
    "wall_time",
    "status",
    "exception",
    "signal",
    "exit_code",
    "violation",
    "artifact",
    "artifacts",
    "prints",
    "lacks",
    "echoes",
    "control",
    "differs",
];

impl Attack {
    fn read(path: &Path) -> Attack {
        let text = fs::read_to_string(path).unwrap();
        let mut lines = Vec::new();
        let mut rest = text.as_str();
        // Byte for byte: the ends of lines are what some attacks are about.
        while let Some(line) = rest.strip_prefix("#: ") {
            let (line, after) = line.split_once('\n').unwrap();
            let (key, value) = line.split_once(": ").unwrap();
            assert!(KEYS.contains(&key), "{}: {key}", path.display());
            lines.push((key.to_owned(), value.to_owned()));
            rest = after;
        }
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        Attack { name, code: rest.to_owned(), lines }
    }

    fn fits_this_machine(&self) -> bool {
        self.one("arch").is_none_or(|arch| arch == std::env::consts::ARCH)
    }

    fn all<'a>(&'a self, key: &'a str) -> impl Iterator<Item = &'a str> + use<'a> {
        self.lines.iter().filter(move |(k, _)| k == key).map(|(_, value)| value.as_str())
    }

    pub(crate) fn one<'a>(&'a self, key: &'a str) -> Option<&'a str> {
        self.all(key).next()
    }

    /// What it prints outside the sandbox, where trying it there harms nobody.
    pub(crate) fn control(&self) -> Option<&str> {
        self.one("control")
    }

    /// Whether it runs in `base`, which every test can provision.
    pub(crate) fn needs_no_packages(&self) -> bool {
        self.one("environment").is_none()
    }

    pub(crate) fn request(&self, policy: Policy) -> Request {
        let time = self.one("wall_time").map_or(5_000, milliseconds);
        let limits = LimitsRequest {
            wall_time_ms: Some(time),
            cpu_time_ms: Some(time),
            ..LimitsRequest::default()
        };
        let environment = Some(self.one("environment").unwrap_or("base").to_owned());
        Request { code: self.code.clone(), environment, limits, policy, ..Request::default() }
    }

    /// What no outcome may hold, and the word for success.
    fn gained(&self, outcome: &Outcome) -> String {
        let mut text = taken(outcome);
        for (stream, content) in [("stdout", &outcome.stdout), ("stderr", &outcome.stderr)] {
            let tail = content.tail.as_deref().unwrap_or_default();
            let found = content.text.contains(SENTINEL) || tail.contains(SENTINEL);
            if found && self.one("echoes").is_none() {
                writeln!(text, "  {stream}: {:?}", content.text).unwrap();
            }
        }
        for part in self.all("lacks").chain(self.control()) {
            if outcome.stdout.text.contains(part) && self.one("echoes").is_none() {
                writeln!(text, "  stdout has {part:?}").unwrap();
            }
        }
        text
    }

    /// Everything in which an outcome under the standard policy differs from what the file says.
    pub(crate) fn differences(&self, outcome: &Outcome) -> String {
        let mut text = self.gained(outcome);
        let mut same = |what: &str, found: &str, wanted: Option<&str>| {
            let wanted = wanted.unwrap_or_default();
            if !wanted.split(" | ").any(|wanted| wanted == found) {
                writeln!(text, "  {what}: found {found:?}, wanted {wanted:?}").unwrap();
            }
        };
        same("status", outcome.status.as_str(), self.one("status"));
        let number = |number: Option<i32>| number.map(|n| n.to_string()).unwrap_or_default();
        if let Some(wanted) = self.one("exception") {
            let raised = outcome.exception.as_ref().map(|e| e.r#type.as_str());
            same("exception", raised.unwrap_or_default(), Some(wanted));
        }
        if let Some(wanted) = self.one("signal") {
            same("signal", &number(outcome.signal), Some(wanted));
        }
        if let Some(wanted) = self.one("exit_code") {
            same("exit code", &number(outcome.exit_code), Some(wanted));
        }
        same("violations", &evidence(outcome), Some(&joined(self.all("violation"))));
        if self.one("artifacts") != Some("any") {
            let minor = outcome.python.split('.').nth(1).unwrap_or_default();
            let wanted =
                joined(self.all("artifact")).replace("cpython-*", &format!("cpython-3{minor}"));
            same("artifacts", &joined(outcome.artifacts.iter().map(|a| &*a.path)), Some(&wanted));
        }
        for part in self.all("prints").filter(|part| !outcome.stdout.text.contains(part)) {
            same("stdout", &outcome.stdout.text, Some(part));
        }
        text
    }

    /// Everything that is wrong with an outcome under a policy that only ever denies.
    pub(crate) fn differences_when_denied(&self, outcome: &Outcome) -> String {
        let mut text = self.gained(outcome);
        if outcome.status == Status::Violation {
            text += "  it was interrupted\n";
        }
        text
    }
}

/// A time such as `500ms` or `30s`.
fn milliseconds(text: &str) -> u64 {
    match text.strip_suffix("ms") {
        Some(number) => number.parse().unwrap(),
        None => text.trim_end_matches('s').parse::<u64>().unwrap() * 1000,
    }
}

fn joined<'a>(parts: impl Iterator<Item = &'a str>) -> String {
    parts.collect::<Vec<_>>().join(", ")
}

/// What the kernel reported, as categories and actions. What the interpreter said is no evidence.
fn evidence(outcome: &Outcome) -> String {
    let mut found: Vec<String> = outcome
        .violations
        .iter()
        .filter(|violation| violation.layer == Layer::Seccomp)
        .map(|violation| {
            let word = |value: &dyn std::fmt::Debug| format!("{value:?}").to_lowercase();
            format!("{} {}", word(&violation.category), word(&violation.action))
        })
        .collect();
    found.sort();
    found.dedup();
    found.join(", ")
}

/// What no outcome of any program may hold: what is the host's, or more time than it had.
fn taken(outcome: &Outcome) -> String {
    let mut text = String::new();
    let whole = serde_json::to_string(outcome).unwrap();
    for of_the_host in [CANARY, env!("CARGO_MANIFEST_DIR")] {
        if whole.contains(of_the_host) {
            writeln!(text, "  the outcome holds {of_the_host}").unwrap();
        }
    }
    let taken = Duration::from_secs_f64(outcome.usage.wall_time_ms / 1e3);
    if taken > Duration::from_millis(outcome.limits.wall_time_ms + 3_000) {
        writeln!(text, "  it took {} ms", outcome.usage.wall_time_ms).unwrap();
    }
    text
}
