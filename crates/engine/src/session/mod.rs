//! Sessions: runs that share one live interpreter, and never lose more than the run that went wrong.

mod branches;
mod den;
mod files;
mod keeper;
mod moments;
mod part;
mod told;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use execute_python_protocol::{
    Action, Category, Ceiling, Checkpoint, Difference, Event, Limits, MimeBundle, Outcome, Policy,
    Request, SessionInfo, SessionOptions, SessionState, ToolDefinition, Variable, Waiver,
};
use tokio::sync::{OwnedMutexGuard, mpsc, watch};

pub(crate) use part::Part;

use crate::delivery::Delivery;
use crate::engine::Run;
use crate::error::Error;
use crate::monitor::Actions;
use crate::offer::Offer;
use crate::request;
use crate::run::Task;
use crate::sessions::Sessions;
use crate::work_folder::WorkFolder;
use crate::worker::Worker;
use den::{Den, Outside};

/// How many automatic checkpoints a session keeps that asks for nothing.
const CHECKPOINTS: u32 = 8;
/// The most automatic checkpoints of a session.
const MOST_CHECKPOINTS: u32 = 64;
/// The most branches that are made at once.
const MOST_BRANCHES: usize = 32;
/// When a session is closed that nobody uses, and when any session is.
const IDLE: Duration = Duration::from_mins(30);
const LIFETIME: Duration = Duration::from_hours(24);

/// A session: a handle, cheap to clone.
#[derive(Debug, Clone)]
pub struct Session {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    id: String,
    about: About,
    den: Arc<tokio::sync::Mutex<Den>>,
    /// The work folder, and where changes to it from outside are noted: others, once a branch is adopted.
    place: Mutex<(Arc<WorkFolder>, Arc<Outside>)>,
    sessions: Weak<Sessions>,
    /// The handle to interrupt the run that goes on.
    live: Mutex<Option<watch::Sender<Stopping>>>,
    runs: AtomicU64,
    closed: AtomicBool,
    used: Mutex<(jiff::Timestamp, Instant)>,
}

/// What does not change in a session.
#[derive(Debug, Clone)]
pub(crate) struct About {
    pub(crate) owner: Option<String>,
    pub(crate) name: Option<String>,
    pub(crate) environment: String,
    pub(crate) python: String,
    pub(crate) parent: Option<String>,
    pub(crate) limits: Limits,
    pub(crate) ceiling: Ceiling,
    pub(crate) policy: Option<Policy>,
    pub(crate) actions: BTreeMap<Category, Action>,
    pub(crate) waived: Vec<Waiver>,
    pub(crate) tools: Vec<ToolDefinition>,
    pub(crate) created: (jiff::Timestamp, Instant),
    pub(crate) idle: Duration,
    pub(crate) lifetime: Duration,
    pub(crate) checkpoints: usize,
}

/// What a caller wants of a run that goes on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Stopping {
    /// Nothing.
    #[default]
    No,
    /// The program is to be interrupted, as with Ctrl-C.
    Interrupt,
    /// The run is to end.
    Cancel,
}

impl About {
    /// What `options` ask for.
    pub(crate) fn new(options: &SessionOptions, owner: Option<&str>, limits: Limits) -> About {
        let duration = |ms: Option<u64>, default| ms.map_or(default, Duration::from_millis);
        About {
            owner: owner.map(str::to_owned),
            name: options.name.clone(),
            environment: String::new(),
            python: String::new(),
            parent: None,
            limits,
            ceiling: Ceiling::default(),
            policy: options.policy,
            actions: BTreeMap::new(),
            waived: Vec::new(),
            tools: options.tools.clone(),
            created: (jiff::Timestamp::now(), Instant::now()),
            idle: duration(options.idle_timeout_ms, IDLE),
            lifetime: duration(options.lifetime_ms, LIFETIME),
            checkpoints: options.checkpoints.unwrap_or(CHECKPOINTS).min(MOST_CHECKPOINTS) as usize,
        }
    }
}

impl Session {
    /// Makes a session of a worker that has run nothing and has its files.
    pub(crate) async fn open(
        worker: Worker,
        about: About,
        sessions: &Arc<Sessions>,
    ) -> Result<Session, Error> {
        let den = Den::open(worker, about.limits, about.checkpoints).await?;
        Ok(Session::around(den, about, sessions))
    }

