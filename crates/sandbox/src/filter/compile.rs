//! From a profile to a program of the kernel's classic packet filter.
//!
//! The program refuses other architectures and the x32 numbers, then searches the number in a
//! balanced tree of ranges. Where a call has rules with tests, the leaf jumps to a block that makes
//! them one after the other.

use execute_python_sys::seccomp::{Instruction, Listener};

use super::profile::{Action, Condition, Profile, Rule, Test};
use super::{Arch, table};
use crate::plan::low_half;

/// The longest program that the kernel takes (`BPF_MAXINSNS`).
const LONGEST: usize = 4096;

// The fields of `seccomp_data`, as offsets in bytes; both architectures are little endian.
const NUMBER: u32 = 0;
const ARCHITECTURE: u32 = 4;
const ARGUMENTS: u32 = 16;

// The operations (`linux/bpf_common.h`).
const LOAD: u16 = 0x20;
const AND: u16 = 0x54;
const JUMP: u16 = 0x05;
const JUMP_EQUAL: u16 = 0x15;
const JUMP_GREATER_EQUAL: u16 = 0x35;
const JUMP_SET: u16 = 0x45;
const RETURN: u16 = 0x06;

// The answers (`linux/seccomp.h`).
const ALLOW: u32 = 0x7fff_0000;
const NOTIFY: u32 = 0x7fc0_0000;
const ERRNO: u32 = 0x0005_0000;
const KILL_PROCESS: u32 = 0x8000_0000;

const EPERM: u16 = 1;
const ENOSYS: u16 = 38;
const X32_BIT: u32 = 0x4000_0000;

/// A profile that makes no program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CompileError {
    /// It is longer than the kernel takes.
    #[error("the filter has {0} instructions, more than the kernel takes")]
    TooLong(usize),
    /// The tests of one call are too many for a jump over them.
    #[error("the rules of one system call are too long")]
    BlockTooLong,
}

/// Compiles a profile. Without a listener nobody would answer a call that is handed over, and the
/// kernel would say `ENOSYS`; such calls are then refused like any other, with `EPERM`.
pub fn compile(profile: &Profile, listener: Listener) -> Result<Vec<Instruction>, CompileError> {
    let mut program = Program::default();
    program.prologue(profile.arch());
    let leaves = leaves(profile, listener);
    program.tree(&leaves);
    program.blocks(profile, listener)?;
    if program.code.len() > LONGEST {
        return Err(CompileError::TooLong(program.code.len()));
    }
    Ok(program.code)
}

/// The value by which the kernel names an architecture (`linux/audit.h`).
fn audit(arch: Arch) -> u32 {
    match arch {
        Arch::X86_64 => 0xc000_003e,
        Arch::Aarch64 => 0xc000_00b7,
    }
}

/// What is done about a range of numbers that begins here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Leaf {
    first: u32,
    end: End,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Return(u32),
    /// The block of this call.
    Block(u32),
}

fn answer(action: Action, listener: Listener) -> u32 {
    match (action, listener) {
        (Action::Allow, _) => ALLOW,
        (Action::Errno(number), _) => ERRNO | u32::from(number),
        (Action::Notify(_), Listener::New) => NOTIFY,
        (Action::Notify(_), Listener::None) => ERRNO | u32::from(EPERM),
    }
}

/// All numbers as ranges, from 0 to beyond the table.
fn leaves(profile: &Profile, listener: Listener) -> Vec<Leaf> {
    let end = |number: u32| match profile.rules(number) {
        [] => End::Return(ERRNO | u32::from(EPERM)),
        [Rule { action, conditions }] if conditions.is_empty() => {
            End::Return(answer(*action, listener))
        }
        _ => End::Block(number),
    };
    let mut leaves: Vec<Leaf> = Vec::new();
    let highest = table::highest(profile.arch());
    for number in 0..=highest {
        let end = end(number);
        if leaves.last().is_none_or(|leaf| leaf.end != end) {
            leaves.push(Leaf { first: number, end });
        }
    }
    leaves.push(Leaf { first: highest + 1, end: End::Return(ERRNO | u32::from(ENOSYS)) });
    leaves
}

#[derive(Debug, Default)]
struct Program {
    code: Vec<Instruction>,
    /// Where a jump to the block of a call stands.
    jumps: Vec<(usize, u32)>,
}

impl Program {
    fn push(&mut self, code: u16, k: u32, jt: u8, jf: u8) {
        self.code.push(Instruction { code, jt, jf, k });
    }

