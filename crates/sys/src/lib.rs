//! System calls that std and rustix lack, as safe typed functions.
//!
//! This is the one crate of the project with unsafe code. Each function establishes what its
//! system call needs itself, so that a caller cannot get it wrong; what remains is said at the
//! `SAFETY` comment of each block.

#![expect(unsafe_code, reason = "this crate is the one place for system calls")]

pub mod descriptor;
pub mod memory;
pub mod namespace;
pub mod process;
pub mod python;
pub mod seccomp;

pub use process::Pid;
