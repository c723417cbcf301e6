//! The engine: environments, pools of workers, and runs in them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use execute_python_protocol::{
    DEFAULT_NAME, Event, InputFile, Limits, Outcome, Request, SessionInfo, SessionOptions, Waiver,
};
use execute_python_sandbox::OuterPlan;
use execute_python_sandbox::plan::Identity;
use tokio::sync::{OnceCell, mpsc, watch};

use crate::config::Config;
use crate::delivery::Delivery;
use crate::environment::{Environment, EnvironmentInfo, Environments};
use crate::error::Error;
use crate::groups::Groups;
use crate::monitor::Actions;
use crate::offer::{Answer, Offer, Reply};
use crate::pool::Pool;
use crate::run::{self, Task};
use crate::session::{About, Session, Stopping};
use crate::sessions::Sessions;
use crate::worker::Worker;
use crate::zygote::{Setting, arguments};
use crate::{embedded, request};

/// Writes the list of fonts that matplotlib looks for in its cache, under the name that it looks for.
const FONT_LIST: &str = "\
from matplotlib import font_manager
version = font_manager.FontManager.__version__
font_manager.json_dump(font_manager.fontManager, f'fontlist-v{version}.json')
";

/// How many of the host's user ids the inside of a sandbox has, as root.
const USER_IDS: u32 = 65_536;

/// Runs Python in sandboxes. Cheap to clone; all clones are the same engine.
#[derive(Debug, Clone)]
pub struct Engine {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    config: Config,
    environments: Arc<Environments>,
    groups: Option<Arc<Groups>>,
    open: Mutex<HashMap<String, Arc<OnceCell<Arc<Open>>>>>,
    sessions: Arc<Sessions>,
}

/// An environment in use.
#[derive(Debug)]
struct Open {
    environment: Environment,
    pool: Pool,
}

impl Engine {
    /// Sets an engine up. No process is started yet.
    ///
    /// # Errors
    /// When a wall of the sandbox cannot be had and is not waived, or the cache cannot be used.
    pub fn new(config: Config) -> Result<Self, Error> {
        let groups = if config.waived.contains(&Waiver::Cgroup) {
            None
        } else {
            Some(Arc::new(Groups::create()?))
        };
        let environments = Arc::new(Environments::new(&config)?);
        let open = Mutex::default();
        let sessions = Arc::new(Sessions::new(config.sessions));
        Ok(Self { inner: Arc::new(Inner { config, environments, groups, open, sessions }) })
    }

    /// Runs code to its end. The content of the artifacts is in the outcome.
    pub async fn run(&self, request: Request) -> Result<Outcome, Error> {
        let mut run = self.start(request, Delivery::Inline).await?;
        run.outcome().await
    }

    /// Starts a run and gives a handle to it. Dropping the handle cancels the run.
    pub async fn start(&self, request: Request, delivery: Delivery) -> Result<Run, Error> {
        let name = request.name.as_deref().unwrap_or(DEFAULT_NAME);
        request::check_code(&request.code, name)?;
        let config = &self.inner.config;
        let limits = request.limits.resolve(&config.limits, &config.ceiling)?;
        let open = self.open(&self.choose(&request)?).await?;
        self.start_in(open, request, limits, delivery).await
    }

    /// Starts a run in an environment that is open.
    async fn start_in(
        &self,
        open: Arc<Open>,
        request: Request,
        limits: Limits,
        delivery: Delivery,
    ) -> Result<Run, Error> {
        let offer = Offer::new(request.tools.clone(), request.interactive)?;
        let worker = open.pool.lease(&limits).await?;
        place_inputs(&worker, &request)?;
        let (say, events) = mpsc::unbounded_channel();
        let (stop, stopping) = watch::channel(Stopping::No);
        let (answer, replies) = mpsc::unbounded_channel();
        let id = format!("run_{}", uuid::Uuid::now_v7().simple());
        let task = Task {
            id: id.clone(),
            name: request.name.unwrap_or_else(|| DEFAULT_NAME.to_owned()),
            stdin: request.stdin.is_some(),
            code: request.code,
            limits,
            actions: Actions::new(request.policy, &request.actions, &self.inner.config.actions),
            environment: open.environment.name.clone(),
            python: open.environment.version.clone(),
            waived: self.inner.config.waived.clone(),
            delivery,
            events: say.clone(),
            stopping,
            offer,
            replies,
            session: None,
        };
        tokio::spawn(async move {
            let (outcome, remains) = run::drive(worker, task).await;
            drop(say.send(Event::Finished { outcome: Box::new(outcome) }));
            // Who waits for the outcome has it before anything is cleared away.
            tokio::task::yield_now().await;
            drop(remains);
            // Others wait for this machine while the pool is filled, so the outcome goes first.
            if open.pool.missing() > 0 {
                drop(open.pool.fill().await);
            }
        });
        Ok(Run { id, events, stop, answer })
    }

