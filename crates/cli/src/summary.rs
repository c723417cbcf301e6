//! What is said about a run when it is over, line by line. Pure: an outcome in, lines out.

use std::path::Path;

use execute_python_engine::protocol::{
    Action, Artifact, CapturedText, Change, Outcome, Status, Usage, Violation, Waiver,
};

use crate::artifacts::{Saved, on_disk};
use crate::output::Line;
use crate::terminal::inline;
use crate::units::{about_duration, about_size};

/// The most lines of one kind.
const MOST: usize = 20;

/// The lines: the status, what was made, what was tried, what is missing.
pub(crate) fn lines(outcome: &Outcome, folder: Option<&Path>, pictures: &[Saved]) -> Vec<Line> {
    let folder = folder.unwrap_or(Path::new(""));
    let mut lines = vec![status(outcome)];
    lines.extend(capped("artifact", &outcome.artifacts, |artifact| describe(artifact, folder)));
    lines.extend(capped("display", pictures, |picture| {
        let path = folder.join(&picture.name);
        format!("{} ({}, {})", path.display(), picture.mime_type, about_size(picture.bytes))
    }));
    let denied: Vec<_> =
        outcome.violations.iter().filter(|one| one.action == Action::Deny).collect();
    lines.extend(capped("violation", &denied, |violation| attempt(violation)));
    lines.extend(missing_violations(outcome));
    lines.extend(missing_text("stdout", &outcome.stdout, outcome.limits.output_bytes));
    lines.extend(missing_text("stderr", &outcome.stderr, outcome.limits.output_bytes));
    lines.extend(outcome.notes.iter().map(|note| Line::new("note", inline(note))));
    if !outcome.waived.is_empty() {
        let layers: Vec<_> = outcome.waived.iter().copied().map(layer).collect();
        lines.push(Line::new("note", format!("walls given up: {}", layers.join(", "))));
    }
    lines
}

fn status(outcome: &Outcome) -> Line {
    let wall = about_duration(outcome.usage.wall_time_ms);
    let used = used(&outcome.usage);
    let summary = inline(&outcome.summary);
    let text = match outcome.status {
        Status::Ok => format!("done in {wall} ({used})"),
        Status::Rejected => summary,
        _ => format!("{summary} ({used})"),
    };
    Line::new(outcome.status.as_str(), text)
}

fn used(usage: &Usage) -> String {
    let cpu = about_duration(usage.cpu_time_ms);
    match usage.memory_bytes {
        // Nobody counted.
        0 => format!("cpu {cpu}"),
        bytes => format!("cpu {cpu}, memory peak {}", about_size(bytes)),
    }
}

fn describe(artifact: &Artifact, folder: &Path) -> String {
    let path = folder.join(on_disk(&artifact.path));
    let change = match artifact.change {
        Change::Created => "",
        Change::Modified => ", modified",
    };
    let size = about_size(artifact.bytes);
    format!("{} ({}, {size}{change})", inline(&path.to_string_lossy()), inline(&artifact.mime_type))
}

fn attempt(violation: &Violation) -> String {
    let place = violation
        .frames
        .last()
        .and_then(|frame| Some(format!(" at {} line {}", inline(&frame.file), frame.line?)));
    let place = place.unwrap_or_default();
    format!("denied: {}{place}; {}", inline(&violation.attempt), inline(&violation.hint))
}

fn missing_violations(outcome: &Outcome) -> Option<Line> {
    let missing = outcome.violations_total.saturating_sub(outcome.violations.len() as u64);
    (missing > 0).then(|| Line::new("violation", format!("{missing} more, not kept")))
}

fn missing_text(name: &str, text: &CapturedText, limit: u64) -> Vec<Line> {
    let mut lines = Vec::new();
    if text.missing_bytes() > 0 {
        let (all, shown) = (about_size(text.total_bytes), about_size(limit));
        lines.push(Line::new(
            "note",
            format!("{name} had {all}; shown are the first {shown} (`--output` sets how much)"),
        ));
    }
    if text.replaced > 0 {
        let places = if text.replaced == 1 { "place" } else { "places" };
        lines.push(Line::new(
            "note",
            format!("{name} was not UTF-8 in {} {places}, shown as U+FFFD", text.replaced),
        ));
    }
    lines
}

