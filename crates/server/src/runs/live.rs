//! The runs that go on, so that other requests can reach them.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::mpsc;

/// What another request has a run do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Command {
    /// End; the outcome still comes.
    Cancel,
}

/// The runs that go on.
#[derive(Debug, Default)]
pub(crate) struct Live {
    runs: Mutex<HashMap<String, LiveRun>>,
}

#[derive(Debug)]
struct LiveRun {
    tenant: String,
    commands: mpsc::UnboundedSender<Command>,
}

impl Live {
    /// Adds a run; gives what it is told by others.
    pub(crate) fn add(&self, tenant: &str, id: &str) -> mpsc::UnboundedReceiver<Command> {
        let (commands, told) = mpsc::unbounded_channel();
        self.runs().insert(id.to_owned(), LiveRun { tenant: tenant.to_owned(), commands });
        told
    }

    /// Removes a run that is over.
    pub(crate) fn remove(&self, id: &str) {
        self.runs().remove(id);
    }

    /// Cancels a run of the tenant's; `false` when there is none that goes on.
    pub(crate) fn cancel(&self, tenant: &str, id: &str) -> bool {
        let runs = self.runs();
        let found = runs.get(id).filter(|run| run.tenant == tenant);
        found.is_some_and(|run| run.commands.send(Command::Cancel).is_ok())
    }

    /// Cancels every run.
    pub(crate) fn cancel_all(&self) {
        for run in self.runs().values() {
            // One that is just over needs no word.
            run.commands.send(Command::Cancel).ok();
        }
    }

    fn runs(&self) -> MutexGuard<'_, HashMap<String, LiveRun>> {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
