//! What a run uses while it goes on.

use std::time::{Duration, Instant};

use execute_python_protocol::{Event, Usage};
use execute_python_sandbox::cgroup::Group;

use super::{Run, milliseconds};
use crate::groups::Lease;

/// How often it is told.
pub(super) const TOLD_EVERY: Duration = Duration::from_millis(100);

impl Run {
    /// Tells what the run uses now.
    pub(super) fn tell_usage(&mut self) {
        self.tell = Instant::now() + TOLD_EVERY;
        let (disk_bytes, files) = self.worker.work_folder.usage();
        let group = self.worker.group.as_deref().and_then(Lease::group);
        let usage = Usage {
            wall_time_ms: milliseconds(self.started.elapsed()),
            cpu_time_ms: milliseconds(self.cpu_time()),
            memory_bytes: group.and_then(Group::memory_now).unwrap_or(0),
            threads: self.worker.process.threads(),
            disk_bytes,
            files,
            output_bytes: self.stdout.capture.total() + self.stderr.capture.total(),
        };
        drop(self.task.events.send(Event::Usage { usage }));
    }
}
