//! The system-call filter: what a guest may ask of the kernel, default deny.
//!
//! What is allowed and refused is data, the file `profiles/python.profile`, with a reason on every
//! line. It is parsed (`profile`) and compiled to a program for the kernel (`compile`). The
//! program decides on numbers in registers alone; a call that it hands over is answered by the
//! engine, by its category.

mod compile;
#[cfg(test)]
mod interpret;
mod profile;
mod table;

use std::sync::LazyLock;

use execute_python_protocol::Category;
use execute_python_sys::seccomp::{Instruction, Listener};

pub use compile::{CompileError, compile};
pub use profile::{Action, Condition, Profile, ProfileError, Rule, Test};
pub use table::{name_of as name_on, number_of, table};

/// The profile that ships with the engine.
const PYTHON: &str = include_str!("../../../../profiles/python.profile");

static NATIVE: LazyLock<Option<Profile>> =
    LazyLock::new(|| Profile::parse(PYTHON, Arch::native()?).ok());

/// A processor architecture that the filter knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arch {
    /// 64-bit x86.
    X86_64,
    /// 64-bit ARM.
    Aarch64,
}

impl Arch {
    /// The one that this program is compiled for, if the filter knows it.
    pub fn native() -> Option<Arch> {
        match std::env::consts::ARCH {
            "x86_64" => Some(Arch::X86_64),
            "aarch64" => Some(Arch::Aarch64),
            _ => None,
        }
    }
}

/// Why there is no filter.
#[derive(Debug, thiserror::Error)]
pub enum FilterError {
    /// The architecture has no table of system calls.
    #[error("there is no system-call filter for this architecture")]
    Arch,
    /// The profile cannot be read.
    #[error(transparent)]
    Profile(#[from] ProfileError),
    /// The profile cannot be compiled.
    #[error(transparent)]
    Compile(#[from] CompileError),
}

/// The program of the shipped profile for this machine, for a filter with a listener.
pub fn program() -> Result<Vec<Instruction>, FilterError> {
    program_with(Listener::New)
}

/// The program of the shipped profile for this machine; without a listener, the calls that would
/// be handed over fail with `EPERM`.
pub fn program_with(listener: Listener) -> Result<Vec<Instruction>, FilterError> {
    let arch = Arch::native().ok_or(FilterError::Arch)?;
    Ok(compile(&Profile::parse(PYTHON, arch)?, listener)?)
}

/// The category under which the shipped profile hands a system call over. A call that it hands over
/// under none is taken for the gravest.
pub fn category_of(number: i32) -> Category {
    let found = u32::try_from(number).ok().and_then(|n| NATIVE.as_ref()?.category_of(n));
    found.unwrap_or(Category::Privilege)
}

/// The name of a system call of this machine.
pub fn name_of(number: i32) -> &'static str {
    let name = |arch| table::name_of(arch, u32::try_from(number).ok()?);
    Arch::native().and_then(name).unwrap_or("an unknown system call")
}
