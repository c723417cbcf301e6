//! The processes of a session: the keeper, the one that runs the cells, and its frozen copies.
//!
//! Between two runs the process is stopped: nothing of a session runs unless a run of it goes on.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use execute_python_protocol::{InputFile, Limits, Outcome, SessionState, StateKind};
use execute_python_sandbox::cgroup::Group;
use execute_python_sandbox::wire::Command;
use execute_python_sys::{Pid, seccomp};
use rustix::process::Signal;
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::calls::Whose;
use crate::channel::Received;
use crate::error::Error;
use crate::groups::Lease;
use crate::message::{Answer, Message};
use crate::run::{self, Remains, Task};
use crate::session::branches::{self, Trunk};
use crate::session::keeper::Keeper;
use crate::session::moments::{Moments, Names};
use crate::session::part::{Held, Part, Refused};
use crate::session::told::{because, kept, nothing_left, rewound};
use crate::work_folder::{Snapshot, WorkFolder};
use crate::worker::{Process, Worker};

/// How long a copy may take to show itself, and a thawed one to answer.
const SHOWN_WITHIN: Duration = Duration::from_secs(2);
/// How long a question about a session may take.
const ANSWERED_WITHIN: Duration = Duration::from_secs(3);

/// Changes to the work folder from outside, which stay whatever becomes of a run.
pub(crate) type Outside = Mutex<Vec<FileChange>>;

/// A change to the work folder from outside.
#[derive(Debug)]
pub(crate) enum FileChange {
    /// A file was put in.
    Put(InputFile),
    /// A file was removed.
    Removed(String),
}

/// The processes of a session and its moments.
#[derive(Debug)]
pub(crate) struct Den {
    keeper: Arc<Keeper>,
    /// The process that runs the cells, stopped. `None` while it runs one, and when it is lost.
    live: Option<Worker>,
    own_number: i32,
    pub(crate) work_folder: Arc<WorkFolder>,
    pub(crate) moments: Moments,
    /// What was put into the work folder or removed from it from outside, since it was last looked at.
    outside: Arc<Outside>,
    limits: Limits,
    /// How many questions were put.
    questions: u64,
}

impl Den {
    /// Makes a session of a worker that has run nothing.
    pub(crate) async fn open(worker: Worker, limits: Limits, keep: usize) -> Result<Den, Error> {
        let work_folder = Arc::clone(&worker.work_folder);
        let (keeper, live, own_number) = Keeper::found(worker)
            .await
            .map_err(|source| Error::System { doing: "set the session up", source })?;
        live.process.signal(Signal::STOP);
        let files = work_folder.snapshot(&Snapshot::default());
        let moments = Moments::begin(files, keep);
        let (live, outside) = (Some(live), Arc::default());
        Ok(Den { keeper, live, own_number, work_folder, moments, outside, limits, questions: 0 })
    }

    /// Runs a cell and says what became of the state. Whatever happens to the process, the session
    /// stands at a moment afterwards.
    pub(crate) async fn run(&mut self, mut task: Task) -> Result<Outcome, Error> {
        self.look_at_files();
        let worker = self.wake()?;
        let copies = self.moments.without_copy();
        self.bound_memory(&worker);
        if let Some(group) = worker.group.as_deref().and_then(Lease::group) {
            group.reset_peak();
        }
        let pid = worker.process.pid().ok_or_else(lost)?;
        for _ in 0..copies {
            // A process that is dead takes nothing: the run finds out.
            drop(worker.command(Command::Freeze).await);
        }
        task.session = Some(Part::new(pid, self.own_number, copies));
        let run_id = task.id.clone();
        let (mut outcome, remains) = run::drive(worker, task).await;
        let Remains { worker, alive, session, names } = remains;
        let part = self.settle(&worker, session).await;
        let refused = part.as_ref().and_then(|part| part.refused);
        self.moments.give_copies(part.map(|part| part.held).unwrap_or_default());
        let rewindable = self
            .moments
            .current()
            .is_some_and(|moment| moment.held.is_some() || moment.memory == 0);
        self.moments.move_on();
        let state = if alive {
            self.changes().clear();
            let before = self.moments.current().map(|moment| Arc::clone(&moment.files));
            let files = self.work_folder.snapshot(&before.unwrap_or_default());
            self.moments.arrive(run_id.clone(), files, names);
            self.live = Some(worker);
            kept(&outcome, rewindable, refused)
        } else {
            let state = self.recover(worker, rewindable, refused).await;
            self.change_files_again();
            state
        };
        outcome.state = Some(SessionState {
            checkpoint: self.moments.current().map(|moment| moment.id.clone()),
            run: self.moments.current().and_then(|moment| moment.run.clone()),
            ..state
        });
        Ok(outcome)
    }

