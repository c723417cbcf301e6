//! One sentence about how a run ended, for a person or a model.

use execute_python_protocol::{Action, Frame, Outcome, Status, Violation};

use crate::run::Stop;

/// The sentence.
pub(crate) fn of(outcome: &Outcome, stop: Option<Stop>) -> String {
    let limits = &outcome.limits;
    let place = place(&outcome.stopped_at);
    match outcome.status {
        Status::Ok => "the program came to its end".into(),
        Status::Exception => exception(outcome),
        Status::Exited => {
            format!("the program exited with code {}", outcome.exit_code.unwrap_or(0))
        }
        Status::Timeout if stop == Some(Stop::CpuTime) => {
            format!("processor time of {} used up{place}", seconds(limits.cpu_time_ms))
        }
        Status::Timeout => format!("wall time of {} used up{place}", seconds(limits.wall_time_ms)),
        Status::MemoryLimit => {
            format!("memory of {} MiB used up", limits.memory_bytes >> 20)
        }
        Status::Violation => outcome
            .violations
            .iter()
            .find(|violation| violation.action == Action::Interrupt)
            .map_or_else(String::new, interrupted),
        Status::Crashed => format!(
            "the program died of signal {}",
            outcome.signal.map_or_else(|| "unknown".into(), signal)
        ),
        Status::Rejected => "the check refused the code; it did not run".into(),
        Status::Cancelled => "the run was cancelled".into(),
    }
}

fn interrupted(violation: &Violation) -> String {
    let Violation { attempt, hint, frames, .. } = violation;
    // Calls of Python are shown as such; all else is said with a verb.
    let is_call =
        attempt.split('(').next().is_some_and(|name| name.contains('.') && !name.contains(' '));
    let tried = if is_call { "tried" } else { "tried to" };
    format!("interrupted: the program {tried} {attempt}{}; {hint}", place(frames))
}

fn exception(outcome: &Outcome) -> String {
    let Some(exception) = &outcome.exception else { return "the program raised".into() };
    let message = exception.message.lines().next().unwrap_or_default();
    let place = place(&exception.frames);
    if message.is_empty() {
        format!("{}{place}", exception.r#type)
    } else {
        format!("{}: {message}{place}", exception.r#type)
    }
}

/// The innermost place in the program itself; the packages that it calls have absolute paths.
fn place(frames: &[Frame]) -> String {
    let own = frames.iter().rev().find(|frame| !frame.file.starts_with('/'));
    match own.or(frames.last()) {
        Some(Frame { file, line: Some(line), .. }) => format!(" at {file} line {line}"),
        _ => String::new(),
    }
}

fn seconds(ms: u64) -> String {
    if ms.is_multiple_of(1000) { format!("{} s", ms / 1000) } else { format!("{ms} ms") }
}

fn signal(number: i32) -> String {
    let name = match number {
        4 => "SIGILL",
        6 => "SIGABRT",
        7 => "SIGBUS",
        8 => "SIGFPE",
        9 => "SIGKILL",
        11 => "SIGSEGV",
        31 => "SIGSYS",
        _ => return number.to_string(),
    };
    format!("{number} ({name})")
}
