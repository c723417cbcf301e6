//! What is said about a run when it is over, line by line. Pure: an outcome in, lines out.

use std::path::Path;

use execute_python_engine::protocol::{
    Action, Artifact, CapturedText, Change, Outcome, Status, Usage, Violation, Waiver,
};

use crate::artifacts::Saved;
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
    let path = folder.join(&artifact.path);
    let change = match artifact.change {
        Change::Created => "",
        Change::Modified => ", modified",
    };
    let size = about_size(artifact.bytes);
    format!("{} ({}, {size}{change})", inline(&path.to_string_lossy()), inline(&artifact.mime_type))
}

fn attempt(violation: &Violation) -> String {
    let place = violation.frames.last().and_then(|frame| {
        Some(format!(" at {} line {}", inline(&frame.file), frame.line?))
    });
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
