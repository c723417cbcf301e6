//! What the monitor does in a run: it pairs what the kernel reports with what the interpreter said of it,
//! asks where the program is, and acts.
//!
//! The kernel's word is evidence: which call, which registers, when. All else, words and frames, is
//! what the guest's memory says. The action rests on the category of the call and the policy alone.

use std::time::{Duration, Instant};

use execute_python_protocol::{Action, Category, Event, Frame, Layer, Violation};
use execute_python_sys::seccomp::{self, Notification};
use execute_python_sys::{Pid, process};

use super::{Run, Stop, TELL, milliseconds};
use crate::message::Attempt;
use crate::wait::{is_empty, read_some};
use crate::{monitor, trace};

/// How long a thread may take to tell where it is before the call that it makes is answered.
const TOLD_WITHIN: Duration = Duration::from_millis(20);
/// How long what the interpreter said of an attempt is about the next call.
const ATTEMPT_LASTS: Duration = Duration::from_secs(1);

/// After how many forbidden calls each one has to wait before it is answered, and how long: a flood of
/// them must not take the engine's time from other runs.
const MANY: u64 = 500;
const CALM: Duration = Duration::from_millis(1);

/// What the interpreter said that the program is about to do.
#[derive(Debug)]
pub(super) struct Said {
    attempt: Attempt,
    at: Instant,
}

/// A call that waits until its thread has told where it is. The signal that asks interrupts the call, which
/// the kernel then begins anew: so it comes a second time.
#[derive(Debug)]
pub(super) struct Asked {
    call: Notification,
    violation: Violation,
    pub(super) until: Instant,
}

impl Run {
    /// Notes what the interpreter said. What the kernel will not report, since there is nothing to
    /// reach, is a violation by itself.
    pub(super) fn said(&mut self, attempt: Attempt) {
        let better = || self.said.as_ref().is_some_and(|said| said.at.elapsed() < ATTEMPT_LASTS);
        if attempt.weak && better() {
            return;
        }
        if attempt.category == Category::Filesystem || self.ends_here(&attempt) {
            return self.take_word(attempt);
        }
        let replaced = self.said.replace(Said { attempt, at: Instant::now() });
        let now = self.said.as_ref().map(|said| &said.attempt.text);
        // A connection that the kernel was not asked for, because its host has no address.
        if let Some(Said { attempt, .. }) = replaced
            && names_a_host(&attempt)
            && now != Some(&attempt.text)
        {
            self.take_word(attempt);
        }
    }

    /// Whether an attempt is to be stopped on the interpreter's word: the kernel may not be asked.
    fn ends_here(&self, attempt: &Attempt) -> bool {
        names_a_host(attempt) && self.task.actions.of(Category::Network) == Action::Interrupt
    }

    /// What was said last and the kernel did not report.
    pub(super) fn say_the_rest(&mut self) {
        if let Some(Said { attempt, .. }) = self.said.take_if(|said| names_a_host(&said.attempt)) {
            self.take_word(attempt);
        }
    }

    /// Takes an attempt for a violation on the interpreter's word alone.
    fn take_word(&mut self, attempt: Attempt) {
        let action = self.task.actions.of(attempt.category);
        let violation = Violation {
            category: attempt.category,
            hint: monitor::hint(attempt.category, &attempt.text).to_owned(),
            frames: self.own_frames(attempt.frames),
            attempt: attempt.text,
            system_call: None,
            arguments: Vec::new(),
            layer: Layer::Audit,
            action,
            at_ms: milliseconds(self.started.elapsed()),
        };
        self.keep(violation);
        if action == Action::Interrupt {
            self.kill(Stop::Violation);
        }
    }

    /// Decides about a forbidden system call.
    pub(super) fn forbidden(&mut self, call: &Notification) {
        let Some(calls) = self.worker.calls.clone() else { return };
        if let Some(session) = &mut self.task.session
            && session.permits(calls.listener(), call)
        {
            return;
        }
        // What was said before the call has come before it.
        while self.channel_open
            && let Some(received) = self.worker.channel.receive_now()
        {
            self.message(received);
        }
        if let Some(asked) = self.asked.take_if(|asked| asked.is_again(call)) {
            let frames = self.told_frames();
            self.act(call, Violation { frames, ..asked.violation });
        } else if monitor::is_probe(call) && self.said_of(Category::Network).is_none() {
            self.refuse(call);
        } else {
            self.new_attempt(call);
        }
    }

