//! One run, from handing the code over to the outcome.
//!
//! The loop waits for whatever comes first: output, a message, a forbidden call, the end of the
//! process, the end of its time, the caller's word. What the worker says is taken for what it is
//! worth; status, time, memory, violations and artifacts are established here.

mod asking;
mod usage;
mod watching;

use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::{Duration, Instant};

use execute_python_protocol::{Event, Frame, Limits, Outcome, Violation, Waiver};
use execute_python_sandbox::wire::{Cell, Command};
use execute_python_sys::Pid;
use execute_python_sys::seccomp::Notification;
use rustix::process::Signal;
use tokio::io::unix::AsyncFd;
use tokio::sync::{mpsc, watch};
use tokio::time::timeout;

use crate::calls::{Calls, Whose};
use crate::capture::Capture;
use crate::channel::Received;
use crate::delivery::{Delivery, Sink};
use crate::ending::{self, Ending};
use crate::message::{Done, Message};
use crate::monitor::Actions;
use crate::offer::{Offer, Questions, Reply};
use crate::session::{Part, Stopping};
use crate::trace;
use crate::wait::{is_empty, read_some, readable};
use crate::worker::Worker;

/// The signal at which a worker dumps where it is; the runner's Python half sets it up.
const TELL: i32 = 60;
/// The signal at which a worker raises in the program.
const RAISE: i32 = 61;
/// How long a worker may take to tell where it is.
const TELL_WITHIN: Duration = Duration::from_millis(50);
/// How long a program may take to end after it was raised in.
const GRACE: Duration = Duration::from_millis(300);
/// How long a program may take to end after it was interrupted.
const INTERRUPTED_WITHIN: Duration = Duration::from_secs(2);
/// How long a killed process may take to be gone.
const DEATH_WITHIN: Duration = Duration::from_secs(5);
/// The most displays of a run, and the most bytes of all its messages together.
const MOST_DISPLAYS: usize = 500;
const MOST_MESSAGE_BYTES: usize = 64 << 20;
/// How much is read from a pipe before other things get their turn, in bytes.
const MOST_AT_ONCE: usize = 1 << 20;
/// The longest traceback dump that is read, in bytes.
const MOST_TRACE: usize = 64 << 10;

/// What a run is given beside its worker.
#[derive(Debug)]
pub(crate) struct Task {
    pub(crate) id: String,
    pub(crate) code: String,
    pub(crate) name: String,
    pub(crate) stdin: bool,
    pub(crate) limits: Limits,
    pub(crate) actions: Actions,
    pub(crate) environment: String,
    pub(crate) python: String,
    pub(crate) waived: Vec<Waiver>,
    pub(crate) delivery: Delivery,
    pub(crate) events: mpsc::UnboundedSender<Event>,
    pub(crate) stopping: watch::Receiver<Stopping>,
    /// What the caller offers, and its answers.
    pub(crate) offer: Offer,
    pub(crate) replies: mpsc::UnboundedReceiver<Reply>,
    /// What it is part of, where it is a run of a session.
    pub(crate) session: Option<Part>,
}

/// Why a run was stopped from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The wall time is used up.
    WallTime,
    /// The processor time is used up.
    CpuTime,
    /// The monitor interrupted it.
    Violation,
    /// The caller took it back.
    Cancelled,
    /// The caller interrupted the program, which may go on to its end.
    Interrupted,
}

/// What is left of a run when its outcome is told. Dropping it ends the process and closes what is
/// open, which takes longer than telling.
#[derive(Debug)]
pub(crate) struct Remains {
    pub(crate) worker: Worker,
    /// Whether the process lives and waits for more.
    pub(crate) alive: bool,
    /// What the run was part of, with what it has to say of its processes.
    pub(crate) session: Option<Part>,
    /// What the program said of its variables.
    pub(crate) names: Vec<(String, String, u64)>,
}

/// Runs the task in the worker and gives the outcome.
pub(crate) async fn drive(worker: Worker, task: Task) -> (Outcome, Remains) {
    let started_at = jiff::Timestamp::now();
    let cpu_before = worker.process.cpu_time().unwrap_or_default();
    drop(
        task.events
            .send(Event::Started { id: task.id.clone(), environment: task.environment.clone() }),
    );
    let mut run = Run::new(worker, task, cpu_before);
    if !run.task.offer.is_empty() {
        let offer = run.task.offer.to_json();
        drop(run.worker.command(Command::Equip(&offer)).await);
    }
    let cell = Cell { name: &run.task.name, code: &run.task.code, stdin: run.task.stdin };
    let command =
        if run.task.session.is_some() { Command::RunOn(cell) } else { Command::Run(cell) };
    // A worker that died meanwhile takes nothing: the loop then finds it dead.
    let handed = run.worker.command(command).await;
    if let Err(error) = handed {
        run.notes.push(format!("the code could not be handed over: {error}"));
    }
    run.watch().await;
    run.finish(started_at).await
}

