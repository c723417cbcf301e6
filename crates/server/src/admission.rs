//! Who may run now, who waits, and who is turned away.
//!
//! A run needs a [`Permit`]. When all are given out, runs wait: each tenant in a line of its own, and
//! the lines are served in turn, so that one tenant's thousand runs delay another's by one. What is
//! over a tenant's quota, or finds the lines full, is turned away at once. Runs under way are never
//! touched.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::http::StatusCode;
use jiff::Timestamp;
use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::config::{Config, Quota};
use crate::problem::Problem;

/// When to try again where nobody can know.
const MOMENT: Duration = Duration::from_secs(1);

/// Gives permits to run. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Admission(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    quota: Quota,
    quotas: BTreeMap<String, Quota>,
    running: usize,
    most_running: usize,
    waiting: usize,
    most_waiting: usize,
    closed: bool,
    tenants: HashMap<String, Tenant>,
    /// Tenants whose line is not empty, the next one first.
    turns: VecDeque<String>,
}

#[derive(Debug)]
struct Tenant {
    quota: Quota,
    running: usize,
    line: VecDeque<oneshot::Sender<()>>,
    /// Runs that may start now, and when that was worked out.
    tokens: f64,
    filled_at: Instant,
    /// The day that processor time is counted for, and how much it was.
    day: i64,
    cpu: Duration,
}

/// How long a run may wait for its turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Patience {
    /// A client waits: so long, and only while the lines are not full.
    Client(Duration),
    /// It was accepted before, and nobody waits.
    Background,
}

/// How many run and wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Load {
    pub(crate) running: usize,
    pub(crate) waiting: usize,
}

impl Admission {
    pub(crate) fn new(config: &Config) -> Self {
        Self(Arc::new(Mutex::new(State {
            quota: config.quota,
            quotas: config.tenants.clone(),
            running: 0,
            most_running: config.most_running(),
            waiting: 0,
            most_waiting: config.queued_runs,
            closed: false,
            tenants: HashMap::new(),
            turns: VecDeque::new(),
        })))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a run against the tenant's quotas of runs a minute and of processor time.
    pub(crate) fn count(&self, tenant: &str) -> Result<(), Problem> {
        let mut state = self.state();
        if state.closed {
            return Err(stopping());
        }
        state.tenant(tenant).count()
    }

    /// Waits for the right to run.
    pub(crate) async fn permit(&self, tenant: &str, patience: Patience) -> Result<Permit, Problem> {
        let Some(turn) = self.enter(tenant, patience)? else {
            return Ok(Permit { admission: self.clone(), tenant: tenant.to_owned() });
        };
        let waiting = Waiting { admission: self.clone(), tenant: tenant.to_owned(), turn };
        match patience {
            Patience::Background => waiting.permit().await.ok_or_else(stopping),
            Patience::Client(longest) => match timeout(longest, waiting.permit()).await {
                Ok(permit) => permit.ok_or_else(stopping),
                Err(_) => {
                    Err(busy("queue_timeout", "no place to run became free in time", longest))
                }
            },
        }
    }

    /// Takes a place, or a place in the line.
    fn enter(
        &self,
        tenant: &str,
        patience: Patience,
    ) -> Result<Option<oneshot::Receiver<()>>, Problem> {
        let mut state = self.state();
        if state.closed {
            return Err(stopping());
        }
        let Load { running, waiting } = state.load();
        let (place, room) = (running < state.most_running, waiting < state.most_waiting);
        let own = state.tenant(tenant);
        if place && own.may_run() && own.line.is_empty() {
            own.running += 1;
            state.running += 1;
            return Ok(None);
        }
        if patience != Patience::Background {
            if !own.may_run() {
                let detail = format!("{} runs of this tenant go on already", own.running);
                return Err(busy("quota_concurrent_runs", detail, MOMENT));
            }
            if !room {
                let detail = format!("{running} runs go on and {waiting} wait");
                return Err(busy("queue_full", detail, MOMENT));
            }
        }
        let (give, turn) = oneshot::channel();
        let first = own.line.is_empty();
        own.line.push_back(give);
        state.waiting += 1;
        if first {
            state.turns.push_back(tenant.to_owned());
        }
        Ok(Some(turn))
    }

    /// Adds to the processor time that a tenant used today.
    pub(crate) fn used(&self, tenant: &str, cpu: Duration) {
        let mut state = self.state();
        let tenant = state.tenant(tenant);
        tenant.today();
        tenant.cpu += cpu;
    }

    /// From now on nobody gets in, and nobody waits.
    pub(crate) fn close(&self) {
        let mut state = self.state();
        state.closed = true;
        state.turns.clear();
        state.waiting = 0;
        for tenant in state.tenants.values_mut() {
            tenant.line.clear();
        }
    }

    /// Whether nobody gets in any more.
    pub(crate) fn is_closed(&self) -> bool {
        self.state().closed
    }

    pub(crate) fn load(&self) -> Load {
        self.state().load()
    }
}

impl State {
    fn load(&self) -> Load {
        Load { running: self.running, waiting: self.waiting }
    }