    fn new_attempt(&mut self, call: &Notification) {
        let at_ms = milliseconds(self.started.elapsed());
        let mut violation = monitor::violation(call, &self.task.actions, at_ms);
        if let Some(attempt) = self.said_of(violation.category) {
            monitor::hint(violation.category, &attempt.text).clone_into(&mut violation.hint);
            violation.frames = self.own_frames(attempt.frames);
            violation.attempt = attempt.text;
            return self.act(call, violation);
        }
        let may_ask = self.violations.len() < monitor::MOST_KEPT && self.asked.is_none();
        if may_ask && self.ask_thread(call) {
            let until = Instant::now() + TOLD_WITHIN;
            self.asked = Some(Asked { call: *call, violation, until });
        } else {
            self.act(call, violation);
        }
    }

    /// Asks the thread that waits in this call where it is.
    fn ask_thread(&mut self, call: &Notification) -> bool {
        // What an earlier question left.
        while read_some(&self.worker.trace).is_ok_and(|bytes| !bytes.is_empty()) {}
        let thread = i32::try_from(call.pid).ok().and_then(Pid::from_raw);
        let process = self.worker.process.pid();
        process
            .zip(thread)
            .is_some_and(|(process, thread)| process::signal_thread(process, thread, TELL).is_ok())
    }

    /// A thread did not tell in time: the call is answered as it is.
    pub(super) fn stop_asking(&mut self) {
        if let Some(Asked { call, violation, .. }) = self.asked.take() {
            self.act(&call, violation);
        }
    }

    /// What the interpreter said last, if it is about this category.
    fn said_of(&mut self, category: Category) -> Option<Attempt> {
        let said = self.said.take_if(|said| said.attempt.category == category)?;
        (said.at.elapsed() < ATTEMPT_LASTS).then_some(said.attempt)
    }

    fn act(&mut self, call: &Notification, violation: Violation) {
        let action = violation.action;
        self.keep(violation);
        match action {
            // The call is never answered, so it never happens: the process dies waiting.
            Action::Interrupt => self.kill(Stop::Violation),
            Action::Deny => self.refuse(call),
        }
    }

    fn refuse(&self, call: &Notification) {
        if let Some(calls) = &self.worker.calls {
            let errno = rustix::io::Errno::PERM.raw_os_error();
            drop(seccomp::refuse(calls.listener(), call.id, errno));
        }
    }

    /// Counts a violation, and keeps and tells the first ones.
    fn keep(&mut self, violation: Violation) {
        self.violations_total += 1;
        if self.violations_total > MANY {
            self.calm_until = Some(Instant::now() + CALM);
        }
        if self.violations.len() < monitor::MOST_KEPT {
            drop(self.task.events.send(Event::Violation { violation: violation.clone() }));
            self.violations.push(violation);
        }
    }

    /// The frames of a thread that has told where it is.
    fn told_frames(&self) -> Vec<Frame> {
        let mut dump = Vec::new();
        loop {
            match read_some(&self.worker.trace) {
                Ok(bytes) if bytes.is_empty() => break,
                Ok(bytes) if dump.len() < super::MOST_TRACE => dump.extend_from_slice(&bytes),
                Ok(_) => {}
                Err(error) if is_empty(&error) => break,
                Err(_) => break,
            }
        }
        let dump = String::from_utf8_lossy(&dump);
        trace::frames_of_caller(&dump, &self.task.name, &self.task.code)
    }

    /// Frames that the interpreter told, innermost last, with the source lines of the program.
    fn own_frames(&self, mut frames: Vec<Frame>) -> Vec<Frame> {
        frames.reverse();
        trace::add_sources(&mut frames, &self.task.name, &self.task.code);
        frames
    }
}

/// Whether an attempt is a connection to somewhere.
fn names_a_host(attempt: &Attempt) -> bool {
    let begins = |words| attempt.text.starts_with(words);
    attempt.category == Category::Network && (begins("connect to ") || begins("look up "))
}

impl Asked {
    /// Whether this is the same call, begun anew.
    fn is_again(&self, call: &Notification) -> bool {
        (call.pid, call.number, call.arguments)
            == (self.call.pid, self.call.number, self.call.arguments)
    }
}
