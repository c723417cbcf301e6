//! Branches of a session: a copy of its process that gets a work folder of its own.
//!
//! The copy moves itself into a new mount namespace, which it may only in a new user namespace. In that it
//! has every capability until it drops them, which it does at once; the engine looks that it has none left
//! before the guest goes on. Mounting is not done by the copy, which neither Landlock nor the filter
//! would let, but from outside: by the launcher, with the rights of the session's own user namespace.

use std::io::{self, IoSlice};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};

use execute_python_sys::namespace;
use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};
use rustix::process::{Gid, Pid, PidfdFlags, Uid, pidfd_open};
use rustix::thread::{
    CapabilitiesSecureBits, CapabilitySet, CapabilitySets, set_capabilities,
    set_capabilities_secure_bits, set_thread_groups, set_thread_res_gid, set_thread_res_uid,
};
use serde::{Deserialize, Serialize};

use crate::{mounts, outer};

/// The namespaces that a branch moves into, as its `unshare(2)` names them.
pub const NAMESPACES: u64 = namespace::USER | namespace::MOUNT;
/// What a held copy is told when it is to become a branch, as the answer to its `hold`; the number of
/// control groups that it joins is added.
pub const BRANCH: u32 = 0x100;
/// The number of the list of the first control group in a copy that becomes a branch.
pub const FIRST_GROUP: i32 = 500;

/// New work folders for branches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Order {
    /// A process in the session's own user namespace, as the launcher's pid namespace numbers it.
    pub keeper: i32,
    /// The process that they are copies of, itself a branch or not.
    pub trunk: i32,
    /// The branches, each in a mount namespace of its own.
    pub branches: Vec<i32>,
    /// The size of each work folder in bytes.
    pub disk_bytes: u64,
    /// Files and folders in each.
    pub files: u64,
    /// Whether guests have ids of their own on the host; else all is the caller's.
    pub own_ids: bool,
    /// The user id of the guest, as the trunk's user namespace numbers it.
    pub guest: u32,
}

/// Becomes a branch, in the copy: alone in a mount namespace, and without any capability.
pub fn enter() -> io::Result<()> {
    namespace::unshare(NAMESPACES)?;
    let none = CapabilitySet::empty();
    let sets = CapabilitySets { effective: none, permitted: none, inheritable: none };
    Ok(set_capabilities(None, sets)?)
}

/// Gives each branch its work folder, as the launcher; sends its mount through standard input.
///
/// # Errors
/// What the kernel says, and at which step.
pub fn furnish(order: &Order) -> io::Result<()> {
    let open = |pid: i32| {
        let pid = Pid::from_raw(pid).ok_or(io::ErrorKind::InvalidInput)?;
        Ok::<OwnedFd, io::Error>(pidfd_open(pid, PidfdFlags::empty())?)
    };
    let step = |name: &'static str| {
        move |error: io::Error| io::Error::new(error.kind(), format!("{name}: {error}"))
    };
    namespace::enter(open(order.keeper)?, namespace::USER).map_err(step("enter the session"))?;
    // From the trunk's user namespace one may not look at them any more, but still enter.
    let mounts_of = |pid: &i32| std::fs::File::open(format!("/proc/{pid}/ns/mnt"));
    let branches = order.branches.iter().map(mounts_of).collect::<io::Result<Vec<_>>>();
    let branches = branches.map_err(step("open the branches"))?;
    if order.own_ids {
        // Whom the kernel keeps the files in `/proc` of such a process for.
        outer::become_root_inside()?;
    }
    match namespace::enter(open(order.trunk)?, namespace::USER) {
        // It is in the same one, which cannot be entered again.
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => {}
        other => other.map_err(step("enter the trunk"))?,
    }
    if order.own_ids {
        order
            .branches
            .iter()
            .try_for_each(|pid| map_ids(*pid, order.guest))
            .map_err(step("map the ids"))?;
        become_guest(order.guest).map_err(step("become the guest"))?;
    }
    for branch in branches {
        namespace::enter(branch, namespace::MOUNT).map_err(step("enter the branch"))?;
        let mount = mounts::another_work_folder(order.disk_bytes, order.files, order.guest)
            .map_err(step("mount"))?;
        send(&mount)?;
    }
    Ok(())
}

/// Has the guest keep its id in a branch's user namespace. Where ids are not its own this cannot be done:
/// the kernel keeps the files of such a process for the host's root. Then the guest sees the id of
/// nobody, and its branches cannot be forked again.
fn map_ids(branch: i32, guest: u32) -> io::Result<()> {
    for file in ["uid_map", "gid_map"] {
        std::fs::write(format!("/proc/{branch}/{file}"), format!("{guest} {guest} 1\n"))?;
    }
    Ok(())
}

/// Makes files as the guest; the rights over the namespaces stay.
fn become_guest(id: u32) -> io::Result<()> {
    // Else they would go with the last user id that is 0 (`capabilities(7)`).
    set_capabilities_secure_bits(CapabilitiesSecureBits::NO_SETUID_FIXUP)?;
    let (user, group) = (Uid::from_raw(id), Gid::from_raw(id));
    set_thread_groups(&[])?;
    set_thread_res_gid(group, group, group)?;
    Ok(set_thread_res_uid(user, user, user)?)
}

fn send(mount: &OwnedFd) -> io::Result<()> {
    let passed = [mount.as_fd()];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    ancillary.push(SendAncillaryMessage::ScmRights(&passed));
    let socket = rustix::stdio::stdin();
    sendmsg(socket, &[IoSlice::new(b"m")], &mut ancillary, SendFlags::NOSIGNAL)?;
    Ok(())
}
