//! The messages between the engine, a zygote and a worker, in bytes.
//!
//! Engine and zygote exchange packets of fixed length, so that the zygote, whose memory must not be
//! touched, allocates nothing. A worker and the engine exchange frames on two pipes: a length of four
//! bytes, little endian, and that many bytes; those of a worker begin with a mark.

use crate::plan::{PLAN_BYTES, Plan, low_half};

/// How many descriptors come with the order for a worker, groups left out: commands, messages,
/// standard output, standard error, trace.
pub const WORKER_DESCRIPTORS: usize = 5;
/// The most control groups that a worker joins.
pub const MOST_GROUPS: usize = 2;
/// The length of an order to the zygote in bytes.
pub const ORDER_BYTES: usize = PLAN_BYTES;
/// The length of a report of the zygote in bytes.
pub const REPORT_BYTES: usize = 24;
/// What precedes each frame, in bytes.
pub const LENGTH_BYTES: usize = 4;
/// What each frame of a worker begins with, in bytes: a mark that the engine draws for it. A guest
/// that writes to the pipe without knowing it makes noise between frames and hides none of them; one
/// that reads it out of its memory can say what it likes, as it could anyway.
pub const MARK_BYTES: usize = 16;
/// The longest frame that is taken, in bytes.
pub const LONGEST_FRAME: usize = 32 << 20;

/// An order to the zygote: fork a worker of this plan.
pub fn order(plan: &Plan) -> [u8; ORDER_BYTES] {
    plan.to_bytes()
}

/// What a zygote tells the engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Report {
    /// It is warm and takes orders.
    Warm {
        /// Private writable memory that it has, in bytes.
        data_bytes: u64,
        /// Address space that it has, in bytes.
        address_bytes: u64,
    },
    /// A worker was forked; its pidfd comes with this.
    Forked {
        /// The slot of its plan.
        slot: u32,
    },
    /// A worker could not be forked.
    Refused {
        /// The slot of its plan.
        slot: u32,
        /// The kernel's error number.
        errno: i32,
    },
    /// A worker ended.
    Ended {
        /// The slot of its plan.
        slot: u32,
        /// The status word of `wait(2)`.
        status: i32,
        /// Processor time of all its threads in microseconds.
        cpu_time_us: u64,
    },
}

impl Report {
    /// The report as bytes.
    pub fn to_bytes(self) -> [u8; REPORT_BYTES] {
        let (kind, small, a, b) = match self {
            Report::Warm { data_bytes, address_bytes } => (1, 0, data_bytes, address_bytes),
            Report::Forked { slot } => (2, slot, 0, 0),
            Report::Refused { slot, errno } => (3, slot, u64::from(errno.unsigned_abs()), 0),
            Report::Ended { slot, status, cpu_time_us } => {
                (4, slot, u64::from(status.cast_unsigned()), cpu_time_us)
            }
        };
        let mut bytes = [0; REPORT_BYTES];
        bytes[..4].copy_from_slice(&u32::to_le_bytes(kind));
        bytes[4..8].copy_from_slice(&u32::to_le_bytes(small));
        bytes[8..16].copy_from_slice(&u64::to_le_bytes(a));
        bytes[16..].copy_from_slice(&u64::to_le_bytes(b));
        bytes
    }

    /// The report that [`Report::to_bytes`] wrote; `None` for bytes that are none.
    pub fn from_bytes(bytes: &[u8]) -> Option<Report> {
        let bytes: &[u8; REPORT_BYTES] = bytes.try_into().ok()?;
        let word = |at: usize| {
            let mut word = [0; 8];
            word.copy_from_slice(&bytes[at..at + 8]);
            u64::from_le_bytes(word)
        };
        let (kind, slot) = (low_half(word(0)), low_half(word(0) >> 32));
        match kind {
            1 => Some(Report::Warm { data_bytes: word(8), address_bytes: word(16) }),
            2 => Some(Report::Forked { slot }),
            3 => Some(Report::Refused { slot, errno: low_half(word(8)).cast_signed() }),
            4 => Some(Report::Ended {
                slot,
                status: low_half(word(8)).cast_signed(),
                cpu_time_us: word(16),
            }),
            _ => None,
        }
    }
}

