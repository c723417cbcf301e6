//! The calls that a filter hands over, to whoever is to answer them.
//!
//! All processes of a session and of its branches have one filter, and so one listener; each call belongs
//! to whoever watches over the process that made it.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::{Mutex, PoisonError};

use execute_python_sys::Pid;
use execute_python_sys::seccomp::{self, HOLD, Notification};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use tokio::io::unix::AsyncFd;
use tokio::sync::Notify;

use crate::channel::watch;

/// The calls of all processes under one filter.
#[derive(Debug)]
pub(crate) struct Calls {
    listener: AsyncFd<OwnedFd>,
    /// Calls that somebody took who was not to answer them. Held while one is received, too: receiving
    /// blocks when there is none.
    waiting: Mutex<Vec<Notification>>,
    more: Notify,
}

/// Whose calls are asked for.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Whose<'a> {
    /// Anybody's: there is nobody else who answers.
    All,
    /// Those of these processes and of their children.
    Of(&'a [Pid]),
}

/// What a listener has now.
enum Now {
    Call(Notification),
    Nothing,
    /// Its processes are gone.
    Over,
}

impl Calls {
    pub(crate) fn new(listener: OwnedFd) -> io::Result<Calls> {
        let (waiting, more) = (Mutex::default(), Notify::new());
        Ok(Calls { listener: watch(listener)?, waiting, more })
    }

    /// Where calls are answered.
    pub(crate) fn listener(&self) -> &OwnedFd {
        self.listener.get_ref()
    }

    /// The next call; waits for ever when nobody can make one any more. Cancel safe.
    pub(crate) async fn next(&self, whose: Whose<'_>) -> Notification {
        loop {
            let more = self.more.notified();
            if let Some(call) = self.take_waiting(whose) {
                return call;
            }
            tokio::select! {
                () = more => {}
                ready = self.listener.readable() => {
                    let Ok(mut ready) = ready else { return std::future::pending().await };
                    match self.receive() {
                        Now::Call(call) if whose.includes(&call) => return call,
                        Now::Call(call) => self.leave(call),
                        Now::Nothing => ready.clear_ready(),
                        // The runtime says for ever that a closed descriptor is ready.
                        Now::Over => return std::future::pending().await,
                    }
                }
            }
        }
    }

    fn take_waiting(&self, whose: Whose<'_>) -> Option<Notification> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let found = waiting.iter().position(|call| whose.includes(call))?;
        Some(waiting.swap_remove(found))
    }

    fn leave(&self, call: Notification) {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).push(call);
        self.more.notify_waiters();
    }

    fn receive(&self) -> Now {
        let _alone = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let listener = self.listener.get_ref();
        let mut waits = [PollFd::new(listener, PollFlags::IN)];
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        if poll(&mut waits, Some(&now)).is_err() {
            return Now::Nothing;
        }
        let events = waits[0].revents();
        if events.intersects(PollFlags::HUP | PollFlags::ERR) {
            return Now::Over;
        }
        if !events.contains(PollFlags::IN) {
            return Now::Nothing;
        }
        // The process may have died in between: then there is nothing to decide.
        seccomp::receive(listener).map_or(Now::Nothing, Now::Call)
    }
}

impl Whose<'_> {
    /// Whether a call was made by a thread of one of the processes, or is the first that a child of one
    /// makes: the one that holds it. A child that has gone on has somebody else who answers.
    fn includes(self, call: &Notification) -> bool {
        let Whose::Of(processes) = self else { return true };
        let is_one = |number: i32| processes.iter().any(|process| process.as_raw() == number);
        let caller = i32::try_from(call.pid).unwrap_or(0);
        if is_one(caller) {
            return true;
        }
        let status = std::fs::read_to_string(format!("/proc/{caller}/status")).unwrap_or_default();
        let number = |name: &str| {
            status.lines().find_map(|line| line.strip_prefix(name)?.trim().parse::<i32>().ok())
        };
        let holds = call.arguments[0] == u64::from(HOLD);
        number("Tgid:").is_some_and(is_one) || holds && number("PPid:").is_some_and(is_one)
    }
}