/// A run that goes on.
struct Run {
    worker: Worker,
    task: Task,
    cpu_before: Duration,
    started: Instant,
    stdout: Stream,
    stderr: Stream,
    channel_open: bool,
    message_bytes: usize,
    displays: Vec<execute_python_protocol::Display>,
    done: Option<Done>,
    dead: bool,
    stop: Option<Stop>,
    /// When patience with the present state ends.
    patience: Instant,
    /// When the processor time is looked at next.
    look: Instant,
    killed: bool,
    stopped_at: Vec<Frame>,
    violations: Vec<Violation>,
    violations_total: u64,
    /// Until when no call is answered, after very many forbidden ones.
    calm_until: Option<Instant>,
    notes: Vec<String>,
    questions: Questions,
    said: Option<watching::Said>,
    asked: Option<watching::Asked>,
    /// When what is used is told next.
    tell: Instant,
}

/// One of the two output streams.
struct Stream {
    capture: Capture,
    open: bool,
}

/// What the loop woke up for.
enum Woke {
    Message(io::Result<Received>),
    Stdout,
    Stderr,
    Forbidden(Notification),
    Dead,
    Time,
    Stopping(Stopping),
    Reply(Reply),
}

impl Run {
    fn new(worker: Worker, task: Task, cpu_before: Duration) -> Self {
        let started = Instant::now();
        let stream = || Stream { capture: Capture::new(task.limits.output_bytes), open: true };
        Self {
            cpu_before,
            started,
            stdout: stream(),
            stderr: stream(),
            channel_open: true,
            message_bytes: 0,
            displays: Vec::new(),
            done: None,
            dead: false,
            stop: None,
            patience: started + Duration::from_millis(task.limits.wall_time_ms),
            look: started + Duration::from_millis(task.limits.cpu_time_ms) / cores(),
            killed: false,
            stopped_at: Vec::new(),
            violations: Vec::new(),
            violations_total: 0,
            calm_until: None,
            notes: Vec::new(),
            questions: Questions::default(),
            said: None,
            asked: None,
            tell: started + usage::TOLD_EVERY,
            worker,
            task,
        }
    }

    /// Waits and reacts until the program is done or dead.
    async fn watch(&mut self) {
        while self.done.is_none() && !self.dead {
            match self.wake().await {
                Woke::Message(received) => self.message(received),
                Woke::Stdout | Woke::Stderr => self.drain(),
                Woke::Forbidden(call) => self.forbidden(&call),
                Woke::Dead => self.dead = true,
                Woke::Time => self.time().await,
                Woke::Stopping(Stopping::Interrupt) => self.interrupt(),
                Woke::Stopping(_) => self.kill(Stop::Cancelled),
                Woke::Reply(reply) => self.reply(&reply),
            }
        }
        self.drain();
        if self.dead {
            self.drain_messages();
        } else {
            self.say_the_rest();
        }
    }

    async fn wake(&mut self) -> Woke {
        let asked = self.asked.as_ref().map_or(self.look, |asked| asked.until);
        let resting = self.calm_until.filter(|until| *until > Instant::now());
        let deadline = self.deadline().min(self.look).min(asked).min(self.tell);
        let deadline = resting.map_or(deadline, |resting| deadline.min(resting)).into();
        let own = self.task.session.as_ref().map(Part::process);
        // The time comes first: however much the worker says, its time is up when it is up.
        tokio::select! {
            biased;
            () = tokio::time::sleep_until(deadline) => Woke::Time,
            stopping = stopping(&mut self.task.stopping, self.stop), if !self.killed => Woke::Stopping(stopping),
            call = call(self.worker.calls.as_deref(), own.as_ref()), if !self.killed && resting.is_none() => Woke::Forbidden(call),
            received = self.worker.channel.talk(self.channel_open) => Woke::Message(received),
            Some(reply) = self.task.replies.recv() => Woke::Reply(reply),
            () = readable(&self.worker.stdout), if self.stdout.open => Woke::Stdout,
            () = readable(&self.worker.stderr), if self.stderr.open => Woke::Stderr,
            () = self.worker.process.dead() => Woke::Dead,
        }
    }