    /// Returns to the moment that `name` means.
    pub(crate) async fn rewind(&mut self, name: &str) -> Result<SessionState, Error> {
        self.look_at_files();
        let Some(moment) = self.moments.find(name).filter(|m| self.moments.is_there(m)) else {
            let known = self.moments.list().into_iter().map(|checkpoint| checkpoint.id).collect();
            return Err(Error::UnknownCheckpoint { name: name.to_owned(), known });
        };
        let (id, same) = (moment.id.clone(), self.moments.has_memory_of(moment));
        let worker = self.live.take();
        if same && let Some(worker) = worker {
            self.set_files_back(&id);
            self.moments.return_to(&id);
            self.live = Some(worker);
        } else {
            let worker = worker.ok_or_else(lost)?;
            self.keep_present(&worker).await;
            timeout(SHOWN_WITHIN, worker.process.stopped()).await.ok();
            worker.process.signal(Signal::KILL);
            self.return_to(worker, &id)
                .await
                .map_err(|source| Error::System { doing: "return to the checkpoint", source })?;
        }
        let run = self.moments.current().and_then(|moment| moment.run.clone());
        let message = match &run {
            Some(run) => format!("the session is as it was after {run}"),
            None => "the session is as it was at its beginning".to_owned(),
        };
        let checkpoint = Some(id);
        Ok(SessionState { kind: StateKind::Rewound, checkpoint, run, rewindable: true, message })
    }

    /// Has the process leave a copy of the present state while nobody waits, so that the next run need
    /// not: a session with threads has none, and the next run says so.
    pub(crate) async fn keep_ahead(&mut self) {
        if self.moments.without_copy() > 0
            && let Some(worker) = self.live.take()
        {
            self.keep_present(&worker).await;
            self.live = Some(worker);
            self.touch().await;
        }
    }

    /// Has the process write what each run writes, which the kernel copies first after a fork.
    async fn touch(&mut self) {
        let Ok(mut worker) = self.wake() else { return };
        // Whether it answers does not matter.
        drop(self.put(&mut worker, json!({"op": "touch"})).await);
        worker.process.signal(Signal::STOP);
        self.live = Some(worker);
    }

    /// Puts a question to the process and waits for the answer.
    async fn put(&mut self, worker: &mut Worker, mut question: Value) -> Option<Answer> {
        self.questions += 1;
        question["number"] = self.questions.into();
        worker.command(Command::Ask(&question.to_string())).await.ok()?;
        timeout(ANSWERED_WITHIN, answer(worker, self.questions)).await.ok()?
    }

    /// Leaves a copy of the present state, where it has none.
    async fn keep_present(&mut self, worker: &Worker) {
        let copies = self.moments.without_copy();
        if copies > 0
            && let Some(part) = self.copies_of(worker, copies).await
        {
            self.moments.give_copies(part.held);
        }
    }

    /// Has the process, which is stopped, leave copies of itself.
    async fn copies_of(&self, worker: &Worker, copies: usize) -> Option<Part> {
        let mut part = Part::new(worker.process.pid()?, self.own_number, copies);
        worker.process.signal(Signal::CONT);
        for _ in 0..copies {
            drop(worker.command(Command::Freeze).await);
        }
        let shown = async {
            while part.held.len() < copies && part.refused.is_none() {
                self.take_call(worker, &mut part).await;
            }
        };
        timeout(SHOWN_WITHIN, shown).await.ok();
        worker.process.signal(Signal::STOP);
        Some(part)
    }

    /// Makes branches: sessions that go on from the present state, each by itself.
    pub(crate) async fn fork(&mut self, count: usize) -> Result<Vec<Den>, Error> {
        self.look_at_files();
        let worker = self.live.take().ok_or_else(lost)?;
        let forked = self.fork_from(&worker, count).await;
        worker.process.signal(Signal::STOP);
        self.live = Some(worker);
        forked
    }

