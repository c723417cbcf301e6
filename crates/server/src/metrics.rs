//! What is counted, for Prometheus: how long runs take in each phase, how they end, and what waits.

use std::time::Duration;

use axum::extract::State;
use axum::http::Method;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use execute_python_engine::protocol::Outcome;
use prometheus_client::encoding::{EncodeLabelSet, text};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

use crate::api::{Api, Operation};
use crate::auth::Access;
use crate::keys::Scope;
use crate::problem::Problem;
use crate::service::Service;

const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
/// From a tenth of a millisecond to five minutes.
const SECONDS: [f64; 18] = [
    0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5,
    5.0, 15.0, 60.0, 300.0,
];

pub(crate) fn routes(api: Api) -> Api {
    let access = Access::Needs(Scope::Metrics);
    let all = Operation::new(Method::GET, "/metrics", access, "Gives the metrics");
    api.route(all.gives_media(200, "application/openmetrics-text"), metrics)
}

/// Everything that is counted.
#[derive(Debug)]
pub(crate) struct Metrics {
    registry: Registry,
    runs: Family<Ended, Counter>,
    phases: Family<Phase, Histogram, fn() -> Histogram>,
    violations: Family<Seen, Counter>,
    requests: Family<Answered, Counter>,
    running: Gauge,
    queued: Gauge,
    pool: Family<Environment, Gauge>,
    sessions: Gauge,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Ended {
    environment: String,
    status: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Phase {
    environment: String,
    phase: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Seen {
    environment: String,
    category: String,
    action: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Answered {
    method: String,
    route: &'static str,
    status: u16,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Environment {
    environment: String,
}

/// How long a run took before its code was running, and in all.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Times {
    /// Waiting for its turn.
    pub(crate) queue: Duration,
    /// Until a worker had the code.
    pub(crate) start: Duration,
    /// From the request to the end of the run.
    pub(crate) whole: Duration,
}

impl Metrics {
    pub(crate) fn new() -> Self {
        let mut metrics = Self {
            registry: Registry::with_prefix("execute_python"),
            runs: Family::default(),
            phases: Family::new_with_constructor(|| Histogram::new(SECONDS)),
            violations: Family::default(),
            requests: Family::default(),
            running: Gauge::default(),
            queued: Gauge::default(),
            pool: Family::default(),
            sessions: Gauge::default(),
        };
        let registry = &mut metrics.registry;
        registry.register("runs", "Runs that are over", metrics.runs.clone());
        let help = "Seconds that runs took: queue, start, run, and whole";
        registry.register("run_seconds", help, metrics.phases.clone());
        let help = "Forbidden attempts that were kept in outcomes";
        registry.register("violations", help, metrics.violations.clone());
        registry.register("http_requests", "Requests that were answered", metrics.requests.clone());
        registry.register("running", "Runs that go on", metrics.running.clone());
        registry.register("queued", "Runs that wait for their turn", metrics.queued.clone());
        registry.register("pool", "Enclosed workers that wait for code", metrics.pool.clone());
        registry.register("sessions", "Sessions that are open", metrics.sessions.clone());
        metrics
    }

    /// A run has started.
    pub(crate) fn started(&self) {
        self.running.inc();
    }

    /// A run is over, with an outcome or without.
    pub(crate) fn ended(&self) {
        self.running.dec();
    }

    /// A run told its outcome.
    pub(crate) fn told(&self, outcome: &Outcome, times: Times) {
        let environment = || outcome.environment.clone();
        let status = outcome.status.as_str();
        self.runs.get_or_create(&Ended { environment: environment(), status }).inc();
        let run = Duration::try_from_secs_f64(outcome.usage.wall_time_ms / 1e3).unwrap_or_default();
        for (phase, time) in
            [("queue", times.queue), ("start", times.start), ("run", run), ("whole", times.whole)]
        {
            let labels = Phase { environment: environment(), phase };
            self.phases.get_or_create(&labels).observe(time.as_secs_f64());
        }
        for violation in &outcome.violations {
            let labels = Seen {
                environment: environment(),
                category: word(&violation.category),
                action: word(&violation.action),
            };
            self.violations.get_or_create(&labels).inc();
        }
    }

    /// A request was answered.
    pub(crate) fn answered(&self, method: &Method, route: &'static str, status: u16) {
        let labels = Answered { method: method.to_string(), route, status };
        self.requests.get_or_create(&labels).inc();
    }

    /// How many runs go on.
    pub(crate) fn running(&self) -> usize {
        usize::try_from(self.running.get()).unwrap_or_default()
    }

    fn look(&self, service: &Service) {
        let count = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
        self.queued.set(count(service.admission().load().waiting));
        self.sessions.set(count(service.engine().session_count()));
        for (environment, waiting) in service.engine().pools() {
            self.pool.get_or_create(&Environment { environment }).set(count(waiting));
        }
    }
}

/// The word of something on the wire.
fn word(value: &impl serde::Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        _ => String::new(),
    }
}

async fn metrics(State(service): State<Service>) -> Result<Response, Problem> {
    let metrics = service.metrics();
    metrics.look(&service);
    let mut told = String::new();
    let encoded = text::encode(&mut told, &metrics.registry);
    encoded.map_err(|error| Problem::ours("write the metrics", &error))?;
    Ok(([(CONTENT_TYPE, OPEN_METRICS)], told).into_response())
}