fn layer(waiver: Waiver) -> &'static str {
    match waiver {
        Waiver::Cgroup => "cgroup",
        Waiver::Landlock => "landlock",
    }
}

fn capped<T>(label: &str, things: &[T], text: impl Fn(&T) -> String) -> Vec<Line> {
    let mut lines: Vec<_> =
        things.iter().take(MOST).map(|thing| Line::new(label, text(thing))).collect();
    if things.len() > MOST {
        lines.push(Line::new(label, format!("and {} more", things.len() - MOST)));
    }
    lines
}

#[cfg(test)]
mod tests {
    use execute_python_engine::protocol::{Category, Frame, Layer, Limits};
    use serde_json::json;

    use super::*;

    fn outcome(status: Status, summary: &str) -> Outcome {
        serde_json::from_value(json!({
            "id": "run_1", "status": status, "summary": summary, "stdout": CapturedText::default(),
            "stderr": CapturedText::default(), "value": null, "displays": [], "exception": null,
            "exit_code": null, "signal": null, "stopped_at": [], "artifacts": [], "violations": [],
            "violations_total": 0, "limits": Limits::default(), "environment": "base",
            "python": "3.12.4", "waived": [], "notes": [], "started_at": "", "finished_at": "",
            "usage": Usage {
                wall_time_ms: 2_003.1, cpu_time_ms: 1_983.4, memory_bytes: 14 << 20,
                ..Usage::default()
            },
        }))
        .unwrap()
    }

    fn told(outcome: &Outcome) -> Vec<String> {
        let lines = lines(outcome, Some(Path::new("out")), &[]);
        lines.into_iter().map(|line| format!("{}: {}", line.label, line.text)).collect()
    }

    #[test]
    fn the_first_line_is_the_status_and_what_was_used() {
        assert_eq!(
            told(&outcome(Status::Ok, "the program came to its end")),
            ["ok: done in 2 s (cpu 1.98 s, memory peak 14 MiB)"]
        );
        assert_eq!(
            told(&outcome(Status::Timeout, "wall time of 2 s used up at loop.py line 4")),
            ["timeout: wall time of 2 s used up at loop.py line 4 \
                 (cpu 1.98 s, memory peak 14 MiB)"]
        );
    }

    #[test]
    fn what_was_denied_is_told_and_what_ended_the_run_is_not_told_twice() {
        let denied = Violation {
            category: Category::Network,
            attempt: "open a socket".into(),
            system_call: Some("socket".into()),
            arguments: Vec::new(),
            layer: Layer::Seccomp,
            action: Action::Deny,
            at_ms: 1.0,
            frames: vec![Frame { file: "a.py".into(), line: Some(3), ..Frame::default() }],
            hint: "there is no network".into(),
        };
        let ended = Violation { action: Action::Interrupt, ..denied.clone() };
        let outcome = Outcome {
            violations: vec![denied, ended],
            violations_total: 7,
            ..outcome(Status::Violation, "interrupted: x")
        };
        assert_eq!(
            told(&outcome)[1..],
            [
                "violation: denied: open a socket at a.py line 3; there is no network",
                "violation: 5 more, not kept",
            ]
        );
    }

    #[test]
    fn walls_that_were_given_up_are_told() {
        let outcome = Outcome { waived: vec![Waiver::Landlock], ..outcome(Status::Ok, "") };
        assert_eq!(told(&outcome)[1..], ["note: walls given up: landlock"]);
    }

    #[test]
    fn of_many_artifacts_the_first_are_named() {
        let artifact = Artifact {
            path: "a\nb.txt".into(),
            bytes: 5,
            mime_type: "text/plain".into(),
            sha256: String::new(),
            change: Change::Modified,
            id: None,
            url: None,
            content: None,
        };
        let outcome = Outcome { artifacts: vec![artifact; 25], ..outcome(Status::Ok, "") };
        let told = told(&outcome);
        assert_eq!(told.len(), 22);
        assert_eq!(told[1], "artifact: out/a\u{fffd}b.txt (text/plain, 5 B, modified)");
        assert_eq!(told[21], "artifact: and 5 more");
    }
}