    async fn fork_from(&self, worker: &Worker, count: usize) -> Result<Vec<Den>, Error> {
        let cannot = |reason: String| Error::Session { doing: "be forked", reason };
        let part = self.copies_of(worker, count).await.ok_or_else(lost)?;
        if part.held.len() < count {
            let reason = because(part.refused).trim_start_matches([',', ' ']).to_owned();
            return Err(cannot(reason));
        }
        let (names, snapshot) = self.present();
        let trunk = Trunk {
            worker,
            keeper: &self.keeper,
            disk_bytes: self.limits.disk_bytes,
            files: self.limits.files,
            snapshot: &snapshot,
        };
        let made = branches::make(trunk, part.held).await;
        let made = made.map_err(|error| cannot(error.to_string()))?;
        Ok(made.into_iter().map(|branch| self.branch(branch, &names, &snapshot)).collect())
    }

    fn branch(
        &self,
        (live, own_number): (Worker, i32),
        names: &Arc<Names>,
        files: &Snapshot,
    ) -> Den {
        Den {
            keeper: Arc::clone(&self.keeper),
            work_folder: Arc::clone(&live.work_folder),
            live: Some(live),
            own_number,
            moments: Moments::branch(files.clone(), names, self.moments.keep()),
            outside: Arc::default(),
            limits: self.limits,
            questions: 0,
        }
    }

    /// Asks the live process something.
    pub(crate) async fn ask(&mut self, question: Value) -> Result<Answer, Error> {
        let mut worker = self.wake()?;
        let answer = self.put(&mut worker, question).await;
        worker.process.signal(Signal::STOP);
        if let Some(answer) = answer {
            self.live = Some(worker);
            return Ok(answer);
        }
        // Whatever it does, it does not answer: what it says later must not be taken for something else.
        worker.process.signal(Signal::KILL);
        timeout(SHOWN_WITHIN, worker.process.dead()).await.ok();
        let state = self.recover(worker, false, None).await;
        Err(Error::Session { doing: "answer", reason: state.message })
    }

    /// The live process, going on.
    fn wake(&mut self) -> Result<Worker, Error> {
        let worker = self.live.take().ok_or_else(lost)?;
        worker.process.signal(Signal::CONT);
        Ok(worker)
    }

    /// Waits for a copy that was let through in a run that is over.
    async fn settle(&self, worker: &Worker, part: Option<Part>) -> Option<Part> {
        let mut part = part?;
        let shown = async {
            while part.is_awaiting() {
                self.take_call(worker, &mut part).await;
            }
        };
        if timeout(SHOWN_WITHIN, shown).await.is_err() {
            part.give_up();
            self.kill_strangers(worker, &part);
        }
        Some(part)
    }

    /// A copy that did not show itself is not to run beside the session: where it cannot be told apart,
    /// everything ends.
    fn kill_strangers(&self, worker: &Worker, part: &Part) {
        let held = part.held.iter().filter_map(|held| held.process.pid());
        let own = [Some(self.keeper.pid()), worker.process.pid()].into_iter().flatten();
        let known: Vec<Pid> = self.moments.copies().chain(held).chain(own).collect();
        let group = worker.group.as_deref().and_then(Lease::group);
        let Some(Ok(all)) = group.map(Group::processes) else { return self.keeper.end() };
        for stranger in all.into_iter().filter_map(Pid::from_raw) {
            if !known.contains(&stranger) {
                // Its handle kills it on drop.
                drop(Process::open(stranger));
            }
        }
    }

    /// Takes the next call that waits: one of the session's own, or one that is refused.
    async fn take_call(&self, worker: &Worker, part: &mut Part) {
        let Some(calls) = worker.calls.as_deref() else { return std::future::pending().await };
        let call = calls.next(Whose::Of(&[part.process()])).await;
        if !part.permits(calls.listener(), &call) {
            let errno = rustix::io::Errno::PERM.raw_os_error();
            drop(seccomp::refuse(calls.listener(), call.id, errno));
        }
    }

    /// Goes back to the nearest moment after the process was lost.
    async fn recover(
        &mut self,
        worker: Worker,
        rewindable: bool,
        refused: Option<Refused>,
    ) -> SessionState {
        let Some(id) = self.moments.nearest().map(|moment| moment.id.clone()) else {
            return nothing_left("no checkpoint is left");
        };
        let at_once = rewindable && self.moments.current().is_some_and(|now| now.id == id);
        if let Err(error) = self.return_to(worker, &id).await {
            return nothing_left(&error.to_string());
        }
        rewound(self.moments.current().and_then(|m| m.run.as_deref()), at_once, refused)
    }