    fn around(den: Den, about: About, sessions: &Arc<Sessions>) -> Session {
        let inner = Inner {
            id: format!("ses_{}", uuid::Uuid::new_v4().simple()),
            place: Mutex::new((Arc::clone(&den.work_folder), den.outside())),
            sessions: Arc::downgrade(sessions),
            den: Arc::new(tokio::sync::Mutex::new(den)),
            live: Mutex::default(),
            runs: AtomicU64::new(0),
            closed: AtomicBool::new(false),
            used: Mutex::new(about.created),
            about,
        };
        Session { inner: Arc::new(inner) }
    }

    /// The session's id, as `ses_…`.
    pub fn id(&self) -> &str {
        &self.inner.id
    }

    /// Whose it is.
    pub fn owner(&self) -> Option<&str> {
        self.inner.about.owner.as_deref()
    }

    /// What a list shows of it.
    pub fn info(&self) -> SessionInfo {
        let about = &self.inner.about;
        let used = self.used();
        let left = self.expires_in();
        let expires_at = jiff::Timestamp::now().checked_add(left).unwrap_or(jiff::Timestamp::MAX);
        SessionInfo {
            id: self.inner.id.clone(),
            name: about.name.clone(),
            environment: about.environment.clone(),
            python: about.python.clone(),
            parent: about.parent.clone(),
            created_at: about.created.0.to_string(),
            last_used_at: used.0.to_string(),
            expires_at: expires_at.to_string(),
            runs: self.inner.runs.load(Ordering::Relaxed),
            running: self.is_running(),
        }
    }

    /// Runs code to its end. Waits for its turn if another run of the session goes on.
    pub async fn run(&self, request: Request) -> Result<Outcome, Error> {
        let mut run = self.start(request, Delivery::Inline).await?;
        run.outcome().await
    }

    /// Starts a run and gives a handle to it; waits for its turn before. Dropping the handle cancels the
    /// run.
    pub async fn start(&self, request: Request, delivery: Delivery) -> Result<Run, Error> {
        let den = Arc::clone(&self.inner.den).lock_owned().await;
        self.start_in(den, request, delivery)
    }

    /// Starts a run, unless another one goes on.
    pub fn start_now(&self, request: Request, delivery: Delivery) -> Result<Run, Error> {
        let den = Arc::clone(&self.inner.den).try_lock_owned();
        self.start_in(den.map_err(|_locked| Error::SessionBusy)?, request, delivery)
    }

    fn start_in(
        &self,
        mut den: OwnedMutexGuard<Den>,
        request: Request,
        delivery: Delivery,
    ) -> Result<Run, Error> {
        self.must_be_open()?;
        let number = self.inner.runs.load(Ordering::Relaxed) + 1;
        let name = request.name.clone().unwrap_or_else(|| format!("cell_{number}.py"));
        request::check_code(&request.code, &name)?;
        let about = &self.inner.about;
        let limits = self.limits(&request)?;
        let tools = if request.tools.is_empty() { &about.tools } else { &request.tools };
        let offer = Offer::new(tools.clone(), request.interactive)?;
        for file in &request.files {
            self.put_file(file)?;
        }
        if let Some(text) = &request.stdin {
            self.work_folder().put_stdin(text)?;
        }
        self.inner.runs.fetch_add(1, Ordering::Relaxed);
        let (say, events) = mpsc::unbounded_channel();
        let (stop, stopping) = watch::channel(Stopping::No);
        let (answer, replies) = mpsc::unbounded_channel();
        let id = format!("run_{}", uuid::Uuid::now_v7().simple());
        let task = Task {
            id: id.clone(),
            name,
            stdin: request.stdin.is_some(),
            code: request.code,
            limits,
            actions: Actions::new(
                about.policy.unwrap_or(request.policy),
                &request.actions,
                &about.actions,
            ),
            environment: about.environment.clone(),
            python: about.python.clone(),
            waived: about.waived.clone(),
            delivery,
            events: say.clone(),
            stopping,
            offer,
            replies,
            session: None,
        };
        *self.live() = Some(stop.clone());
        let session = self.clone();
        tokio::spawn(async move {
            let ran = den.run(task).await;
            *session.live() = None;
            session.touch();
            match ran {
                Ok(mut outcome) => {
                    outcome.session = Some(session.inner.id.clone());
                    drop(say.send(Event::Finished { outcome: Box::new(outcome) }));
                }
                // The handle finds the end of the events and says so.
                Err(error) => drop(error),
            }
            drop(say);
            // Who waits for the outcome has it first.
            tokio::task::yield_now().await;
            den.keep_ahead().await;
        });
        Ok(Run { id, events, stop, answer })
    }

