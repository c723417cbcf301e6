//! What is to be raised around a zygote and around a worker: pure data.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// The user id that the guest has where only one id is mapped, and the first one where many are.
pub const FIRST_GUEST_ID: u32 = 1000;

/// How many workers of one zygote can exist at a time; each has a user id of its own.
pub const MAX_WORKERS: u32 = 512;

/// The sandbox around one zygote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OuterPlan {
    /// The folder that becomes the root file system, read-only.
    pub root: PathBuf,
    /// Who the inside runs as on the host.
    pub identity: Identity,
    /// The program and its arguments, as paths of the inside.
    pub arguments: Vec<String>,
    /// Its whole environment.
    pub environment: Vec<(String, String)>,
}

/// How the user ids of the inside map to those of the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Identity {
    /// Ids from 0 on map to a range of the host that nobody else uses; needs root.
    Range {
        /// The first id on the host.
        first: u32,
        /// How many.
        count: u32,
    },
    /// The one guest id maps to the caller's own.
    Own,
}

/// The sandbox around one worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts, each named at its use")]
pub struct Plan {
    /// Which place among the zygote's workers this one takes, below [`MAX_WORKERS`].
    pub slot: u32,
    /// Whether each worker has a user id of its own; else all have the zygote's.
    pub own_id: bool,
    /// Whether Landlock is required; it is left out only where the operator waived it.
    pub landlock: bool,
    /// Whether address space is limited as well, for want of a control group.
    pub limit_addresses: bool,
    /// Whether the worker has time to get warm before it is given code.
    pub warm: bool,
    /// Whether it becomes a session: then other work folders can take the place of its own.
    pub session: bool,
    /// Private writable memory on top of what the zygote has, in bytes.
    pub memory_bytes: u64,
    /// Threads.
    pub threads: u64,
    /// Size of the work folder's file system in bytes.
    pub disk_bytes: u64,
    /// Files and folders in it.
    pub files: u64,
    /// Processor time in whole seconds after which the kernel kills.
    pub cpu_seconds: u64,
    /// Private writable memory that the zygote has, in bytes.
    pub zygote_data_bytes: u64,
    /// Address space that the zygote has, in bytes.
    pub zygote_address_bytes: u64,
}

/// The length of a plan on the wire, in bytes.
pub const PLAN_BYTES: usize = 8 * 8;

impl Plan {
    /// The user id of the worker, as the inside numbers it.
    pub fn guest_id(&self) -> u32 {
        if self.own_id { FIRST_GUEST_ID + self.slot } else { FIRST_GUEST_ID }
    }

    /// The plan as bytes of a fixed length, so that the zygote reads it without allocating.
    pub fn to_bytes(&self) -> [u8; PLAN_BYTES] {
        let flags = u64::from(self.own_id)
            | u64::from(self.landlock) << 1
            | u64::from(self.limit_addresses) << 2
            | u64::from(self.warm) << 3
            | u64::from(self.session) << 4;
        let words = [
            u64::from(self.slot) | flags << 32,
            self.memory_bytes,
            self.threads,
            self.disk_bytes,
            self.files,
            self.cpu_seconds,
            self.zygote_data_bytes,
            self.zygote_address_bytes,
        ];
        let mut bytes = [0; PLAN_BYTES];
        for (place, word) in bytes.chunks_exact_mut(8).zip(words) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        bytes
    }

    /// The plan that [`Plan::to_bytes`] wrote.
    pub fn from_bytes(bytes: &[u8; PLAN_BYTES]) -> Plan {
        let word = |index: usize| {
            let mut word = [0; 8];
            word.copy_from_slice(&bytes[index * 8..index * 8 + 8]);
            u64::from_le_bytes(word)
        };
        let flag = |bit: u32| word(0) >> (32 + bit) & 1 == 1;
        Plan {
            slot: low_half(word(0)),
            own_id: flag(0),
            landlock: flag(1),
            limit_addresses: flag(2),
            warm: flag(3),
            session: flag(4),
            memory_bytes: word(1),
            threads: word(2),
            disk_bytes: word(3),
            files: word(4),
            cpu_seconds: word(5),
            zygote_data_bytes: word(6),
            zygote_address_bytes: word(7),
        }
    }
}

/// The low half of a word.
pub(crate) fn low_half(word: u64) -> u32 {
    let [a, b, c, d, ..] = word.to_le_bytes();
    u32::from_le_bytes([a, b, c, d])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_survives_the_wire() {
        for flags in 0..32_u8 {
            let plan = Plan {
                slot: 511,
                own_id: flags & 1 != 0,
                landlock: flags & 2 != 0,
                limit_addresses: flags & 4 != 0,
                warm: flags & 8 != 0,
                session: flags & 16 != 0,
                memory_bytes: 1,
                threads: 2,
                disk_bytes: 3,
                files: 4,
                cpu_seconds: 5,
                zygote_data_bytes: 6,
                zygote_address_bytes: u64::MAX,
            };
            assert_eq!(Plan::from_bytes(&plan.to_bytes()), plan);
        }
    }
}