    fn tenant(&mut self, name: &str) -> &mut Tenant {
        if !self.tenants.contains_key(name) {
            let quota = self.quotas.get(name).copied().unwrap_or(self.quota);
            self.tenants.insert(name.to_owned(), Tenant::new(quota));
        }
        // It is there now.
        self.tenants.entry(name.to_owned()).or_insert_with(|| Tenant::new(Quota::default()))
    }

    /// Gives free places to those whose turn it is.
    fn pass_on(&mut self) {
        let mut passed_over = 0;
        while self.running < self.most_running && passed_over < self.turns.len() {
            let Some(name) = self.turns.pop_front() else { return };
            let Some(tenant) = self.tenants.get_mut(&name) else { continue };
            if !tenant.may_run() {
                passed_over += 1;
                self.turns.push_back(name);
                continue;
            }
            passed_over = 0;
            if let Some(give) = tenant.line.pop_front() {
                self.waiting -= 1;
                // Who does not wait any more has left the line, so this arrives.
                if give.send(()).is_ok() {
                    tenant.running += 1;
                    self.running += 1;
                }
            }
            if !tenant.line.is_empty() {
                self.turns.push_back(name);
            }
        }
    }
}

impl Tenant {
    fn new(quota: Quota) -> Self {
        Self {
            quota,
            running: 0,
            line: VecDeque::new(),
            tokens: quota.runs_per_minute.map_or(0.0, f64::from),
            filled_at: Instant::now(),
            day: today(),
            cpu: Duration::ZERO,
        }
    }

    fn may_run(&self) -> bool {
        self.quota.concurrent_runs.is_none_or(|most| self.running < most)
    }

    fn count(&mut self) -> Result<(), Problem> {
        self.today();
        if let Some(seconds) = self.quota.cpu_seconds_per_day
            && self.cpu >= Duration::from_secs(seconds)
        {
            let detail = format!("the {seconds} s of processor time of today are used up");
            return Err(busy("quota_cpu_seconds_per_day", detail, until_tomorrow()));
        }
        let Some(most) = self.quota.runs_per_minute.map(f64::from) else { return Ok(()) };
        let passed = self.filled_at.elapsed().as_secs_f64();
        self.tokens = (self.tokens + passed * most / 60.0).min(most);
        self.filled_at = Instant::now();
        if self.tokens < 1.0 {
            let wait = Duration::from_secs_f64((1.0 - self.tokens) * 60.0 / most.max(1.0));
            let detail = format!("more than {most} runs in a minute");
            return Err(busy("quota_runs_per_minute", detail, wait));
        }
        self.tokens -= 1.0;
        Ok(())
    }