    /// The limits of a run. Its time and its output are its own; memory, threads and disk are those of
    /// the session, which lives in them.
    fn limits(&self, request: &Request) -> Result<Limits, Error> {
        let About { limits: own, ceiling, .. } = &self.inner.about;
        let most = Limits {
            wall_time_ms: ceiling.0.wall_time_ms,
            cpu_time_ms: ceiling.0.cpu_time_ms,
            output_bytes: ceiling.0.output_bytes,
            ..*own
        };
        let asked = request.limits.resolve(own, &Ceiling(most))?;
        Ok(Limits {
            wall_time_ms: asked.wall_time_ms,
            cpu_time_ms: asked.cpu_time_ms,
            output_bytes: asked.output_bytes,
            ..*own
        })
    }

    /// Raises `KeyboardInterrupt` in the run that goes on, if one does.
    pub fn interrupt(&self) {
        if let Some(live) = &*self.live() {
            live.send_if_modified(|stopping| {
                let first = *stopping == Stopping::No;
                if first {
                    *stopping = Stopping::Interrupt;
                }
                first
            });
        }
    }

    /// Keeps the present state until it is dropped, under a name if one is given. A name that another
    /// checkpoint has is taken from it.
    pub async fn checkpoint(&self, name: Option<String>) -> Result<Checkpoint, Error> {
        let mut den = self.den().await?;
        den.look_at_files();
        den.moments.name(name).ok_or_else(|| Error::Session {
            doing: "make a checkpoint",
            reason: "it stands nowhere".to_owned(),
        })
    }

    /// The states that the session can return to, oldest first. Waits for the run that goes on.
    pub async fn checkpoints(&self) -> Result<Vec<Checkpoint>, Error> {
        Ok(self.den().await?.moments.list())
    }

    /// Forgets a checkpoint, by its id or name.
    pub async fn drop_checkpoint(&self, name: &str) -> Result<(), Error> {
        let mut den = self.den().await?;
        let id = find(&den, name)?;
        den.moments.forget(&id);
        Ok(())
    }

    /// Returns to a state: the id or the name of a checkpoint, or the id of a run, which means the state
    /// after it.
    pub async fn rewind(&self, to: &str) -> Result<SessionState, Error> {
        let mut den = self.den().await?;
        let state = den.rewind(to).await;
        // While nobody waits for it.
        tokio::spawn(async move { den.keep_ahead().await });
        state
    }

    /// What is different now from a checkpoint.
    pub async fn diff(&self, checkpoint: &str) -> Result<Difference, Error> {
        let den = self.den().await?;
        let id = find(&den, checkpoint)?;
        let (names, files) = den.present();
        let then = den.moments.find(&id).ok_or_else(|| unknown(&den, checkpoint))?;
        Ok(moments::difference((&then.names, &then.files), (&names, &files)))
    }

    /// Makes sessions that go on from the present state, each by itself: with its own processes, work
    /// folder and limits. They belong to the same owner.
    pub async fn fork(&self, count: usize) -> Result<Vec<Session>, Error> {
        let mut den = self.den().await?;
        let Some(sessions) = self.inner.sessions.upgrade() else {
            return Err(Error::UnknownSession { id: self.inner.id.clone() });
        };
        if count == 0 || count > MOST_BRANCHES {
            let reason = format!("{count} branches are not from 1 to {MOST_BRANCHES}");
            return Err(Error::Session { doing: "be forked", reason });
        }
        sessions.must_have_room(self.owner(), count)?;
        let branches: Vec<Session> = den
            .fork(count)
            .await?
            .into_iter()
            .map(|branch| {
                let parent = Some(self.inner.id.clone());
                let created = (jiff::Timestamp::now(), Instant::now());
                let about = About { parent, created, ..self.inner.about.clone() };
                Session::around(branch, about, &sessions)
            })
            .collect();
        for branch in &branches {
            sessions.add(branch.clone());
        }
        Ok(branches)
    }

