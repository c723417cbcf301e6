//! One environment in use: its zygote, and enclosed workers that wait for code.

use std::sync::{Arc, Mutex, PoisonError};

use execute_python_protocol::Limits;

use crate::error::Error;
use crate::groups::Groups;
use crate::worker::Worker;
use crate::zygote::{Purpose, Setting, Zygote};

/// How many workers a zygote forks before it is renewed: its children share its address layout and
/// hash seed.
const FORKS_OF_ONE_ZYGOTE: u64 = 50_000;

/// The zygote and the waiting workers of one environment.
#[derive(Debug)]
pub(crate) struct Pool {
    setting: Setting,
    groups: Option<Arc<Groups>>,
    /// What waiting workers are enclosed with.
    limits: Limits,
    size: usize,
    zygote: tokio::sync::Mutex<Option<(Arc<Zygote>, u64)>>,
    waiting: Mutex<Vec<Worker>>,
    /// Held by whoever fills the pool, so that one does.
    filling: tokio::sync::Mutex<()>,
}

impl Pool {
    pub(crate) fn new(
        setting: Setting,
        groups: Option<Arc<Groups>>,
        limits: Limits,
        size: usize,
    ) -> Self {
        Self {
            setting,
            groups,
            limits,
            size,
            zygote: tokio::sync::Mutex::default(),
            waiting: Mutex::default(),
            filling: tokio::sync::Mutex::default(),
        }
    }

    /// A worker with these limits, from those that wait if they were enclosed with the same.
    pub(crate) async fn lease(&self, limits: &Limits) -> Result<Worker, Error> {
        if same_walls(limits, &self.limits)
            && let Some(worker) = self.take_waiting()
        {
            return Ok(worker);
        }
        self.fork_surely(limits, Purpose::Run).await
    }

    /// A worker that is to become the keeper of a session with these limits.
    pub(crate) async fn lease_for_session(&self, limits: &Limits) -> Result<Worker, Error> {
        self.fork_surely(limits, Purpose::Session).await
    }

    /// The zygote may have died since it was last used: a new one is tried once.
    async fn fork_surely(&self, limits: &Limits, purpose: Purpose) -> Result<Worker, Error> {
        match self.fork(limits, purpose).await {
            Err(Error::Worker { .. }) if !self.is_alive().await => self.fork(limits, purpose).await,
            other => other,
        }
    }

    fn take_waiting(&self) -> Option<Worker> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }

    async fn fork(&self, limits: &Limits, purpose: Purpose) -> Result<Worker, Error> {
        let zygote = self.zygote().await?;
        Worker::start(zygote.shared(), limits, purpose).await
    }

    async fn is_alive(&self) -> bool {
        self.zygote.lock().await.as_ref().is_some_and(|(zygote, _)| zygote.is_alive())
    }

    /// The zygote, started if there is none that can fork, and renewed now and then.
    async fn zygote(&self) -> Result<Arc<Zygote>, Error> {
        let mut slot = self.zygote.lock().await;
        if let Some((zygote, forks)) = slot.as_mut()
            && zygote.is_alive()
            && *forks < FORKS_OF_ONE_ZYGOTE
        {
            *forks += 1;
            return Ok(Arc::clone(zygote));
        }
        let started = Zygote::start(self.setting.clone(), self.groups.clone()).await?;
        let zygote = Arc::new(started);
        *slot = Some((Arc::clone(&zygote), 1));
        Ok(zygote)
    }

    /// Fills the pool up, unless somebody else does.
    pub(crate) async fn fill(&self) -> Result<(), Error> {
        let Ok(_filling) = self.filling.try_lock() else { return Ok(()) };
        while self.missing() > 0 {
            let worker = self.fork(&self.limits, Purpose::Pool).await?;
            self.waiting.lock().unwrap_or_else(PoisonError::into_inner).push(worker);
        }
        Ok(())
    }

    /// How many workers wait for code.
    pub(crate) fn waiting(&self) -> usize {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// How many workers the pool lacks.
    pub(crate) fn missing(&self) -> usize {
        self.size.saturating_sub(self.waiting())
    }

    /// Ends the zygote and every worker.
    pub(crate) async fn stop(&self) {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).clear();
        if let Some((zygote, _)) = self.zygote.lock().await.take() {
            zygote.stop().await;
        }
    }
}

/// Whether two runs differ in nothing that a worker is enclosed with. Wall time and output are
/// watched from outside; processor time too, with a wall behind it that counts in whole seconds.
fn same_walls(a: &Limits, b: &Limits) -> bool {
    let walls = |limits: &Limits| Limits { wall_time_ms: 0, output_bytes: 0, ..*limits };
    walls(a) == walls(b)
}
