//! Whose turn it is in a session: one run at a time, the others wait without taking a place that a run of
//! somebody else could have.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::OwnedMutexGuard;

/// How many sessions may be remembered before those that nobody waits for are forgotten.
const MOST_REMEMBERED: usize = 1_024;

/// The turn of one run. Dropping it passes it on.
pub(crate) type Turn = OwnedMutexGuard<()>;

/// The turns in all sessions.
#[derive(Debug, Default)]
pub(crate) struct Turns(Mutex<HashMap<String, Weak<tokio::sync::Mutex<()>>>>);

impl Turns {
    /// Waits for the turn in a session.
    pub(crate) async fn wait(&self, session: &str) -> Turn {
        self.of(session).lock_owned().await
    }

    fn of(&self, session: &str) -> Arc<tokio::sync::Mutex<()>> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= MOST_REMEMBERED {
            all.retain(|_, turn| turn.strong_count() > 0);
        }
        if let Some(turn) = all.get(session).and_then(Weak::upgrade) {
            return turn;
        }
        let turn = Arc::default();
        all.insert(session.to_owned(), Arc::downgrade(&turn));
        turn
    }
}