    /// Makes the state of a branch, or of any other session, the state of this one: its processes, its
    /// work folder and its checkpoints. The other one is closed, and what this one was is gone.
    pub async fn adopt(&self, branch: Session) -> Result<(), Error> {
        if branch.inner.id == self.inner.id {
            let reason = "it is the same session".to_owned();
            return Err(Error::Session { doing: "adopt the branch", reason });
        }
        if branch.owner() != self.owner()
            || branch.inner.about.environment != self.inner.about.environment
        {
            let reason = "it is another owner's, or in another environment".to_owned();
            return Err(Error::Session { doing: "adopt the branch", reason });
        }
        // One after the other, the older id first, so that two that adopt each other both go on.
        let (mut den, mut other) = if self.inner.id < branch.inner.id {
            let den = self.den().await?;
            (den, branch.den().await?)
        } else {
            let other = branch.den().await?;
            (self.den().await?, other)
        };
        std::mem::swap(&mut *den, &mut *other);
        *self.work_folder_place() = (Arc::clone(&den.work_folder), den.outside());
        drop(other);
        branch.close().await;
        Ok(())
    }

    /// The variables of the session.
    pub async fn variables(&self) -> Result<Vec<Variable>, Error> {
        let question = serde_json::json!({"op": "variables"});
        Ok(self.den().await?.ask(question).await?.variables)
    }

    /// A variable, or an attribute or item of one as `name.part`, in all its forms; of something that
    /// has a length, the part from `start` to before `stop`.
    pub async fn value(
        &self,
        name: &str,
        start: Option<i64>,
        stop: Option<i64>,
    ) -> Result<MimeBundle, Error> {
        let question =
            serde_json::json!({"op": "value", "name": name, "start": start, "stop": stop});
        let answer = self.den().await?.ask(question).await?;
        match (answer.value, answer.exception) {
            (Some(value), _) => Ok(value.into()),
            (None, Some(error)) => Err(Error::Session {
                doing: "show the value",
                reason: format!("{}: {}", error.r#type, error.message),
            }),
            (None, None) => Ok(MimeBundle::default()),
        }
    }

    fn work_folder_place(&self) -> std::sync::MutexGuard<'_, (Arc<WorkFolder>, Arc<Outside>)> {
        self.inner.place.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work_folder(&self) -> Arc<WorkFolder> {
        Arc::clone(&self.work_folder_place().0)
    }

    /// Ends the session and all its processes. Runs that wait for their turn are refused.
    pub async fn close(self) {
        self.inner.closed.store(true, Ordering::Relaxed);
        if let Some(live) = &*self.live() {
            live.send_replace(Stopping::Cancel);
        }
        let mut den = self.inner.den.lock().await;
        den.end();
    }

    /// How long until it is closed for want of use or because of its age.
    pub(crate) fn expires_in(&self) -> Duration {
        let about = &self.inner.about;
        let by_age = about.lifetime.saturating_sub(about.created.1.elapsed());
        if self.is_running() {
            return by_age;
        }
        by_age.min(about.idle.saturating_sub(self.used().1.elapsed()))
    }

    /// Whether it is closed, or lost.
    pub(crate) fn is_over(&self) -> bool {
        let is_lost = || self.inner.den.try_lock().is_ok_and(|den| !den.is_alive());
        self.inner.closed.load(Ordering::Relaxed) || is_lost()
    }

    fn is_running(&self) -> bool {
        self.live().is_some()
    }

    fn must_be_open(&self) -> Result<(), Error> {
        if self.inner.closed.load(Ordering::Relaxed) {
            return Err(Error::UnknownSession { id: self.inner.id.clone() });
        }
        Ok(())
    }

    async fn den(&self) -> Result<OwnedMutexGuard<Den>, Error> {
        let den = Arc::clone(&self.inner.den).lock_owned().await;
        self.must_be_open()?;
        self.touch();
        Ok(den)
    }

    fn live(&self) -> std::sync::MutexGuard<'_, Option<watch::Sender<Stopping>>> {
        self.inner.live.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn used(&self) -> (jiff::Timestamp, Instant) {
        *self.inner.used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn touch(&self) {
        let now = (jiff::Timestamp::now(), Instant::now());
        *self.inner.used.lock().unwrap_or_else(PoisonError::into_inner) = now;
    }
}

fn find(den: &Den, name: &str) -> Result<String, Error> {
    den.moments.find(name).map(|moment| moment.id.clone()).ok_or_else(|| unknown(den, name))
}

fn unknown(den: &Den, name: &str) -> Error {
    let known = den.moments.list().into_iter().map(|checkpoint| checkpoint.id).collect();
    Error::UnknownCheckpoint { name: name.to_owned(), known }
}
