//! The control groups of an engine's workers: made when they are needed, and used again where nothing
//! of the last run is left to see in them.
//!
//! Making and removing a group costs the kernel more than emptying one. A group whose run had a single
//! thread and no want of memory looks like a new one when its peak is set back.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use execute_python_sandbox::cgroup::{Death, Group, GroupError, Hierarchy, Tree};

/// The most groups that wait to be used again.
const MOST_SPARE: usize = 32;

/// All groups of an engine.
#[derive(Debug)]
pub(crate) struct Groups {
    // Before the tree, which can be removed only when it is empty.
    spare: Mutex<Vec<(Size, Group)>>,
    next: AtomicU64,
    tree: Tree,
}

/// What a group is limited to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Size {
    /// Bytes of memory, files in memory included.
    pub(crate) memory_bytes: u64,
    /// Threads.
    pub(crate) threads: u64,
    /// What the kernel kills in it.
    pub(crate) death: Death,
}

/// A group in use. It comes back when the last holder drops it, which is after its process has ended.
#[derive(Debug)]
pub(crate) struct Lease {
    group: Option<Group>,
    size: Size,
    groups: Arc<Groups>,
}

impl Groups {
    /// Makes the tree that all groups stand in.
    pub(crate) fn create() -> Result<Self, GroupError> {
        let tree = Tree::create(&Hierarchy::find()?)?;
        Ok(Self { spare: Mutex::default(), next: AtomicU64::new(0), tree })
    }

    fn spare(&self) -> MutexGuard<'_, Vec<(Size, Group)>> {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A group of this size.
    pub(crate) fn lease(self: &Arc<Self>, size: Size) -> Result<Lease, GroupError> {
        let found = {
            let mut spare = self.spare();
            spare.iter().position(|(other, _)| *other == size).map(|at| spare.swap_remove(at).1)
        };
        let group = if let Some(group) = found {
            group
        } else {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            self.tree.group(&format!("w{number}"), size.memory_bytes, size.threads, size.death)?
        };
        Ok(Lease { group: Some(group), size, groups: Arc::clone(self) })
    }
}

impl Lease {
    /// Another group of the same size.
    pub(crate) fn another(&self) -> Result<Lease, GroupError> {
        self.groups.lease(self.size)
    }

    /// The group; it is there until the drop.
    pub(crate) fn group(&self) -> Option<&Group> {
        self.group.as_ref()
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let Some(group) = self.group.take() else { return };
        let mut spare = self.groups.spare();
        if spare.len() < MOST_SPARE && group.renew() {
            spare.push((self.size, group));
        }
    }
}
