//! What the fuzz targets reach that nobody else does.

use std::fs::File;
use std::os::fd::OwnedFd;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::delivery::{Delivery, Sink};
use crate::message::Message;
use crate::work_folder::{Budget, WorkFolder};

/// Parses a message of a worker.
pub fn parse_message(bytes: &[u8]) {
    drop(Message::parse(bytes));
}

/// Collects a folder as if it were the mount of a work folder; gives the contents.
pub fn collect(mount: &Path, bytes: u64) -> Vec<Vec<u8>> {
    let Ok(mount) = File::open(mount) else { return Vec::new() };
    let folder = WorkFolder::new(OwnedFd::from(mount), None, None);
    let budget = Budget { bytes, files: 100 };
    let collected = folder.collect(budget, &mut Sink::new(Delivery::Inline));
    let content = |text: String| STANDARD.decode(text).ok();
    collected.artifacts.into_iter().filter_map(|artifact| content(artifact.content?)).collect()
}