    fn prologue(&mut self, arch: Arch) {
        self.push(LOAD, ARCHITECTURE, 0, 0);
        self.push(JUMP_EQUAL, audit(arch), 1, 0);
        self.push(RETURN, KILL_PROCESS, 0, 0);
        self.push(LOAD, NUMBER, 0, 0);
        if arch == Arch::X86_64 {
            self.push(JUMP_SET, X32_BIT, 0, 1);
            self.push(RETURN, KILL_PROCESS, 0, 0);
        }
    }

    /// A balanced search: each step jumps over the lower half or goes into it.
    fn tree(&mut self, leaves: &[Leaf]) {
        match leaves {
            [] => {}
            [leaf] => match leaf.end {
                End::Return(answer) => self.push(RETURN, answer, 0, 0),
                End::Block(number) => {
                    self.jumps.push((self.code.len(), number));
                    self.push(JUMP, 0, 0, 0);
                }
            },
            _ => {
                let (low, high) = leaves.split_at(leaves.len() / 2);
                self.push(JUMP_GREATER_EQUAL, high[0].first, 0, 1);
                let over = self.code.len();
                self.push(JUMP, 0, 0, 0);
                self.tree(low);
                self.code[over].k = distance(over, self.code.len());
                self.tree(high);
            }
        }
    }

    /// The tests of every call that has some, and the jumps to them.
    fn blocks(&mut self, profile: &Profile, listener: Listener) -> Result<(), CompileError> {
        for (at, number) in std::mem::take(&mut self.jumps) {
            self.code[at].k = distance(at, self.code.len());
            for rule in profile.rules(number) {
                self.rule(rule, listener)?;
            }
            self.push(RETURN, ERRNO | u32::from(EPERM), 0, 0);
        }
        Ok(())
    }

    /// One rule: its tests, each of which jumps behind the answer if it fails.
    fn rule(&mut self, rule: &Rule, listener: Listener) -> Result<(), CompileError> {
        let mut body = Program::default();
        // Where a jump to behind the rule stands: patched when its length is known.
        let mut out = Vec::new();
        for condition in &rule.conditions {
            body.condition(condition, &mut out)?;
        }
        body.push(RETURN, answer(rule.action, listener), 0, 0);
        for at in out {
            body.code[at].k = distance(at, body.code.len());
        }
        self.code.append(&mut body.code);
        Ok(())
    }

    /// One test: goes on if it holds, else takes a jump that is added to `out`.
    fn condition(
        &mut self,
        condition: &Condition,
        out: &mut Vec<usize>,
    ) -> Result<(), CompileError> {
        // For each value: the halves that count are compared; all equal means that the value fits.
        let mut equal = Vec::new();
        for value in &condition.values {
            let halves = halves(condition.mask, *value);
            let mut unequal = Vec::new();
            for (index, mask, half) in halves {
                self.push(LOAD, ARGUMENTS + u32::from(condition.argument) * 8 + index * 4, 0, 0);
                self.push(AND, mask, 0, 0);
                unequal.push(self.code.len());
                self.push(JUMP_EQUAL, half, 0, 0);
            }
            equal.push(self.code.len());
            self.push(JUMP, 0, 0, 0);
            for at in unequal {
                self.code[at].jf = short(at, self.code.len())?;
            }
        }
        // Here no value fitted.
        match condition.test {
            Test::OneOf => {
                out.push(self.code.len());
                self.push(JUMP, 0, 0, 0);
                for at in equal {
                    self.code[at].k = distance(at, self.code.len());
                }
            }
            Test::NoneOf => {
                // A value that fitted jumps to the way out, which the others step over.
                self.push(JUMP, 1, 0, 0);
                for at in equal {
                    self.code[at].k = distance(at, self.code.len());
                }
                out.push(self.code.len());
                self.push(JUMP, 0, 0, 0);
            }
        }
        Ok(())
    }
}

/// The halves of a masked comparison that say something: index, mask, value.
fn halves(mask: u64, value: u64) -> Vec<(u32, u32, u32)> {
    let (low_mask, high_mask) = split(mask);
    let (low_value, high_value) = split(value);
    let mut halves = vec![(0, low_mask, low_value)];
    if high_mask != 0 {
        halves.push((1, high_mask, high_value));
    }
    halves
}

/// The low and the high half of a word.
fn split(word: u64) -> (u32, u32) {
    (low_half(word), low_half(word >> 32))
}

/// What a jump at `from` skips to get to `to`.
fn distance(from: usize, to: usize) -> u32 {
    u32::try_from(to - from - 1).unwrap_or(u32::MAX)
}

fn short(from: usize, to: usize) -> Result<u8, CompileError> {
    u8::try_from(to - from - 1).ok().ok_or(CompileError::BlockTooLong)
}