    /// Takes a message. The worker flushes its streams before each, so what they hold came first.
    fn message(&mut self, received: io::Result<Received>) {
        self.drain();
        let Ok(Received::Frame(frame)) = received else {
            // Closed, broken or garbage: from here on only the kernel tells how the run ends.
            self.channel_open = false;
            return;
        };
        self.message_bytes += frame.len();
        if self.message_bytes > MOST_MESSAGE_BYTES {
            self.channel_open = false;
            self.notes.push(
                "the program sent too much through its results; later ones are missing".into(),
            );
            return;
        }
        match Message::parse(&frame) {
            Some(Message::Display(bundle)) if self.displays.len() < MOST_DISPLAYS => {
                let display = execute_python_protocol::Display::from(bundle);
                drop(self.task.events.send(Event::Display { display: display.clone() }));
                self.displays.push(display);
                self.worker.channel.acknowledge();
            }
            Some(Message::Display(_)) => {
                self.worker.channel.acknowledge();
                let note = format!("only the first {MOST_DISPLAYS} displays were kept");
                if !self.notes.contains(&note) {
                    self.notes.push(note);
                }
            }
            Some(Message::Done(done)) => self.done = Some(done),
            Some(Message::Attempt(attempt)) => self.said(attempt),
            Some(Message::Input { id, prompt, password }) => self.input(id, prompt, password),
            Some(Message::Call { id, name, arguments }) => self.call(id, name, arguments),
            // What the guest wrote with the mark and is no message, or answers nothing, says nothing.
            Some(Message::Answer(_)) | None => {}
        }
    }

    /// Takes what a dead worker had still said.
    fn drain_messages(&mut self) {
        while self.channel_open && self.done.is_none() {
            let Some(received) = self.worker.channel.receive_now() else { return };
            self.message(received);
        }
    }

    /// Reads what both streams hold now.
    fn drain(&mut self) {
        let events = &self.task.events;
        drain(&self.worker.stdout, &mut self.stdout, |text| {
            drop(events.send(Event::Stdout { text }));
        });
        drain(&self.worker.stderr, &mut self.stderr, |text| {
            drop(events.send(Event::Stderr { text }));
        });
    }

    /// Acts when patience ends, or looks at the processor time.
    async fn time(&mut self) {
        if self.asked.as_ref().is_some_and(|asked| asked.until <= Instant::now()) {
            return self.stop_asking();
        }
        if self.tell <= Instant::now() {
            self.tell_usage();
        }
        for id in self.questions.overdue() {
            self.reply(&Reply::failed(id, "no answer came in time"));
        }
        if Instant::now() < self.deadline() {
            return self.look_at_processor_time().await;
        }
        match self.stop {
            None => self.ask_to_stop(Stop::WallTime).await,
            Some(stop) if !self.killed => self.kill(stop),
            Some(_) => {
                self.notes.push("the killed process was not gone in time".into());
                self.dead = true;
            }
        }
    }

    async fn look_at_processor_time(&mut self) {
        let limit = Duration::from_millis(self.task.limits.cpu_time_ms);
        let left = limit.saturating_sub(self.cpu_time());
        if left.is_zero() && self.stop.is_none() {
            return self.ask_to_stop(Stop::CpuTime).await;
        }
        self.look = Instant::now() + (left / cores()).max(Duration::from_millis(5));
    }

    fn cpu_time(&self) -> Duration {
        let now = self.worker.process.cpu_time().unwrap_or(self.cpu_before);
        now.saturating_sub(self.cpu_before)
    }

    /// Asks the worker where it is, then has it raise in the program.
    async fn ask_to_stop(&mut self, stop: Stop) {
        self.stop = Some(stop);
        self.worker.process.signal_numbered(TELL);
        self.stopped_at = self.where_it_is().await;
        self.worker.process.signal_numbered(RAISE);
        self.patience = Instant::now() + GRACE;
        self.look = self.patience;
    }

    async fn where_it_is(&mut self) -> Vec<Frame> {
        let mut dump = Vec::new();
        let told = async {
            // A dump is several writes; the guest can make it long.
            while dump.len() < MOST_TRACE && !trace::is_whole(&dump) {
                readable(&self.worker.trace).await;
                match read_some(&self.worker.trace) {
                    Ok(bytes) if bytes.is_empty() => break,
                    Ok(bytes) => dump.extend_from_slice(&bytes),
                    Err(error) if is_empty(&error) => {}
                    Err(_) => break,
                }
            }
        };
        // What has come by then counts, whole or not.
        timeout(TELL_WITHIN, told).await.ok();
        trace::frames(&String::from_utf8_lossy(&dump), &self.task.name, &self.task.code)
    }

