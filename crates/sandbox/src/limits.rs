//! Resource limits: the second wall below the control group, and the one that lets a big allocation
//! fail as a Python `MemoryError` before it is a kill.

use std::io;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::plan::Plan;

/// Room for the stacks of threads and for the allocator's own, above the memory limit, in bytes.
/// What is really used is held by the control group.
const SLACK: u64 = 32 << 20;
/// Address space above the memory limit where it is limited at all, in bytes: allocators reserve
/// far more than they use.
const ADDRESS_SLACK: u64 = 256 << 20;
/// Address space of a thread's stack, in bytes.
const STACK: u64 = 8 << 20;
/// Open files.
const FILES: u64 = 512;

/// Sets the resource limits of the plan on the calling process.
pub(crate) fn apply(plan: &Plan) -> io::Result<()> {
    let data = plan.zygote_data_bytes.saturating_add(plan.memory_bytes).saturating_add(SLACK);
    lower(Resource::Data, data)?;
    if plan.limit_addresses {
        let addresses = plan
            .zygote_address_bytes
            .saturating_add(plan.memory_bytes)
            .saturating_add(plan.threads.saturating_mul(STACK))
            .saturating_add(ADDRESS_SLACK);
        lower(Resource::As, addresses)?;
    }
    if plan.own_id {
        // The count is by user, so it says something only where the worker has an id of its own.
        lower(Resource::Nproc, plan.threads)?;
    }
    lower(Resource::Fsize, plan.disk_bytes)?;
    lower(Resource::Cpu, plan.cpu_seconds)
}

/// Sets, in a zygote and for all its workers, the limits that no plan changes.
pub(crate) fn apply_common() -> io::Result<()> {
    lower(Resource::Nofile, FILES)?;
    lower(Resource::Core, 0)?;
    lower(Resource::Memlock, 0)?;
    lower(Resource::Msgqueue, 0)?;
    lower(Resource::Nice, 0)?;
    lower(Resource::Rtprio, 0)?;
    lower(Resource::Sigpending, 256)
}

/// Lowers a limit, soft and hard; one that is lower already stays.
fn lower(resource: Resource, to: u64) -> io::Result<()> {
    let most = getrlimit(resource).maximum.map_or(to, |maximum| maximum.min(to));
    setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) })?;
    Ok(())
}
