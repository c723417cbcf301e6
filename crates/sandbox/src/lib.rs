//! The isolation of one worker.
//!
//! Two sandboxes stand inside each other. The outer one ([`outer`]) is raised once per environment
//! around a warm interpreter, the zygote: its own user, mount, network, ipc, uts, cgroup and pid
//! namespaces over a read-only root file system. The inner one ([`enter()`]) is raised by each worker
//! that the zygote forks, before the guest's first instruction. What is to be raised is said by a
//! plan, which is pure data ([`plan`]); each mechanism has a file of its own.

#![forbid(unsafe_code)]

pub mod branch;
pub mod cgroup;
pub mod enter;
pub mod filter;
pub mod outer;
pub mod plan;
pub mod probe;
pub mod wire;

mod landlock;
mod limits;
mod mounts;
mod privileges;

pub use enter::{Descriptors, Enclosed, EnterError, enter, prepare};
pub use plan::{OuterPlan, Plan};
