//! A run as a part of a session: which calls of its process the engine lets through, and the frozen copy
//! that the process leaves before the run.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;

use execute_python_sandbox::filter;
use execute_python_sys::Pid;
use execute_python_sys::process::FORK_FLAGS;
use execute_python_sys::seccomp::{self, HOLD, Notification};

use crate::worker::Process;

/// What the engine is prepared for in a run.
#[derive(Debug)]
pub(crate) struct Part {
    /// The process that runs the cell, as this process's pid namespace and as the session's number it.
    process: Pid,
    own_number: i32,
    /// How many copies may still be made.
    copies: usize,
    /// Whether one was let through and has not shown itself.
    awaited: usize,
    /// The copies that showed themselves.
    pub(crate) held: Vec<Held>,
    /// Why there is no copy, where one was wanted.
    pub(crate) refused: Option<Refused>,
}

/// Why a process could not be copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refused {
    /// It has threads, which a copy would not have.
    Threads,
    /// The kernel did not make one.
    Kernel,
}

/// A process that waits in the kernel until the engine answers its call.
#[derive(Debug)]
pub(crate) struct Held {
    /// The call.
    pub(crate) call: u64,
    /// The process.
    pub(crate) process: Process,
    /// Its number in the session's own pid namespace.
    pub(crate) own_number: i32,
}

impl Part {
    /// Prepares for a run in this process that may leave `copies` copies of itself.
    pub(crate) fn new(process: Pid, own_number: i32, copies: usize) -> Part {
        Part { process, own_number, copies, awaited: 0, held: Vec::new(), refused: None }
    }

    /// The process that runs the cell.
    pub(crate) fn process(&self) -> Pid {
        self.process
    }

    /// Whether a copy was let through and has not shown itself.
    pub(crate) fn is_awaiting(&self) -> bool {
        self.awaited > 0
    }

    /// Gives up on a copy that was let through and has not shown itself: the kernel may have made none.
    pub(crate) fn give_up(&mut self) {
        self.awaited = 0;
        self.refused = Some(Refused::Kernel);
    }

    /// Answers a call if it is one of those that belong to a session; else it is for the monitor.
    ///
    /// Each decision rests on who calls and on the values of registers.
    pub(crate) fn permits(&mut self, listener: &OwnedFd, call: &Notification) -> bool {
        let caller = i32::try_from(call.pid).ok().and_then(Pid::from_raw);
        let [first, second, third, ..] = call.arguments;
        match filter::name_of(call.number) {
            "clone" if caller == Some(self.process) && first == FORK_FLAGS && self.copies > 0 => {
                self.copies -= 1;
                self.copy(listener, call.id);
                true
            }
            "seccomp" if low_half(first) == HOLD && self.awaited > 0 => {
                let Some(held) = caller.and_then(|pid| hold(pid, call.id)) else { return false };
                if held.process.pid() == Some(self.process) {
                    return false;
                }
                self.awaited -= 1;
                self.held.push(held);
                true
            }
            "kill" if self.is_own_signal(first, second) => allow(listener, call.id),
            "tgkill" if self.is_own_signal(first, third) => allow(listener, call.id),
            _ => false,
        }
    }

    /// Lets the process copy itself, unless it has threads.
    fn copy(&mut self, listener: &OwnedFd, call: u64) {
        // The caller waits in this call, so it starts no thread meanwhile.
        if threads(self.process) == Some(1) && seccomp::still_waits(listener, call) {
            self.awaited += 1;
            drop(seccomp::allow(listener, call));
        } else {
            self.refused = Some(Refused::Threads);
            let errno = rustix::io::Errno::AGAIN.raw_os_error();
            drop(seccomp::refuse(listener, call, errno));
        }
    }

    /// A process may send signals to itself, as process 1 may by the profile.
    fn is_own_signal(&self, to: u64, signal: u64) -> bool {
        low_half(to) == self.own_number.cast_unsigned() && !matches!(low_half(signal), 9 | 19)
    }
}

/// The process that makes this call, which then waits for an answer.
pub(crate) fn hold(caller: Pid, call: u64) -> Option<Held> {
    // Of a mere thread there is no such descriptor.
    let process = Process::open(caller).ok()?;
    Some(Held { call, process, own_number: own_number(caller)? })
}

fn allow(listener: &OwnedFd, call: u64) -> bool {
    drop(seccomp::allow(listener, call));
    true
}

fn low_half(register: u64) -> u32 {
    let [a, b, c, d, ..] = register.to_le_bytes();
    u32::from_le_bytes([a, b, c, d])
}

/// How many threads a process has: its folder of threads has a link for each beside its own two
/// (`proc_pid_task(5)`).
fn threads(process: Pid) -> Option<u64> {
    let links = std::fs::metadata(format!("/proc/{}/task", process.as_raw())).ok()?.nlink();
    links.checked_sub(2)
}

/// The number of a process in the innermost pid namespace that it is in.
fn own_number(process: Pid) -> Option<i32> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", process.as_raw())).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("NSpid:"))?;
    line.split_ascii_whitespace().last()?.parse().ok()
}

impl Held {
    /// Has the process go on.
    pub(crate) fn go_on(&self, listener: &OwnedFd) -> io::Result<()> {
        seccomp::answer(listener, self.call, execute_python_sandbox::wire::GO_ON)
    }
}