    /// Opens a session for `owner`, who alone finds it by [`Engine::sessions`].
    ///
    /// # Errors
    /// Also when the owner has as many sessions as one may have.
    pub async fn open_session(
        &self,
        options: SessionOptions,
        owner: Option<&str>,
    ) -> Result<Session, Error> {
        let config = &self.inner.config;
        self.inner.sessions.must_have_room(owner, 1)?;
        let limits = options.limits.resolve(&config.limits, &config.ceiling)?;
        let request = Request {
            environment: Some(options.environment.clone().unwrap_or_else(|| "base".to_owned())),
            ..Request::default()
        };
        let open = self.open(&self.choose(&request)?).await?;
        let worker = open.pool.lease_for_session(&limits).await?;
        place(&worker, &options.files)?;
        let about = About {
            environment: open.environment.name.clone(),
            python: open.environment.version.clone(),
            waived: config.waived.clone(),
            actions: config.actions.clone(),
            ceiling: config.ceiling,
            ..About::new(&options, owner, limits)
        };
        let session = Session::open(worker, about, &self.inner.sessions).await?;
        self.inner.sessions.add(session.clone());
        Ok(session)
    }

    /// The sessions of this owner.
    pub fn sessions(&self, owner: Option<&str>) -> Vec<SessionInfo> {
        self.inner.sessions.of(owner).iter().map(Session::info).collect()
    }

    /// The session of this id, whoever owns it.
    pub fn session(&self, id: &str) -> Option<Session> {
        self.inner.sessions.find(id)
    }

    /// How many sessions are open, of all owners together.
    pub fn session_count(&self) -> usize {
        self.inner.sessions.count()
    }

    /// The environments that are in use, each with how many enclosed workers wait for code.
    pub fn pools(&self) -> Vec<(String, usize)> {
        let open = self.inner.open.lock().unwrap_or_else(PoisonError::into_inner);
        let in_use = open.iter().filter_map(|(name, cell)| Some((name, cell.get()?)));
        in_use.map(|(name, open)| (name.clone(), open.pool.waiting())).collect()
    }

    /// Gets an environment ready: provisions it, starts its zygote and fills its pool.
    pub async fn warm(&self, environment: &str) -> Result<(), Error> {
        self.open(environment).await?.pool.fill().await
    }

    /// The environment that code runs in which names none: the one that provides what it imports.
    pub fn environment_for(&self, code: &str) -> Result<String, Error> {
        self.choose(&Request { code: code.to_owned(), ..Request::default() })
    }

    fn choose(&self, request: &Request) -> Result<String, Error> {
        let definitions = self.inner.environments.definitions();
        let found = match &request.environment {
            Some(name) => definitions.iter().find(|definition| definition.name == *name),
            None => request::choose(definitions, &execute_python_check::imports(&request.code)),
        };
        match found {
            Some(definition) => Ok(definition.name.clone()),
            None => Err(Error::UnknownEnvironment {
                name: request.environment.clone().unwrap_or_default(),
                known: definitions.iter().map(|definition| definition.name.clone()).collect(),
            }),
        }
    }

    async fn open(&self, name: &str) -> Result<Arc<Open>, Error> {
        let cell = {
            let mut open = self.inner.open.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(open.entry(name.to_owned()).or_default())
        };
        cell.get_or_try_init(|| self.open_first(name)).await.cloned()
    }

    async fn open_first(&self, name: &str) -> Result<Arc<Open>, Error> {
        if let Some(environment) = self.inner.environments.open(name)? {
            return self.in_use(environment);
        }
        let open = self.in_use(self.build_first(name).await?)?;
        self.plant_seeds(&open).await?;
        Ok(open)
    }

    fn in_use(&self, environment: Environment) -> Result<Arc<Open>, Error> {
        let setting = self.setting(&environment)?;
        let config = &self.inner.config;
        let pool = Pool::new(setting, self.inner.groups.clone(), config.limits, config.pool);
        Ok(Arc::new(Open { environment, pool }))
    }

    /// Builds an environment: on a thread where waiting harms nobody.
    async fn build_first(&self, name: &str) -> Result<Environment, Error> {
        let environments = Arc::clone(&self.inner.environments);
        let owned = name.to_owned();
        let built = tokio::task::spawn_blocking(move || environments.build(&owned)).await;
        let built = built.map_err(|error| Error::System {
            doing: "provision the environment",
            source: std::io::Error::other(error),
        })?;
        Ok(built?)
    }

    /// Has packages make the caches that they would make anew at each start. It is code of strangers,
    /// so it runs as a guest, and what it made comes back as artifacts.
    async fn plant_seeds(&self, open: &Arc<Open>) -> Result<(), Error> {
        if !open.environment.packages.iter().any(|(name, _)| name == "matplotlib") {
            return Ok(());
        }
        let folder = open.environment.seeds();
        let limits = Limits { wall_time_ms: 60_000, cpu_time_ms: 60_000, ..Limits::default() };
        let request = Request { code: FONT_LIST.into(), ..Request::default() };
        let delivery = Delivery::Folder(folder);
        let mut run = self.start_in(Arc::clone(open), request, limits, delivery).await?;
        // Without the cache every start is slower, and nothing else.
        run.outcome().await?;
        Ok(())
    }

