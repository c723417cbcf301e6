//! The sandbox around a zygote, raised by the launcher before it executes the interpreter.
//!
//! The launcher is a small program of one thread, started by the engine with an empty environment.
//! It stays outside as the parent, so that the end of either ends the other: the kernel kills the
//! launcher with the engine's thread, and the inside with the launcher.

use std::ffi::CString;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use execute_python_sys::process::{self, Fork};
use execute_python_sys::{Pid, descriptor, namespace};
use rustix::fs::{Mode, OFlags};
use rustix::process::{Gid, Uid};

use crate::plan::{FIRST_GUEST_ID, Identity, OuterPlan};
use crate::{enter, mounts, privileges};

/// The number of the control socket in a zygote.
pub const CONTROL: i32 = 3;
/// The number of the zygote's own folder in `/proc` in a zygote; it closes it when it is warm.
pub const PROC_SELF: i32 = 4;

/// The namespaces that every zygote has.
const NAMESPACES: u64 = namespace::PID
    | namespace::MOUNT
    | namespace::NETWORK
    | namespace::IPC
    | namespace::UTS
    | namespace::CGROUP;

/// The step around the zygote that failed.
#[derive(Debug, thiserror::Error)]
pub enum OuterError {
    /// The plan is not one.
    #[error("cannot read the plan")]
    Plan(#[from] serde_json::Error),
    /// A path or argument of the plan has a null byte.
    #[error("a path of the plan has a null byte")]
    Text(#[from] std::ffi::NulError),
    /// The kernel did not give us the namespaces.
    #[error("cannot create the namespaces of the sandbox")]
    Namespaces(#[source] io::Error),
    /// The ids could not be mapped.
    #[error("cannot map the user ids of the sandbox")]
    Ids(#[source] io::Error),
    /// The root file system could not be made.
    #[error("cannot mount the root file system")]
    Root(#[source] io::Error),
    /// A descriptor is missing or could not be put in place.
    #[error("cannot arrange the descriptors")]
    Descriptors(#[source] io::Error),
    /// The interpreter could not be executed.
    #[error("cannot execute the interpreter")]
    Execute(#[source] io::Error),
    /// The inside could not be waited for.
    #[error("cannot wait for the interpreter")]
    Wait(#[source] io::Error),
}

/// Raises the outer sandbox, executes the interpreter in it and waits for its end; gives its wait
/// status. The control socket is standard input.
pub fn run(plan: &OuterPlan) -> Result<i32, OuterError> {
    process::die_with_parent().map_err(OuterError::Descriptors)?;
    let proc = open_folder("/proc").map_err(OuterError::Descriptors)?;
    let (ready, go) = rustix::pipe::pipe().map_err(|e| OuterError::Descriptors(e.into()))?;
    let namespaces = match plan.identity {
        // As root the mounts are made first: the folder may be readable by root alone.
        Identity::Range { .. } => {
            namespace::unshare(namespace::MOUNT).map_err(OuterError::Namespaces)?;
            NAMESPACES | namespace::USER
        }
        Identity::Own => {
            become_own_user(proc.as_fd())?;
            NAMESPACES
        }
    };
    mounts::pivot_into(&plan.root).map_err(OuterError::Root)?;
    match process::clone_into(namespaces).map_err(OuterError::Namespaces)? {
        Fork::Child => {
            drop(go);
            Err(inside(plan, proc, ready)
                .err()
                .unwrap_or(OuterError::Execute(io::Error::from(io::ErrorKind::Other))))
        }
        Fork::Parent { child } => {
            drop(ready);
            outside(plan, proc.as_fd(), child, go)
        }
    }
}

/// Maps the ids of the inside, lets it go on and waits for its end.
fn outside(
    plan: &OuterPlan,
    proc: BorrowedFd<'_>,
    child: Pid,
    go: OwnedFd,
) -> Result<i32, OuterError> {
    if let Identity::Range { first, count } = plan.identity {
        let map = format!("0 {first} {count}\n");
        for file in ["uid_map", "gid_map"] {
            let path = format!("{}/{file}", child.as_raw());
            write_at(proc, &path, &map).map_err(OuterError::Ids)?;
        }
    }
    // The inside needs its own folder in /proc, and only the outside can name it.
    let pid = child.as_raw().to_string();
    File::from(go).write_all(pid.as_bytes()).map_err(OuterError::Descriptors)?;
    Ok(process::wait_for(child).map_err(OuterError::Wait)?.status)
}

/// The rest, as process 1 of the new namespaces. Returns only an error.
fn inside(plan: &OuterPlan, proc: OwnedFd, ready: OwnedFd) -> Result<(), OuterError> {
    let mut pid = String::new();
    File::from(ready).read_to_string(&mut pid).map_err(OuterError::Descriptors)?;
    match plan.identity {
        Identity::Range { .. } => become_root_inside().map_err(OuterError::Ids)?,
        Identity::Own => privileges::keep_over_execution().map_err(OuterError::Ids)?,
    }
    process::die_with_parent().map_err(OuterError::Descriptors)?;
    namespace::set_host_name("sandbox").map_err(OuterError::Namespaces)?;
    mounts::zygote_memory().map_err(OuterError::Root)?;
    let proc_self = folder_at(proc.as_fd(), &pid).map_err(OuterError::Descriptors)?;
    drop(proc);
    arrange(proc_self).map_err(OuterError::Descriptors)?;
    let text = |s: &String| CString::new(s.as_str());
    let arguments = plan.arguments.iter().map(text).collect::<Result<Vec<_>, _>>()?;
    let environment = plan
        .environment
        .iter()
        .map(|(name, value)| CString::new(format!("{name}={value}")))
        .collect::<Result<Vec<_>, _>>()?;
    let Some(program) = arguments.first() else {
        return Err(OuterError::Execute(io::Error::from(io::ErrorKind::InvalidInput)));
    };
    Err(OuterError::Execute(process::execute(program, &arguments, &environment)))
}

/// Moves the control socket from standard input to its place, `/dev/null` to standard input, and
/// closes all that is not named.
fn arrange(proc_self: OwnedFd) -> io::Result<()> {
    descriptor::place(proc_self, PROC_SELF)?;
    descriptor::place(rustix::io::dup(rustix::stdio::stdin())?, CONTROL)?;
    // The numbers that a worker puts its own descriptors at are taken, so that nothing else stands there.
    for number in [0].into_iter().chain(PROC_SELF + 1..=enter::MOUNT) {
        let null = rustix::fs::open("/dev/null", OFlags::RDONLY, Mode::empty())?;
        descriptor::place(null, number)?;
    }
    descriptor::close_from(enter::MOUNT + 1)
}

/// Makes the caller the guest user of a new user namespace, with all privileges in it.
fn become_own_user(proc: BorrowedFd<'_>) -> Result<(), OuterError> {
    let (user, group) = (rustix::process::geteuid(), rustix::process::getegid());
    namespace::unshare(namespace::USER | namespace::MOUNT).map_err(OuterError::Namespaces)?;
    // `user_namespaces(7)`: without privilege the group map can be written only after this.
    write_at(proc, "self/setgroups", "deny").map_err(OuterError::Ids)?;
    let map = |id: u32| format!("{FIRST_GUEST_ID} {id} 1\n");
    write_at(proc, "self/uid_map", &map(user.as_raw())).map_err(OuterError::Ids)?;
    write_at(proc, "self/gid_map", &map(group.as_raw())).map_err(OuterError::Ids)
}

/// Becomes user 0 of the new user namespace, a user without rights on the host.
pub(crate) fn become_root_inside() -> io::Result<()> {
    rustix::thread::set_thread_groups(&[])?;
    rustix::thread::set_thread_res_gid(Gid::ROOT, Gid::ROOT, Gid::ROOT)?;
    rustix::thread::set_thread_res_uid(Uid::ROOT, Uid::ROOT, Uid::ROOT)?;
    Ok(())
}

fn open_folder(path: &str) -> io::Result<OwnedFd> {
    folder_at(rustix::fs::CWD, path)
}

fn folder_at(folder: BorrowedFd<'_>, path: &str) -> io::Result<OwnedFd> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok(rustix::fs::openat(folder, path, flags, Mode::empty())?)
}

fn write_at(folder: BorrowedFd<'_>, path: &str, text: &str) -> io::Result<()> {
    let flags = OFlags::WRONLY | OFlags::CLOEXEC;
    let file = rustix::fs::openat(folder, path, flags, Mode::empty())?;
    File::from(file).write_all(text.as_bytes())
}
