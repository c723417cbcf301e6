//! Giving up every privilege, for good.

use std::io;

use rustix::process::{Gid, Uid};
use rustix::thread::{
    CapabilitiesSecureBits, CapabilitySet, CapabilitySets, capabilities,
    configure_capability_in_ambient_set, remove_capability_from_bounding_set, set_capabilities,
    set_capabilities_secure_bits, set_no_new_privs, set_thread_groups, set_thread_res_gid,
    set_thread_res_uid,
};

use crate::plan::Plan;

/// Gives up, in a zygote and for all its workers, what no process of it needs: privileges that only an
/// executed program could gain. What the zygote holds it keeps.
pub(crate) fn bound() -> io::Result<()> {
    for capability in CapabilitySet::all() {
        // A kernel that does not know a capability answers EINVAL, and then nobody can have it.
        match remove_capability_from_bounding_set(capability) {
            Ok(()) | Err(rustix::io::Errno::INVAL) => {}
            Err(error) => return Err(error.into()),
        }
    }
    set_capabilities_secure_bits(locked_bits())?;
    Ok(())
}

/// Becomes the guest's user without groups or capabilities, or any way to gain them.
///
/// The process has one thread, so the calls for one thread are enough.
pub(crate) fn give_up(plan: &Plan) -> io::Result<()> {
    if plan.own_id {
        let id = plan.guest_id();
        let (user, group) = (Uid::from_raw(id), Gid::from_raw(id));
        set_thread_groups(&[])?;
        set_thread_res_gid(group, group, group)?;
        set_thread_res_uid(user, user, user)?;
    }
    let none = CapabilitySet::empty();
    let sets = CapabilitySets { effective: none, permitted: none, inheritable: none };
    set_capabilities(None, sets)?;
    rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable)?;
    set_no_new_privs(true)?;
    Ok(())
}

/// Keeps the privileges that the caller has in its user namespace when it executes a program: a user
/// that is not 0 loses them otherwise (`capabilities(7)`, ambient set). A zygote needs them to enclose
/// its workers, and each worker gives them up.
pub(crate) fn keep_over_execution() -> io::Result<()> {
    let held = capabilities(None)?;
    let sets = CapabilitySets { inheritable: held.permitted, ..held };
    set_capabilities(None, sets)?;
    for capability in held.permitted.iter() {
        configure_capability_in_ambient_set(capability, true)?;
    }
    Ok(())
}

/// User id 0 means nothing, and none of this can be taken back (`capabilities(7)`).
fn locked_bits() -> CapabilitiesSecureBits {
    CapabilitiesSecureBits::NO_ROOT
        | CapabilitiesSecureBits::NO_ROOT_LOCKED
        | CapabilitiesSecureBits::NO_SETUID_FIXUP
        | CapabilitiesSecureBits::NO_SETUID_FIXUP_LOCKED
        | CapabilitiesSecureBits::KEEP_CAPS_LOCKED
        | CapabilitiesSecureBits::NO_CAP_AMBIENT_RAISE
        | CapabilitiesSecureBits::NO_CAP_AMBIENT_RAISE_LOCKED
}