    fn setting(&self, environment: &Environment) -> Result<Setting, Error> {
        let config = &self.inner.config;
        let extension = embedded::install_zygote(&environment.root)
            .map_err(|source| Error::Path { path: environment.root.clone(), source })?;
        // Freezing costs some milliseconds once: an engine without a pool runs little.
        let freeze = config.pool > 0;
        let identity = if rustix::process::geteuid().is_root() {
            Identity::Range { first: config.first_user_id, count: USER_IDS }
        } else {
            Identity::Own
        };
        let mut variables = Environment::variables();
        if self.inner.groups.is_none() {
            // Address space is limited then, and the C library reserves 64 MiB of it for each thread.
            variables.push(("MALLOC_ARENA_MAX".into(), "2".into()));
        }
        Ok(Setting {
            environment: environment.name.clone(),
            outer: OuterPlan {
                root: environment.root.clone(),
                identity,
                arguments: arguments(&environment.python, &extension, &environment.preload, freeze),
                environment: variables,
            },
            waived: config.waived.clone(),
        })
    }

    /// All environments, built or not.
    pub fn environments(&self) -> Result<Vec<EnvironmentInfo>, Error> {
        Ok(self.inner.environments.list()?)
    }

    /// Provisions an environment.
    pub async fn build(&self, name: &str) -> Result<EnvironmentInfo, Error> {
        self.open(name).await?;
        let all = self.inner.environments.list()?;
        let known = all.iter().map(|info| info.name.clone()).collect();
        all.into_iter()
            .find(|info| info.name == name)
            .ok_or_else(|| Error::UnknownEnvironment { name: name.to_owned(), known })
    }

    /// Removes what was provisioned for an environment; gives the bytes that are free again.
    pub fn remove(&self, name: &str) -> Result<u64, Error> {
        Ok(self.inner.environments.remove(name)?)
    }

    /// Ends every run, worker and zygote, and waits until they are gone.
    pub async fn shutdown(self) {
        self.inner.sessions.close_all().await;
        let cells: Vec<_> = {
            let mut open = self.inner.open.lock().unwrap_or_else(PoisonError::into_inner);
            open.drain().map(|(_, cell)| cell).collect()
        };
        for open in cells.iter().filter_map(|cell| cell.get()) {
            open.pool.stop().await;
        }
    }
}

fn place(worker: &Worker, files: &[InputFile]) -> Result<(), Error> {
    files.iter().try_for_each(|file| worker.work_folder.put(file))
}

fn place_inputs(worker: &Worker, request: &Request) -> Result<(), Error> {
    place(worker, &request.files)?;
    if let Some(text) = &request.stdin {
        worker.work_folder.put_stdin(text)?;
    }
    Ok(())
}

/// A run that goes on. Dropping it cancels the run.
#[derive(Debug)]
pub struct Run {
    pub(crate) id: String,
    pub(crate) events: mpsc::UnboundedReceiver<Event>,
    pub(crate) stop: watch::Sender<Stopping>,
    pub(crate) answer: mpsc::UnboundedSender<Reply>,
}

impl Run {
    /// The run's id, as `run_…`.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The next thing that happens; after [`Event::Finished`] there is none.
    pub async fn next(&mut self) -> Option<Event> {
        self.events.recv().await
    }

    /// Raises `KeyboardInterrupt` in the program; one that does not end then is ended.
    pub fn interrupt(&self) {
        self.stop.send_replace(Stopping::Interrupt);
    }

    /// Answers [`Event::InputRequested`] with a line, or with the end of the input.
    pub fn answer_input(&self, id: &str, line: Option<String>) {
        self.reply(id, Answer::Line(line));
    }

    /// Answers [`Event::ToolCall`] with what the function gave, or with the reason why it failed.
    pub fn answer_tool(&self, id: &str, result: Result<serde_json::Value, String>) {
        self.reply(id, Answer::Result(result));
    }

    /// A run that is over takes no answers.
    fn reply(&self, id: &str, answer: Answer) {
        self.answer.send(Reply { id: id.to_owned(), answer }).ok();
    }

    /// Ends the run; its outcome still comes.
    pub fn cancel(&self) {
        self.stop.send_replace(Stopping::Cancel);
    }

    /// Waits for the outcome and leaves out what comes before it.
    pub async fn outcome(&mut self) -> Result<Outcome, Error> {
        while let Some(event) = self.next().await {
            if let Event::Finished { outcome } = event {
                return Ok(*outcome);
            }
        }
        Err(Error::System {
            doing: "wait for the run",
            source: std::io::Error::other("its task ended early"),
        })
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        self.cancel();
    }
}
