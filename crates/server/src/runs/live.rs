//! The runs that wait or go on, so that other requests can reach them.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use serde_json::Value;
use tokio::sync::{mpsc, watch};

/// How long the events of a run that is over are kept for those who come late, and how many bytes of all
/// such runs together.
const EVENTS_KEPT: Duration = Duration::from_mins(5);
const MOST_KEPT: usize = 256 << 20;

/// What another request has a run do.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Command {
    /// End; the outcome still comes.
    Cancel,
    /// End without an outcome: the service stops, and the run is carried out anew by the next one.
    Abandon,
    /// Take a line of input that the program waits for, or the end of it.
    Input { id: String, text: Option<String> },
    /// Take what a function gave that the program called, or why it failed.
    ToolResult { id: String, result: Result<Value, String> },
}

/// The runs that wait or go on.
#[derive(Debug, Default)]
pub(crate) struct Live {
    runs: Mutex<HashMap<String, LiveRun>>,
    /// Background runs that are not over.
    background: AtomicUsize,
    /// The bytes of the events of those that are over.
    kept: AtomicUsize,
}

#[derive(Debug)]
struct LiveRun {
    tenant: String,
    session: Option<String>,
    commands: mpsc::UnboundedSender<Command>,
    followed: Option<Arc<Followed>>,
}

/// What is here of a run.
#[derive(Debug)]
pub(crate) enum Found {
    /// It waits, goes on, or was over a short time ago, and its events are kept.
    Followed(Arc<Followed>),
    /// It goes on, and a client takes its events.
    Attended,
    /// Nothing.
    Nothing,
}

impl Live {
    /// Adds a run that a client waits for; gives what it is told by others.
    pub(crate) fn add(&self, tenant: &str, id: &str) -> mpsc::UnboundedReceiver<Command> {
        self.insert(tenant, id, None)
    }

    /// Adds a run that nobody waits for, and whose events are kept.
    pub(crate) fn add_followed(
        &self,
        tenant: &str,
        id: &str,
    ) -> (mpsc::UnboundedReceiver<Command>, Arc<Followed>) {
        self.background.fetch_add(1, Ordering::Relaxed);
        let followed = Arc::new(Followed::default());
        (self.insert(tenant, id, Some(Arc::clone(&followed))), followed)
    }

    fn insert(
        &self,
        tenant: &str,
        id: &str,
        followed: Option<Arc<Followed>>,
    ) -> mpsc::UnboundedReceiver<Command> {
        let (commands, told) = mpsc::unbounded_channel();
        let run = LiveRun { tenant: tenant.to_owned(), session: None, commands, followed };
        self.runs().insert(id.to_owned(), run);
        told
    }

    /// Removes a run.
    pub(crate) fn remove(&self, id: &str) {
        self.runs().remove(id);
    }

    /// How many background runs are not over.
    pub(crate) fn count_background(&self) -> usize {
        self.background.load(Ordering::Relaxed)
    }

    /// Says that a followed run is over. Its events can be had for some more time, unless those of others
    /// take too much memory already.
    pub(crate) async fn end_followed(&self, id: &str, followed: &Followed) {
        self.background.fetch_sub(1, Ordering::Relaxed);
        let bytes = followed.bytes();
        followed.end();
        if self.kept.fetch_add(bytes, Ordering::Relaxed) + bytes <= MOST_KEPT {
            tokio::time::sleep(EVENTS_KEPT).await;
        }
        self.kept.fetch_sub(bytes, Ordering::Relaxed);
        self.remove(id);
    }

    /// Tells a run of the tenant's; `false` when there is none that waits or goes on.
    pub(crate) fn tell(&self, tenant: &str, id: &str, command: Command) -> bool {
        let runs = self.runs();
        let found = runs.get(id).filter(|run| run.tenant == tenant);
        found.is_some_and(|run| run.commands.send(command).is_ok())
    }

    /// Notes that a run goes on in a session.
    pub(crate) fn enter(&self, id: &str, session: &str) {
        if let Some(run) = self.runs().get_mut(id) {
            run.session = Some(session.to_owned());
        }
    }

    /// Tells the run that goes on in a session; `false` when none does.
    pub(crate) fn tell_session(&self, session: &str, command: Command) -> bool {
        let runs = self.runs();
        let found = runs.values().find(|run| run.session.as_deref() == Some(session));
        found.is_some_and(|run| run.commands.send(command).is_ok())
    }

    /// What is here of a run of the tenant's.
    pub(crate) fn find(&self, tenant: &str, id: &str) -> Found {
        let runs = self.runs();
        match runs.get(id).filter(|run| run.tenant == tenant) {
            Some(LiveRun { followed: Some(followed), .. }) => Found::Followed(Arc::clone(followed)),
            Some(_) => Found::Attended,
            None => Found::Nothing,
        }
    }

    /// Ends every run: those that a client waits for are cancelled, the others abandoned.
    pub(crate) fn end_all(&self) {
        for run in self.runs().values() {
            let command = if run.followed.is_some() { Command::Abandon } else { Command::Cancel };
            // One that is just over needs no word.
            run.commands.send(command).ok();
        }
    }

    fn runs(&self) -> MutexGuard<'_, HashMap<String, LiveRun>> {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A run whose events are kept for whoever comes to see them.
#[derive(Debug)]
pub(crate) struct Followed {
    /// The events as JSON, in order.
    events: Mutex<Vec<Bytes>>,
    progress: watch::Sender<Progress>,
}

/// How far a followed run is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Progress {
    /// How many events there are.
    pub(crate) events: usize,
    /// Whether it has started.
    pub(crate) started: bool,
    /// Whether it is over.
    pub(crate) over: bool,
}

impl Default for Followed {
    fn default() -> Self {
        Self { events: Mutex::default(), progress: watch::Sender::new(Progress::default()) }
    }
}

impl Followed {
    /// Keeps an event.
    pub(crate) fn push(&self, event: Bytes) {
        let count = {
            let mut events = self.events.lock().unwrap_or_else(PoisonError::into_inner);
            events.push(event);
            events.len()
        };
        self.progress.send_modify(|progress| {
            progress.events = count;
            progress.started = true;
        });
    }

    fn bytes(&self) -> usize {
        let events = self.events.lock().unwrap_or_else(PoisonError::into_inner);
        events.iter().map(Bytes::len).sum()
    }

    /// Says that no more events come.
    fn end(&self) {
        self.progress.send_modify(|progress| progress.over = true);
    }

    /// The event at this place, from 0.
    pub(crate) fn event(&self, at: usize) -> Option<Bytes> {
        self.events.lock().unwrap_or_else(PoisonError::into_inner).get(at).cloned()
    }

    /// How far it is, now and from now on.
    pub(crate) fn progress(&self) -> watch::Receiver<Progress> {
        self.progress.subscribe()
    }
}
