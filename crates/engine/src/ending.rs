//! How a run ended, told from what the kernel said first and what the worker said second.

use std::sync::Arc;
use std::time::Duration;

use execute_python_protocol::{Display, Frame, MimeBundle, Outcome, Status, Usage, Violation};
use execute_python_sandbox::cgroup::Group;

use crate::capture::Capture;
use crate::delivery::Sink;
use crate::groups::Lease;
use crate::message::Done;
use crate::run::{Stop, Task, milliseconds};
use crate::summary;
use crate::work_folder::{Budget, Collected, WorkFolder};

/// What is known when a run is over.
pub(crate) struct Ending {
    pub(crate) started_at: jiff::Timestamp,
    pub(crate) wall_time: Duration,
    pub(crate) cpu_time: Duration,
    pub(crate) stdout: Capture,
    pub(crate) stderr: Capture,
    pub(crate) displays: Vec<Display>,
    /// What the worker said of the end, if it came to say it.
    pub(crate) done: Option<Done>,
    /// The status word of `wait(2)`, if the process died by itself or was killed.
    pub(crate) status_word: Option<i32>,
    pub(crate) stop: Option<Stop>,
    pub(crate) stopped_at: Vec<Frame>,
    pub(crate) violations: Vec<Violation>,
    pub(crate) violations_total: u64,
    pub(crate) notes: Vec<String>,
    pub(crate) group: Option<Arc<Lease>>,
}

/// Takes the artifacts and writes the outcome.
pub(crate) async fn outcome(
    ending: Ending,
    work_folder: Arc<WorkFolder>,
    sink: Sink,
    task: Task,
) -> Outcome {
    let usage = usage(&ending, &work_folder);
    let collected = collect(work_folder, sink, &task).await;
    let (status, exit_code, signal) = status(&ending);
    let done = ending.done.unwrap_or_default();
    let mut notes = ending.notes;
    notes.extend(collected.notes);
    let mut outcome = Outcome {
        id: task.id,
        status,
        summary: String::new(),
        stdout: ending.stdout.finish(),
        stderr: ending.stderr.finish(),
        value: done.value.map(MimeBundle::from),
        displays: ending.displays,
        exception: done.exception,
        exit_code,
        signal,
        stopped_at: ending.stopped_at,
        artifacts: collected.artifacts,
        violations: ending.violations,
        violations_total: ending.violations_total,
        usage,
        limits: task.limits,
        environment: task.environment,
        python: task.python,
        session: None,
        state: None,
        waived: task.waived,
        notes,
        started_at: ending.started_at.to_string(),
        finished_at: jiff::Timestamp::now().to_string(),
    };
    outcome.summary = summary::of(&outcome, ending.stop);
    outcome
}

fn usage(ending: &Ending, work_folder: &WorkFolder) -> Usage {
    let (disk_bytes, files) = work_folder.usage();
    let group = ending.group.as_deref().and_then(Lease::group);
    Usage {
        wall_time_ms: milliseconds(ending.wall_time),
        cpu_time_ms: milliseconds(ending.cpu_time),
        memory_bytes: group.and_then(Group::memory_peak).unwrap_or(0),
        threads: group.and_then(Group::threads_peak),
        disk_bytes,
        files,
        output_bytes: ending.stdout.total() + ending.stderr.total(),
    }
}

async fn collect(work_folder: Arc<WorkFolder>, mut sink: Sink, task: &Task) -> Collected {
    if work_folder.is_empty() {
        return Collected::default();
    }
    let budget = Budget { bytes: task.limits.disk_bytes, files: task.limits.files };
    tokio::task::spawn_blocking(move || work_folder.collect(budget, &mut sink))
        .await
        .unwrap_or_else(|_| Collected {
            notes: vec!["the artifacts could not be collected".into()],
            ..Collected::default()
        })
}

/// The status, the guest's exit code and the signal that ended it.
fn status(ending: &Ending) -> (Status, Option<i32>, Option<i32>) {
    match ending.stop {
        Some(Stop::WallTime | Stop::CpuTime) => return (Status::Timeout, None, None),
        Some(Stop::Violation) => return (Status::Violation, None, None),
        Some(Stop::Cancelled) => return (Status::Cancelled, None, None),
        Some(Stop::Interrupted) if ending.done.is_none() => return (Status::Cancelled, None, None),
        Some(Stop::Interrupted) | None => {}
    }
    if let Some(done) = &ending.done {
        return said(done);
    }
    let word = ending.status_word.unwrap_or(0);
    let (code, signal) = ((word >> 8) & 0xff, word & 0x7f);
    if signal == 0 {
        return (Status::Exited, Some(code), None);
    }
    // The kernel kills for want of memory with the same signal as for anything else.
    if ending.group.as_deref().and_then(Lease::group).is_some_and(|group| group.memory_kills() > 0)
    {
        return (Status::MemoryLimit, None, Some(signal));
    }
    (Status::Crashed, None, Some(signal))
}

/// The status of a program that came to its end and told of it.
fn said(done: &Done) -> (Status, Option<i32>, Option<i32>) {
    if let Some(code) = done.exit_code {
        // As a shell sees it: the low eight bits.
        return (Status::Exited, Some((code & 0xff) as i32), None);
    }
    match &done.exception {
        None => (Status::Ok, None, None),
        Some(exception) if exception.r#type == "MemoryError" && exception.module == "builtins" => {
            (Status::MemoryLimit, None, None)
        }
        Some(_) => (Status::Exception, None, None),
    }
}
