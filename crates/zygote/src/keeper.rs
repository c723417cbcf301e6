//! The keeper of a session: process 1 of its namespace. It never runs guest code; it bears the process
//! that does, again when that one is lost to the last copy, and tells how processes ended.
//!
//! What it shares with its children is what they are forked with. They have pipes of their own, of which
//! the engine takes its ends before the fork, and no number of the keeper's is open in them.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::{Mutex, PoisonError};

use execute_python_sandbox::enter::{COMMANDS, MESSAGES, TRACE};
use execute_python_sandbox::wire;
use execute_python_sys::process::{self, Fork};
use execute_python_sys::{descriptor, seccomp};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::pipe::{PipeFlags, pipe_with};

use crate::native;

/// The first number that is free in a process of a session.
const FIRST_FREE: i32 = 6;

/// A process's own ends of its pipes, with the numbers that they go to.
type Ends = [(OwnedFd, i32); 5];

/// The ends that every process of this session has in turn.
static ENDS: Mutex<Option<Ends>> = Mutex::new(None);

/// Which side of a birth this process is on.
pub(crate) enum Side {
    /// The keeper, which goes on.
    Keeper,
    /// The new process, which serves the engine through its own pipes.
    Born,
}

/// Bears a process.
pub(crate) fn bear() -> io::Result<Side> {
    // A signal that the guest sends to process 1 does nothing here, and is none of its children's.
    process::block_signals(true)?;
    let mut ends = ENDS.lock().unwrap_or_else(PoisonError::into_inner);
    if ends.is_none() {
        *ends = Some(make_ends()?);
    }
    match process::fork_with_leave()? {
        Fork::Parent { .. } => Ok(Side::Keeper),
        Fork::Child => {
            for (end, number) in ends.take().into_iter().flatten() {
                descriptor::place(end, number)?;
            }
            drop(ends);
            descriptor::close_from(FIRST_FREE)?;
            process::forget_children()?;
            process::block_signals(false)?;
            skip_commands()?;
            seccomp::hold()?;
            native::set_mark(&native::read_frame()?);
            Ok(Side::Born)
        }
    }
}

/// Makes the pipes, and waits until the engine has taken its ends.
fn make_ends() -> io::Result<Ends> {
    let (commands, to_commands) = pipe_with(PipeFlags::CLOEXEC)?;
    let (from_messages, messages) = pipe_with(PipeFlags::CLOEXEC)?;
    let (from_stdout, stdout) = pipe_with(PipeFlags::CLOEXEC)?;
    let (from_stderr, stderr) = pipe_with(PipeFlags::CLOEXEC)?;
    let (from_trace, trace) = pipe_with(PipeFlags::CLOEXEC)?;
    let engine = [to_commands, from_messages, from_stdout, from_stderr, from_trace];
    let numbers: Vec<String> = engine.iter().map(|end| end.as_raw_fd().to_string()).collect();
    native::write_frame(&wire::frame(numbers.join(" ").as_bytes()).unwrap_or_default())?;
    // An empty frame: the engine has its ends.
    native::read_frame()?;
    Ok([(commands, COMMANDS), (messages, MESSAGES), (stdout, 1), (stderr, 2), (trace, TRACE)])
}

/// Skips what was meant for a process that ended.
pub(crate) fn skip_commands() -> io::Result<()> {
    let commands = descriptor::borrow(COMMANDS);
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    loop {
        let mut waits = [PollFd::new(&commands, PollFlags::IN)];
        if poll(&mut waits, Some(&now))? == 0 || rustix::io::read(commands, &mut [0; 4096])? == 0 {
            return Ok(());
        }
    }
}

/// Tells of every child that has ended: its process id, its status word of `wait(2)` and its processor
/// time in microseconds, a line each.
pub(crate) fn reap() -> io::Result<()> {
    let mut told = String::new();
    while let Ok(Some(exit)) = process::reap_by_filter() {
        let time = exit.cpu_time.as_micros().to_string();
        told += &[exit.pid.as_raw().to_string(), exit.status.to_string(), time].join(" ");
        told.push('\n');
    }
    native::write_frame(&wire::frame(told.as_bytes()).unwrap_or_default())
}
