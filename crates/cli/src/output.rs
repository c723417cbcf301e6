//! The one place that prints.
//!
//! Standard output carries what was asked for: what the program prints, its value, the outcome as
//! JSON. All the rest goes to standard error. A reader that is slow or gone never stops a run from
//! being watched: what the program prints is written on a thread of its own, where the engine is not.

use std::env;
use std::io::{self, IsTerminal, Write};

use anstyle::{AnsiColor, Style};
use execute_python_engine::protocol::{Event, Outcome, Usage};
use serde::Serialize;
use tokio::io::{AsyncWrite, AsyncWriteExt, Stderr, Stdout};

use crate::display::{Shown, shown};
use crate::failure::Failure;
use crate::terminal::{Colours, Filter};
use crate::units;

/// A line of ours on standard error: `label: text`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Line {
    /// What kind of line.
    pub(crate) label: String,
    /// What it says.
    pub(crate) text: String,
}

impl Line {
    /// A line.
    pub(crate) fn new(label: impl Into<String>, text: impl Into<String>) -> Self {
        Self { label: label.into(), text: text.into() }
    }
}

/// Prints lines of ours. Where nobody listens, there is nobody to tell.
pub(crate) fn lines(lines: &[Line]) {
    let mut stderr = anstream::stderr().lock();
    for Line { label, text } in lines {
        let style = style(label);
        drop(writeln!(stderr, "{style}{label}:{style:#} {text}"));
    }
}

fn style(label: &str) -> Style {
    let colour = match label {
        "ok" | "artifact" | "display" => AnsiColor::Green,
        "hint" => AnsiColor::Cyan,
        "note" | "exited" | "cancelled" | "building" => AnsiColor::Yellow,
        _ => AnsiColor::Red,
    };
    colour.on_default().bold()
}

/// Tells of a failure: to people always, and to programs where they asked for JSON.
pub(crate) fn failure(failure: &Failure, json: bool) {
    if matches!(failure, Failure::Closed) {
        return;
    }
    if json {
        drop(result(&failure.json().to_string()));
    }
    let mut told = vec![Line::new("error", failure.message())];
    told.extend(failure.hint().map(|hint| Line::new("hint", hint)));
    lines(&told);
}

/// What a run uses, in one line.
fn uses(usage: &Usage) -> String {
    let threads = usage.threads.map_or_else(String::new, |threads| format!(", {threads} threads"));
    format!(
        "{:.1} s, cpu {:.1} s, memory {}{threads}, disk {}, output {}",
        usage.wall_time_ms / 1e3,
        usage.cpu_time_ms / 1e3,
        units::about_size(usage.memory_bytes),
        units::about_size(usage.disk_bytes),
        units::about_size(usage.output_bytes),
    )
}

/// Prints what was asked for.
pub(crate) fn result(text: &str) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    writeln!(stdout, "{}", text.trim_end_matches('\n'))
        .and_then(|()| stdout.flush())
        .map_err(Failure::print)
}

/// Whether standard error is a terminal.
pub(crate) fn stderr_is_terminal() -> bool {
    io::stderr().is_terminal()
}

/// Where the program's output goes.
pub(crate) struct Output {
    stdout: Stream<Stdout>,
    stderr: Stream<Stderr>,
    /// Whether what the run uses is shown.
    watch: bool,
}

impl Output {
    /// Our own standard output and standard error.
    pub(crate) fn new(watch: bool) -> Self {
        Self {
            stdout: Stream::new(tokio::io::stdout(), io::stdout().is_terminal()),
            stderr: Stream::new(tokio::io::stderr(), io::stderr().is_terminal()),
            watch,
        }
    }

