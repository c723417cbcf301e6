//! All sessions of an engine, and the end of those that nobody uses.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use crate::error::Error;
use crate::session::Session;

/// How often sessions that are over are looked for, at least.
const LOOK: Duration = Duration::from_secs(30);

/// The sessions that are open.
#[derive(Debug)]
pub(crate) struct Sessions {
    open: Mutex<HashMap<String, Session>>,
    most: usize,
}

impl Sessions {
    /// None yet; `most` is how many one owner may have.
    pub(crate) fn new(most: usize) -> Sessions {
        Sessions { open: Mutex::default(), most }
    }

    fn open(&self) -> MutexGuard<'_, HashMap<String, Session>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Fails when the owner can have no `more` of them.
    pub(crate) fn must_have_room(&self, owner: Option<&str>, more: usize) -> Result<(), Error> {
        if self.of(owner).len() + more <= self.most {
            Ok(())
        } else {
            Err(Error::TooManySessions(self.most))
        }
    }

    /// Takes a new one, and closes it when its time is up.
    pub(crate) fn add(self: &Arc<Self>, session: Session) {
        self.open().insert(session.id().to_owned(), session.clone());
        tokio::spawn(end_in_time(Arc::downgrade(self), session));
    }

    /// The open one of this id.
    pub(crate) fn find(&self, id: &str) -> Option<Session> {
        self.open().get(id).filter(|session| !session.is_over()).cloned()
    }

    /// How many are open.
    pub(crate) fn count(&self) -> usize {
        self.open().len()
    }

    /// The open ones of an owner, oldest first.
    pub(crate) fn of(&self, owner: Option<&str>) -> Vec<Session> {
        let mut own: Vec<_> = self
            .open()
            .values()
            .filter(|session| session.owner() == owner && !session.is_over())
            .cloned()
            .collect();
        own.sort_by_key(|session| session.info().created_at);
        own
    }

    /// Closes every one.
    pub(crate) async fn close_all(&self) {
        let all: Vec<Session> = self.open().drain().map(|(_, session)| session).collect();
        for session in all {
            session.close().await;
        }
    }
}

/// Closes a session when its time is up, and forgets one that is over.
async fn end_in_time(sessions: Weak<Sessions>, session: Session) {
    while !session.is_over() {
        let left = session.expires_in();
        if left.is_zero() {
            session.clone().close().await;
            break;
        }
        tokio::time::sleep(left.min(LOOK)).await;
    }
    if let Some(sessions) = sessions.upgrade() {
        sessions.open().remove(session.id());
    }
}
