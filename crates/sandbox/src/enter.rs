//! The way into the sandbox, step by step.
//!
//! A worker calls [`enter`] once, after the fork from a zygote that called [`prepare`] and before the
//! guest's first instruction. Each step raises one wall. A step that fails ends the worker: no guest
//! ever runs with one wall less.
//!
//! The order is forced. The control group comes first, so that all that follows is charged to the
//! run. What needs privilege comes before `privileges`, which also sets the flag that
//! `landlock` and the filter require. The filter is last, because it forbids the system calls
//! that the steps before it make.

use std::io;
use std::os::fd::OwnedFd;

use execute_python_sys::seccomp::{self, Instruction, Listener};
use execute_python_sys::{descriptor, namespace};

use crate::plan::Plan;
use crate::{landlock, limits, mounts, privileges};

/// The number of the pipe from which a worker reads what the engine says.
pub const COMMANDS: i32 = 3;
/// The number of the pipe for native traceback dumps in a worker.
pub const TRACE: i32 = 4;
/// The number of the pipe to which a worker writes what it says to the engine.
pub const MESSAGES: i32 = 5;
/// The number of the mount of the work folder in a worker, until the engine has its own copy.
pub const MOUNT: i32 = 6;
/// The first number that is free in a worker.
const FIRST_FREE: i32 = 7;

/// Proof that this process is enclosed; running guest code takes one.
#[derive(Debug)]
pub struct Enclosed(());

/// The descriptors that a worker gets from the engine.
#[derive(Debug)]
pub struct Descriptors {
    /// What the engine says. Neither this nor the next is a socket: a guest has none.
    pub commands: OwnedFd,
    /// What the worker says.
    pub messages: OwnedFd,
    /// Standard output.
    pub stdout: OwnedFd,
    /// Standard error.
    pub stderr: OwnedFd,
    /// Where a native traceback dump goes.
    pub trace: OwnedFd,
    /// The list of members of each control group to join.
    pub groups: Vec<OwnedFd>,
}

/// The step into the sandbox that failed; the run it was for is refused.
#[derive(Debug, thiserror::Error)]
pub enum EnterError {
    /// The worker could not be put into its control group.
    #[error("cannot join the control group")]
    Group(#[source] io::Error),
    /// The kernel did not give us the namespaces.
    #[error("cannot create the namespaces of the sandbox")]
    Namespaces(#[source] io::Error),
    /// The work folder could not be made.
    #[error("cannot mount the work folder")]
    WorkFolder(#[source] io::Error),
    /// The work folder could not be handed to the engine, or descriptors not put in place.
    #[error("cannot arrange the descriptors")]
    Descriptors(#[source] io::Error),
    /// A resource limit could not be set.
    #[error("cannot set the resource limits")]
    Limits(#[source] io::Error),
    /// A privilege could not be given up.
    #[error("cannot give up privileges")]
    Privileges(#[source] io::Error),
    /// Landlock is missing or refused the rules.
    #[error("cannot restrict file access with Landlock: {0}")]
    Landlock(String),
    /// The system-call filter could not be installed.
    #[error("cannot install the system-call filter")]
    Filter(#[source] io::Error),
}

/// Raises, in a zygote before its first fork, what is the same for all its workers: they inherit it.
pub fn prepare() -> Result<(), EnterError> {
    limits::apply_common().map_err(EnterError::Limits)?;
    privileges::bound().map_err(EnterError::Privileges)
}

/// Encloses the calling process as `plan` says. There is no way back out.
///
/// The mount of the work folder is at [`MOUNT`] then. What is returned is the listener of the filter.
/// The engine takes copies of both before the guest runs, and the worker closes its own.
pub fn enter(
    plan: &Plan,
    descriptors: Descriptors,
    filter: &[Instruction],
) -> Result<(Enclosed, Option<OwnedFd>), EnterError> {
    join_groups(&descriptors.groups).map_err(EnterError::Group)?;
    namespace::unshare(namespace::MOUNT).map_err(EnterError::Namespaces)?;
    let work_folder = mounts::work_folder(plan).map_err(EnterError::WorkFolder)?;
    arrange(descriptors, work_folder).map_err(EnterError::Descriptors)?;
    descriptor::close_from(FIRST_FREE).map_err(EnterError::Descriptors)?;
    limits::apply(plan).map_err(EnterError::Limits)?;
    privileges::give_up(plan).map_err(EnterError::Privileges)?;
    if plan.landlock {
        landlock::restrict(plan.session)
            .map_err(|error| EnterError::Landlock(error.to_string()))?;
    }
    let listener = seccomp::install(filter, Listener::New).map_err(EnterError::Filter)?;
    Ok((Enclosed(()), listener))
}

/// Joins each group by writing 0, "the writing process", to its list of processes.
fn join_groups(groups: &[OwnedFd]) -> io::Result<()> {
    for group in groups {
        rustix::io::write(group, b"0")?;
    }
    Ok(())
}

/// Puts the descriptors where a worker has them. Standard input stays the zygote's `/dev/null`. The
/// zygote has something open at each of these numbers, so none of the descriptors has one of them.
fn arrange(descriptors: Descriptors, work_folder: OwnedFd) -> io::Result<()> {
    descriptor::place(descriptors.stdout, 1)?;
    descriptor::place(descriptors.stderr, 2)?;
    descriptor::place(descriptors.commands, COMMANDS)?;
    descriptor::place(descriptors.trace, TRACE)?;
    descriptor::place(descriptors.messages, MESSAGES)?;
    descriptor::place(work_folder, MOUNT)
}