    /// Prints what happened, if it is something to print.
    pub(crate) async fn event(&mut self, event: &Event) -> Result<(), Failure> {
        match event {
            Event::Stdout { text } => self.stdout.write(text).await.map_err(Failure::print),
            Event::Stderr { text } => {
                // Nobody has to read it.
                drop(self.stderr.write(text).await);
                Ok(())
            }
            Event::Display { display } => match shown(display) {
                Shown::Text(text) => self.stdout.line(&text).await.map_err(Failure::print),
                Shown::File { .. } | Shown::Nothing => Ok(()),
            },
            Event::Usage { usage } if self.watch => {
                lines(&[Line::new("uses", uses(usage))]);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Prints the value as Python would, and the traceback where Python would.
    pub(crate) async fn end(&mut self, outcome: &Outcome) -> Result<(), Failure> {
        if let Some(text) = outcome.value.as_ref().and_then(|value| value.text()) {
            self.stdout.line(text).await.map_err(Failure::print)?;
        }
        if let Some(exception) = &outcome.exception {
            drop(self.stderr.line(&exception.text).await);
        }
        self.stdout.finish().await.map_err(Failure::print)?;
        if self.stdout.filter.is_some() && !self.stdout.at_line_start {
            self.stderr.at_line_start = false;
        }
        // What follows are lines of ours.
        drop(self.stderr.fresh_line().await);
        drop(self.stderr.finish().await);
        Ok(())
    }

    /// Prints this as JSON, and nothing else.
    pub(crate) async fn json(&mut self, told: &impl Serialize) -> Result<(), Failure> {
        let text = serde_json::to_string(told).map_err(io::Error::from);
        let text = text.map_err(Failure::print)? + "\n";
        self.stdout.write_raw(&escape_controls(text)).await.map_err(Failure::print)
    }
}

/// JSON lets these stand in a text as they are, but a terminal may obey them.
fn escape_controls(json: String) -> String {
    let obeyed = |letter: char| matches!(letter, '\u{7f}'..='\u{9f}');
    if !json.contains(obeyed) {
        return json;
    }
    let escape = |letter| match letter {
        letter if obeyed(letter) => format!("\\u{:04x}", u32::from(letter)),
        letter => letter.to_string(),
    };
    json.chars().map(escape).collect()
}

struct Stream<W> {
    to: W,
    /// There is one where this is a terminal.
    filter: Option<Filter>,
    at_line_start: bool,
}

impl<W: AsyncWrite + Unpin> Stream<W> {
    fn new(to: W, is_terminal: bool) -> Self {
        let no_colour = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let colours = if no_colour { Colours::Drop } else { Colours::Pass };
        Self { to, filter: is_terminal.then(|| Filter::new(colours)), at_line_start: true }
    }

    async fn write(&mut self, text: &str) -> io::Result<()> {
        if let Some(last) = text.chars().next_back() {
            self.at_line_start = last == '\n';
        }
        match &mut self.filter {
            Some(filter) => {
                let clean = filter.push(text);
                self.write_raw(&clean).await
            }
            None => self.write_raw(text).await,
        }
    }

    /// Prints a text as a line of its own.
    async fn line(&mut self, text: &str) -> io::Result<()> {
        self.fresh_line().await?;
        self.write(text).await?;
        self.fresh_line().await
    }

    async fn fresh_line(&mut self) -> io::Result<()> {
        if self.at_line_start { Ok(()) } else { self.write("\n").await }
    }

    async fn finish(&mut self) -> io::Result<()> {
        let rest = self.filter.as_mut().map(Filter::finish).unwrap_or_default();
        self.write_raw(&rest).await
    }

    async fn write_raw(&mut self, text: &str) -> io::Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        self.to.write_all(text.as_bytes()).await?;
        self.to.flush().await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_stays_the_same_json_and_controls_no_terminal() {
        let value = serde_json::json!({ "text": "a\u{9b}2J\u{7f}ü" });
        let escaped = escape_controls(value.to_string());
        assert_eq!(escaped, r#"{"text":"a\u009b2J\u007fü"}"#);
        assert_eq!(serde_json::from_str::<serde_json::Value>(&escaped).unwrap(), value);
    }
}
