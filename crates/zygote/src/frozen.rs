//! Copies of a process of a session that wait, frozen, until the session is to be as it was.
//!
//! The copy is the child and the original goes on, because locks on files and threads belong to the
//! original. A copy shares with it where open files stand, so it keeps these places and sets them back
//! when it goes on.

use std::io;

use execute_python_sandbox::{branch, wire};
use execute_python_sys::process::{self, Fork};
use execute_python_sys::{descriptor, seccomp};
use pyo3::prelude::*;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::SeekFrom;

use crate::{keeper, native};

/// Descriptors of a guest begin and end here (see the limit on open files).
const NUMBERS: std::ops::Range<i32> = 6..512;

/// Leaves a copy of this process that waits until the engine has it go on. Both sides return; an engine
/// that refuses the copy is no error.
pub(crate) fn freeze(cell: &Bound<'_, PyModule>) -> PyResult<()> {
    let places = places();
    // Libraries end their threads before a fork and start them anew when they are needed.
    if let Ok(Fork::Child) = process::fork_with_leave() {
        // An answer other than a value: the engine does not want this copy.
        let Ok(answer) = seccomp::hold() else { process::exit_now(0) };
        set_back(&places);
        if let Some(groups) = answer.checked_sub(branch::BRANCH) {
            become_branch(cell, groups)?;
        } else {
            keeper::skip_commands()?;
        }
        cell.call_method0("after_thaw")?;
        // From here on commands are for this process.
        native::write_frame(&wire::frame(b"thawed").unwrap_or_default())?;
    }
    Ok(())
}

/// Goes on as a branch: with control groups, pipes and a work folder of its own, in which the files that
/// are open are opened anew.
fn become_branch(cell: &Bound<'_, PyModule>, groups: u32) -> PyResult<()> {
    let open = cell.call_method0("before_branch")?;
    for number in (branch::FIRST_GROUP..).take(groups as usize) {
        // Zero stands for whoever writes.
        rustix::io::write(descriptor::borrow(number), b"0").map_err(io::Error::from)?;
    }
    descriptor::close_from(branch::FIRST_GROUP)?;
    branch::enter()?;
    seccomp::hold()?;
    cell.call_method1("after_branch", (open,))?;
    Ok(())
}

/// Where each open file stands.
fn places() -> Vec<(i32, u64)> {
    open_numbers()
        .into_iter()
        .filter_map(|number| {
            let place = rustix::fs::tell(descriptor::borrow(number)).ok()?;
            Some((number, place))
        })
        .collect()
}

/// The numbers that stand for an open file: `poll(2)` marks the others as invalid.
fn open_numbers() -> Vec<i32> {
    let borrowed: Vec<_> = NUMBERS.map(descriptor::borrow).collect();
    let mut waits: Vec<_> =
        borrowed.iter().map(|number| PollFd::new(number, PollFlags::empty())).collect();
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    if poll(&mut waits, Some(&now)).is_err() {
        return NUMBERS.collect();
    }
    NUMBERS
        .zip(&waits)
        .filter(|(_, wait)| !wait.revents().contains(PollFlags::NVAL))
        .map(|(number, _)| number)
        .collect()
}

fn set_back(places: &[(i32, u64)]) {
    for (number, place) in places {
        rustix::fs::seek(descriptor::borrow(*number), SeekFrom::Start(*place)).ok();
    }
}