    /// Stands at a moment, in its copy or, at the beginning, in a new process. The one before is dead, or
    /// was stopped before it was killed, so that it does nothing any more.
    async fn return_to(&mut self, mut worker: Worker, id: &str) -> io::Result<()> {
        let held = self.moments.return_to(id);
        let thaw = held.is_some();
        let calls = worker.calls.clone().ok_or(io::ErrorKind::NotFound)?;
        let held = match held {
            Some(held) => held,
            None => self.keeper.bear_again(&calls).await?,
        };
        self.set_files_back(id);
        forget(&mut worker);
        worker.ended = self.keeper.watch_end(&held)?;
        self.own_number = held.own_number;
        held.go_on(calls.listener())?;
        let Held { process, .. } = held;
        worker.process = process;
        if thaw {
            timeout(SHOWN_WITHIN, worker.channel.receive()).await??;
        } else {
            worker.channel.mark_again().await?;
        }
        worker.process.signal(Signal::STOP);
        self.live = Some(worker);
        Ok(())
    }

    fn set_files_back(&mut self, id: &str) {
        let Some(files) = self.moments.find(id).map(|moment| Arc::clone(&moment.files)) else {
            return;
        };
        // What cannot be set back, such as a full disk, is no reason to lose the rest.
        drop(self.work_folder.set_back(&files));
    }

    /// Drops old copies until there is room for a run to use all the memory that it may.
    fn bound_memory(&mut self, worker: &Worker) {
        let most = self.limits.memory_bytes;
        let now = || worker.group.as_deref().and_then(Lease::group)?.memory_now();
        while now().is_some_and(|bytes| bytes > most)
            && self.moments.spare_copies() > 1
            && self.moments.drop_oldest()
        {}
    }

    /// What the program said last of its variables, and the files as they are.
    pub(crate) fn present(&self) -> (Arc<Names>, Snapshot) {
        let current = self.moments.current();
        let names = current.map(|moment| Arc::clone(&moment.names)).unwrap_or_default();
        let files = current.map(|moment| Arc::clone(&moment.files)).unwrap_or_default();
        (names, self.work_folder.snapshot(&files))
    }

    /// Where changes to the work folder from outside are noted.
    pub(crate) fn outside(&self) -> Arc<Outside> {
        Arc::clone(&self.outside)
    }

    fn changes(&self) -> MutexGuard<'_, Vec<FileChange>> {
        self.outside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes what was changed from outside since the last run for a part of the present state.
    pub(crate) fn look_at_files(&mut self) {
        if std::mem::take(&mut *self.changes()).is_empty() {
            return;
        }
        let (_, files) = self.present();
        self.moments.change_files(files);
    }

    /// Does again what was changed from outside while a run went on that was undone.
    fn change_files_again(&mut self) {
        for change in &*self.changes() {
            // What does not fit any more is gone with the run.
            match change {
                FileChange::Put(file) => drop(self.work_folder.put(file)),
                FileChange::Removed(path) => drop(self.work_folder.remove(path)),
            }
        }
        self.look_at_files();
    }

    /// Ends its processes. The keeper goes with the last session that has it: branches have the same.
    pub(crate) fn end(&mut self) {
        self.live = None;
        self.moments.forget_all();
    }

    /// Whether it can still run anything.
    pub(crate) fn is_alive(&self) -> bool {
        self.live.is_some() && self.keeper.is_alive()
    }
}

/// Forgets what the process before had still said and written.
fn forget(worker: &mut Worker) {
    worker.channel.forget();
    for pipe in [&worker.stdout, &worker.stderr, &worker.trace] {
        while rustix::io::read(pipe.get_ref(), &mut [0; 4096]).is_ok_and(|length| length > 0) {}
    }
}

async fn answer(worker: &mut Worker, number: u64) -> Option<Answer> {
    loop {
        let Ok(Received::Frame(frame)) = worker.channel.receive().await else { return None };
        if let Some(Message::Answer(answer)) = Message::parse(&frame)
            && answer.number == number
        {
            return Some(answer);
        }
    }
}

fn lost() -> Error {
    let reason = "its processes are gone; open another one".to_owned();
    Error::Session { doing: "go on", reason }
}