/// A frame with this content, or `None` if it would be too long.
pub fn frame(content: &[u8]) -> Option<Vec<u8>> {
    let length = u32::try_from(content.len()).ok().filter(|_| content.len() <= LONGEST_FRAME)?;
    let mut bytes = Vec::with_capacity(LENGTH_BYTES + content.len());
    bytes.extend_from_slice(&length.to_le_bytes());
    bytes.extend_from_slice(content);
    Some(bytes)
}

/// A frame that cannot be one: longer than [`LONGEST_FRAME`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a frame of {0} bytes is too long")]
pub struct FrameTooLong(pub u32);

/// Skips noise: how many bytes of `bytes` come before the first mark, or before what may become one.
pub fn noise(bytes: &[u8], mark: &[u8; MARK_BYTES]) -> usize {
    let whole = bytes.windows(MARK_BYTES).position(|window| window == mark);
    let begun = || {
        (bytes.len().saturating_sub(MARK_BYTES - 1)..bytes.len())
            .find(|start| mark.starts_with(&bytes[*start..]))
    };
    whole.or_else(begun).unwrap_or(bytes.len())
}

/// Takes the first whole frame out of `bytes`: its content, and how many bytes it took. `None` means
/// that more bytes are needed.
pub fn split_frame(bytes: &[u8]) -> Result<Option<(&[u8], usize)>, FrameTooLong> {
    let Some((length, rest)) = bytes.split_first_chunk::<LENGTH_BYTES>() else { return Ok(None) };
    let length = u32::from_le_bytes(*length);
    let size = usize::try_from(length).unwrap_or(usize::MAX);
    if size > LONGEST_FRAME {
        return Err(FrameTooLong(length));
    }
    Ok(rest.get(..size).map(|content| (content, LENGTH_BYTES + size)))
}