    /// As Ctrl-C does. A program that has not ended some time after it is ended.
    fn interrupt(&mut self) {
        self.stop = Some(Stop::Interrupted);
        self.worker.process.signal(Signal::INT);
        self.patience = self.patience.min(Instant::now() + INTERRUPTED_WITHIN);
    }

    fn kill(&mut self, stop: Stop) {
        self.stop = Some(stop);
        self.killed = true;
        self.worker.process.signal(Signal::KILL);
        self.patience = Instant::now() + DEATH_WITHIN;
        self.look = self.patience;
    }

    /// Takes the artifacts and tells the whole story.
    async fn finish(mut self, started_at: jiff::Timestamp) -> (Outcome, Remains) {
        let wall_time = self.started.elapsed().saturating_sub(self.questions.waited());
        let mut cpu_time = self.cpu_time();
        let mut ended = None;
        let mut worker = self.worker;
        if self.dead {
            ended = timeout(DEATH_WITHIN, &mut worker.ended).await.ok().and_then(Result::ok);
            cpu_time = ended.map_or(cpu_time, |e| e.cpu_time.saturating_sub(self.cpu_before));
        }
        // Nothing that is taken out shall change any more.
        if self.task.session.is_some() {
            worker.process.signal(Signal::STOP);
        } else if !worker.work_folder.is_empty() {
            worker.process.signal(Signal::KILL);
        }
        let alive = self.done.is_some() && !self.dead && !self.killed;
        let mut ending = Ending {
            started_at,
            wall_time,
            cpu_time,
            stdout: self.stdout.capture,
            stderr: self.stderr.capture,
            displays: self.displays,
            done: self.done,
            status_word: ended.map(|ended| ended.status),
            stop: self.stop,
            stopped_at: self.stopped_at,
            violations: self.violations,
            violations_total: self.violations_total,
            notes: self.notes,
            group: worker.group.clone(),
        };
        let names = ending.done.as_mut().map(|done| std::mem::take(&mut done.names));
        let sink = Sink::new(self.task.delivery.clone());
        let session = self.task.session.take();
        let work_folder = Arc::clone(&worker.work_folder);
        let outcome = ending::outcome(ending, work_folder, sink, self.task).await;
        let names = names.unwrap_or_default();
        (outcome, Remains { worker, alive, session, names })
    }
}

/// Waits for the next call that the filter hands over: of the process of a session, or of anybody.
async fn call(calls: Option<&Calls>, own: Option<&Pid>) -> Notification {
    let Some(calls) = calls else { return std::future::pending().await };
    calls.next(own.map_or(Whose::All, |own| Whose::Of(std::slice::from_ref(own)))).await
}

/// Waits for the caller to want something that was not done yet.
async fn stopping(wanted: &mut watch::Receiver<Stopping>, done: Option<Stop>) -> Stopping {
    let is_new = |stopping: &Stopping| match stopping {
        Stopping::No => false,
        Stopping::Interrupt => done.is_none(),
        Stopping::Cancel => matches!(done, None | Some(Stop::Interrupted)),
    };
    let seen = wanted.wait_for(is_new).await.map(|stopping| *stopping);
    match seen {
        Ok(stopping) => stopping,
        // Nobody is left who could want anything.
        Err(_) => std::future::pending().await,
    }
}

/// How many processors there are, as a divisor.
fn cores() -> u32 {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    u32::try_from(cores).unwrap_or(1)
}

/// A duration as milliseconds, with the microseconds behind the point.
pub(crate) fn milliseconds(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 1e6).round() / 1e3
}

/// Reads what a pipe holds now, at most [`MOST_AT_ONCE`].
fn drain(pipe: &AsyncFd<OwnedFd>, stream: &mut Stream, mut say: impl FnMut(String)) {
    let mut taken = 0;
    while stream.open && taken < MOST_AT_ONCE {
        match read_some(pipe) {
            Ok(bytes) if bytes.is_empty() => stream.open = false,
            Ok(bytes) => {
                taken += bytes.len();
                let text = stream.capture.push(&bytes);
                if !text.is_empty() {
                    say(text);
                }
            }
            Err(error) if is_empty(&error) => return,
            Err(_) => stream.open = false,
        }
    }
}
