//! Provisioning as it goes on: a bar on a terminal, a line for each step elsewhere.
//!
//! With `--json` a program reads, so nothing is told unless somebody watches the terminal.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use execute_python_engine::ProgressSink;
use execute_python_engine::environment::Progress;
use indicatif::{ProgressBar, ProgressStyle};

use crate::output::{self, Line};
use crate::terminal::inline;

/// How a bar looks: the environment, how far it is, how long it took, what is being done.
const TEMPLATE: &str = "{prefix} [{bar:20}] {pos}/{len} {elapsed} {wide_msg}";

/// What the engine tells of provisioning; `None` where nobody would read it.
pub(crate) fn sink(json: bool) -> Option<ProgressSink> {
    match (output::stderr_is_terminal(), json) {
        (true, _) => Some(bar()),
        (false, false) => Some(plain()),
        (false, true) => None,
    }
}

/// A bar for the environment that is being built; it goes when the last step is done.
fn bar() -> ProgressSink {
    let shown: Mutex<Option<ProgressBar>> = Mutex::new(None);
    ProgressSink::new(move |environment, progress| {
        let mut shown = shown.lock().unwrap_or_else(PoisonError::into_inner);
        let bar = shown.get_or_insert_with(|| new_bar(environment, progress.steps));
        bar.set_position(u64::from(progress.step.saturating_sub(1)));
        bar.set_message(message(progress));
        if progress.step == progress.steps {
            bar.finish_and_clear();
            *shown = None;
        }
    })
}

fn new_bar(environment: &str, steps: u32) -> ProgressBar {
    let bar = ProgressBar::new(u64::from(steps));
    if let Ok(style) = ProgressStyle::with_template(TEMPLATE) {
        bar.set_style(style.progress_chars("=> "));
    }
    bar.set_prefix(format!("building `{}`", inline(environment)));
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

/// A line when a step begins. What an installer says meanwhile is left out.
fn plain() -> ProgressSink {
    ProgressSink::new(|environment, progress| {
        if progress.detail.is_none() {
            let Progress { step, steps, doing, .. } = progress;
            let text = format!("`{}`, step {step} of {steps}: {doing}", inline(environment));
            output::lines(&[Line::new("building", text)]);
        }
    })
}

fn message(progress: &Progress) -> String {
    match &progress.detail {
        None => progress.doing.clone(),
        Some(detail) => format!("{}: {}", progress.doing, inline(detail)),
    }
}