/// What a worker is told to do. An empty frame is no command: it takes note of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Command<'a> {
    /// Run a cell to its very end.
    Run(Cell<'a>),
    /// Run a cell of a session, after which more may come.
    RunOn(Cell<'a>),
    /// Leave a frozen copy of the process as it is now, then go on.
    Freeze,
    /// Answer a question about the session: a JSON object.
    Ask(&'a str),
    /// Take note of what the caller offers to the cells that come: a JSON object.
    Equip(&'a str),
    /// Become the keeper of a session, or as one: bear a process that runs its cells.
    Bear,
    /// As a keeper: tell how processes ended that have ended.
    Reap,
}

impl<'a> Command<'a> {
    /// The content of the frame that gives the command.
    pub fn to_bytes(&self) -> Vec<u8> {
        match self {
            Command::Run(cell) => [vec![b'r'], cell.to_bytes()].concat(),
            Command::RunOn(cell) => [vec![b'o'], cell.to_bytes()].concat(),
            Command::Freeze => vec![b'f'],
            Command::Ask(question) => [b"a", question.as_bytes()].concat(),
            Command::Equip(offer) => [b"q", offer.as_bytes()].concat(),
            Command::Bear => vec![b'b'],
            Command::Reap => vec![b'e'],
        }
    }

    /// The command that [`Command::to_bytes`] wrote; `None` for bytes that are none.
    pub fn from_bytes(bytes: &'a [u8]) -> Option<Command<'a>> {
        let (kind, rest) = bytes.split_first()?;
        match kind {
            b'r' => Some(Command::Run(Cell::from_bytes(rest)?)),
            b'o' => Some(Command::RunOn(Cell::from_bytes(rest)?)),
            b'f' => Some(Command::Freeze),
            b'a' => Some(Command::Ask(str::from_utf8(rest).ok()?)),
            b'q' => Some(Command::Equip(str::from_utf8(rest).ok()?)),
            b'b' => Some(Command::Bear),
            b'e' => Some(Command::Reap),
            _ => None,
        }
    }
}

/// What a held process is told when it may go on, as the answer to its `hold`.
pub const GO_ON: u32 = 1;

/// A program that a worker is to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cell<'a> {
    /// The file name that tracebacks show.
    pub name: &'a str,
    /// The source text.
    pub code: &'a str,
    /// Whether `/mnt/stdin` is its standard input; else it has none.
    pub stdin: bool,
}

impl<'a> Cell<'a> {
    fn to_bytes(self) -> Vec<u8> {
        let name_length = u32::try_from(self.name.len()).unwrap_or(u32::MAX);
        let mut bytes = Vec::with_capacity(5 + self.name.len() + self.code.len());
        bytes.push(u8::from(self.stdin));
        bytes.extend_from_slice(&name_length.to_le_bytes());
        bytes.extend_from_slice(self.name.as_bytes());
        bytes.extend_from_slice(self.code.as_bytes());
        bytes
    }

    fn from_bytes(bytes: &'a [u8]) -> Option<Cell<'a>> {
        let (stdin, rest) = bytes.split_first()?;
        let (length, rest) = rest.split_first_chunk::<4>()?;
        let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
        let (name, code) = rest.split_at_checked(length)?;
        Some(Cell {
            name: str::from_utf8(name).ok()?,
            code: str::from_utf8(code).ok()?,
            stdin: *stdin != 0,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_survives_the_wire() {
        for report in [
            Report::Warm { data_bytes: 1 << 40, address_bytes: 7 },
            Report::Forked { slot: 511 },
            Report::Refused { slot: 1, errno: 11 },
            Report::Ended { slot: 2, status: 139, cpu_time_us: 1 << 50 },
        ] {
            assert_eq!(Report::from_bytes(&report.to_bytes()), Some(report));
        }
    }

    #[test]
    fn bytes_that_are_no_report_are_none() {
        assert_eq!(Report::from_bytes(&[9; REPORT_BYTES]), None);
        assert_eq!(Report::from_bytes(&[1; REPORT_BYTES - 1]), None);
    }

    #[test]
    fn a_frame_is_split_off_only_when_it_is_whole() {
        let mut bytes = frame(b"hello").unwrap();
        bytes.extend_from_slice(b"rest");
        assert_eq!(split_frame(&bytes), Ok(Some((&b"hello"[..], 9))));
        for end in 0..9 {
            assert_eq!(split_frame(&bytes[..end]), Ok(None));
        }
    }

    #[test]
    fn a_frame_that_claims_to_be_too_long_is_refused_before_it_is_read() {
        assert_eq!(split_frame(&[0xff; 4]), Err(FrameTooLong(u32::MAX)));
    }

    #[test]
    fn noise_ends_where_a_mark_begins() {
        let mark = b"0123456789abcdef";
        for (bytes, wanted) in [
            (&b""[..], 0),
            (b"junk", 4),
            (b"0123456789abcdefX", 0),
            (b"junk0123456789abcdefX", 4),
            (b"junk01234", 4),
            (b"0120123456789abcdef", 3),
        ] {
            assert_eq!(noise(bytes, mark), wanted, "{bytes:?}");
        }
    }

    #[test]
    fn a_command_survives_the_wire() {
        let cell = Cell { name: "größe.py", code: "print('日本')", stdin: true };
        for command in [
            Command::Run(cell),
            Command::RunOn(cell),
            Command::Freeze,
            Command::Ask("{}"),
            Command::Equip("{}"),
            Command::Bear,
            Command::Reap,
        ] {
            assert_eq!(Command::from_bytes(&command.to_bytes()), Some(command));
        }
    }
}