    /// Begins to count anew when the day is another one.
    fn today(&mut self) {
        let day = today();
        if self.day != day {
            self.day = day;
            self.cpu = Duration::ZERO;
        }
    }
}

/// The right to run. Dropping it passes the place on.
#[derive(Debug)]
pub(crate) struct Permit {
    admission: Admission,
    tenant: String,
}

impl Drop for Permit {
    fn drop(&mut self) {
        let mut state = self.admission.state();
        state.running -= 1;
        state.tenant(&self.tenant).running -= 1;
        state.pass_on();
    }
}

/// A place in the line.
struct Waiting {
    admission: Admission,
    tenant: String,
    turn: oneshot::Receiver<()>,
}

impl Waiting {
    /// Waits for the turn; `None` when the service stops before.
    async fn permit(mut self) -> Option<Permit> {
        (&mut self.turn).await.ok()?;
        Some(Permit { admission: self.admission.clone(), tenant: self.tenant.clone() })
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        let mut state = self.admission.state();
        self.turn.close();
        if self.turn.try_recv().is_ok() {
            // The place was given, and nobody is here to take it.
            drop(state);
            drop(Permit { admission: self.admission.clone(), tenant: self.tenant.clone() });
            return;
        }
        let tenant = state.tenant(&self.tenant);
        let before = tenant.line.len();
        tenant.line.retain(|give| !give.is_closed());
        let left = before - tenant.line.len();
        state.waiting -= left;
    }
}

/// The number of the day, UTC.
fn today() -> i64 {
    Timestamp::now().as_second().div_euclid(86_400)
}

fn until_tomorrow() -> Duration {
    let left = 86_400 - Timestamp::now().as_second().rem_euclid(86_400);
    Duration::from_secs(left.unsigned_abs())
}

fn busy(code: &'static str, detail: impl Into<String>, wait: Duration) -> Problem {
    Problem::new(StatusCode::TOO_MANY_REQUESTS, code, detail).retry_after(wait)
}

/// Nothing new is taken.
pub(crate) fn stopping() -> Problem {
    Problem::new(StatusCode::SERVICE_UNAVAILABLE, "stopping", "the service is stopping")
        .retry_after(MOMENT)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATIENT: Patience = Patience::Client(Duration::from_secs(10));

    fn admission(concurrent_runs: usize, queued_runs: usize, quota: Quota) -> Admission {
        let concurrent_runs = Some(concurrent_runs);
        Admission::new(&Config { concurrent_runs, queued_runs, quota, ..Config::default() })
    }

    fn waits(admission: &Admission, tenant: &'static str) -> tokio::task::JoinHandle<Permit> {
        let admission = admission.clone();
        tokio::spawn(async move { admission.permit(tenant, PATIENT).await.unwrap() })
    }

    /// Waits until so many stand in the lines.
    async fn until_waiting(admission: &Admission, count: usize) {
        while admission.load().waiting != count {
            tokio::task::yield_now().await;
        }
    }

    #[tokio::test]
    async fn one_tenants_many_runs_delay_another_ones_by_one() {
        let admission = admission(1, 100, Quota::default());
        let permit = admission.permit("a", PATIENT).await.unwrap();
        let many: Vec<_> = (0..50).map(|_| waits(&admission, "a")).collect();
        until_waiting(&admission, 50).await;
        let one = waits(&admission, "b");
        until_waiting(&admission, 51).await;
        drop(permit);
        // The first of `a`, which came before, and then `b`.
        let mut many = many.into_iter();
        drop(many.next().unwrap().await.unwrap());
        drop(one.await.unwrap());
        assert_eq!(admission.load().waiting, 48);
    }

    #[tokio::test]
    async fn a_full_line_turns_away_at_once() {
        let admission = admission(1, 1, Quota::default());
        let _permit = admission.permit("a", PATIENT).await.unwrap();
        let _waits = waits(&admission, "a");
        until_waiting(&admission, 1).await;
        let refused = admission.permit("b", PATIENT).await.unwrap_err();
        assert_eq!(refused.status(), StatusCode::TOO_MANY_REQUESTS);
    }

    #[tokio::test]
    async fn who_leaves_the_line_leaves_no_gap() {
        let admission = admission(1, 100, Quota::default());
        let permit = admission.permit("a", PATIENT).await.unwrap();
        let left = waits(&admission, "a");
        until_waiting(&admission, 1).await;
        left.abort();
        assert!(left.await.is_err());
        assert_eq!(admission.load(), Load { running: 1, waiting: 0 });
        drop(permit);
        assert_eq!(admission.load(), Load { running: 0, waiting: 0 });
    }

    #[tokio::test]
    async fn a_tenant_at_its_quota_stops_nobody_else() {
        let quota = Quota { concurrent_runs: Some(1), ..Quota::default() };
        let admission = admission(2, 100, quota);
        let first = admission.permit("a", PATIENT).await.unwrap();
        assert!(admission.permit("a", PATIENT).await.is_err());
        let later = admission.clone();
        let later =
            tokio::spawn(async move { later.permit("a", Patience::Background).await.unwrap() });
        until_waiting(&admission, 1).await;
        drop(admission.permit("b", PATIENT).await.unwrap());
        drop(first);
        drop(later.await.unwrap());
        assert_eq!(admission.load(), Load { running: 0, waiting: 0 });
    }

    #[test]
    fn runs_of_a_minute_and_time_of_a_day_are_counted() {
        let quota =
            Quota { runs_per_minute: Some(2), cpu_seconds_per_day: Some(1), ..Quota::default() };
        let admission = admission(1, 1, quota);
        assert!(admission.count("a").is_ok());
        assert!(admission.count("a").is_ok());
        assert!(admission.count("a").is_err());
        assert!(admission.count("b").is_ok());
        admission.used("b", Duration::from_secs(1));
        assert!(admission.count("b").is_err());
    }
}
