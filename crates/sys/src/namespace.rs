//! Entering and leaving namespaces.

use std::io;
use std::os::fd::{AsFd, AsRawFd};

use crate::descriptor::check;

/// A new pid namespace for the next child.
pub const PID: u64 = libc::CLONE_NEWPID.unsigned_abs() as u64;
/// A new mount namespace.
pub const MOUNT: u64 = libc::CLONE_NEWNS.unsigned_abs() as u64;
/// A new user namespace.
pub const USER: u64 = libc::CLONE_NEWUSER.unsigned_abs() as u64;
/// A new, empty network namespace.
pub const NETWORK: u64 = libc::CLONE_NEWNET.unsigned_abs() as u64;
/// A new namespace of System V and POSIX message queues.
pub const IPC: u64 = libc::CLONE_NEWIPC.unsigned_abs() as u64;
/// A new namespace of the host name.
pub const UTS: u64 = libc::CLONE_NEWUTS.unsigned_abs() as u64;
/// A new namespace of the control groups.
pub const CGROUP: u64 = libc::CLONE_NEWCGROUP.unsigned_abs() as u64;

/// Moves the calling process into new namespaces, given as a union of the constants here.
pub fn unshare(namespaces: u64) -> io::Result<()> {
    let flags = libc::c_int::try_from(namespaces).map_err(io::Error::other)?;
    // SAFETY: `unshare` takes no pointers.
    check(unsafe { libc::unshare(flags) })?;
    Ok(())
}

/// Moves the calling process, which has one thread, into these namespaces of the process of a pidfd.
pub fn enter(pidfd: impl AsFd, namespaces: u64) -> io::Result<()> {
    let flags = libc::c_int::try_from(namespaces).map_err(io::Error::other)?;
    // SAFETY: `setns` takes a descriptor, which is open, and no pointers.
    check(unsafe { libc::setns(pidfd.as_fd().as_raw_fd(), flags) })?;
    Ok(())
}

/// Makes the namespace of a pid namespace descriptor the one that the next child is born into.
pub fn children_into(pid_namespace: impl AsFd) -> io::Result<()> {
    // SAFETY: `setns` takes a descriptor, which is open, and no pointers.
    check(unsafe { libc::setns(pid_namespace.as_fd().as_raw_fd(), libc::CLONE_NEWPID) })?;
    Ok(())
}

/// Sets the host name of the calling process's namespace.
pub fn set_host_name(name: &str) -> io::Result<()> {
    // SAFETY: pointer and length are those of one string, which the call only reads.
    check(unsafe { libc::sethostname(name.as_ptr().cast(), name.len()) })?;
    Ok(())
}
