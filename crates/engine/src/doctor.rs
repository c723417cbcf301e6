//! What this machine has of what a sandbox needs.

pub use execute_python_sandbox::probe::{Probe, Verdict};

/// Looks for each thing in turn.
pub fn probe() -> Vec<Probe> {
    execute_python_sandbox::probe::all()
}
