//! What an engine is set up with.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use execute_python_protocol::{Action, Category, Ceiling, Limits, Waiver};

use crate::environment::{Definition, Progress};

/// Is told of each step of provisioning, with the name of the environment.
#[derive(Clone)]
pub struct ProgressSink(Arc<Tell>);

type Tell = dyn Fn(&str, &Progress) + Send + Sync;

impl ProgressSink {
    /// A sink that calls this function.
    pub fn new(tell: impl Fn(&str, &Progress) + Send + Sync + 'static) -> Self {
        Self(Arc::new(tell))
    }

    /// Tells of a step.
    pub(crate) fn tell(&self, environment: &str, progress: &Progress) {
        (self.0)(environment, progress);
    }
}

impl fmt::Debug for ProgressSink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProgressSink").finish_non_exhaustive()
    }
}

/// What an engine is set up with. [`Config::default`] is a good start.
#[derive(Debug, Clone)]
pub struct Config {
    /// Where environments are kept; the user's cache when it is not given.
    pub cache_dir: Option<PathBuf>,
    /// The interpreter to build environments from; found on the machine when it is not given.
    pub python: Option<PathBuf>,
    /// What a run gets that asks for nothing.
    pub limits: Limits,
    /// The most that a run may ask for.
    pub ceiling: Ceiling,
    /// Enclosed workers that wait for code, per environment. With 0 each run waits for its own.
    pub pool: usize,
    /// What the monitor does about these categories, whatever a request says, unless it asks for more: a
    /// request may turn `deny` into `interrupt`, not the other way round.
    pub actions: BTreeMap<Category, Action>,
    /// The most sessions of one owner at a time.
    pub sessions: usize,
    /// Walls of the sandbox that are given up; every outcome names them.
    pub waived: Vec<Waiver>,
    /// Environments beside the built-in ones.
    pub environments: Vec<Definition>,
    /// Told of each step of provisioning.
    pub progress: Option<ProgressSink>,
    /// As root, the first of the host's user ids that the sandboxes run as; 65,536 from there on must
    /// be nobody's.
    pub first_user_id: u32,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            cache_dir: None,
            python: None,
            limits: Limits::default(),
            ceiling: Ceiling::default(),
            pool: 2,
            actions: BTreeMap::new(),
            sessions: 500,
            waived: Vec::new(),
            environments: Vec::new(),
            progress: None,
            first_user_id: 1_700_000_000,
        }
    }
}
