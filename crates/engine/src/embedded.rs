//! The two objects that the engine carries: the launcher and the extension inside CPython.

use std::fs;
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::MemfdFlags;

use crate::digest;

const LAUNCHER: &[u8] = include_bytes!(env!("LAUNCHER"));
const ZYGOTE: &[u8] = include_bytes!(env!("ZYGOTE"));

/// Where the extension is put, relative to the root file system of an environment.
const FOLDER: &str = "usr/lib/execute-python";

/// The launcher as a file in memory.
pub(crate) fn launcher() -> io::Result<OwnedFd> {
    let descriptor = rustix::fs::memfd_create("execute-python-launcher", MemfdFlags::CLOEXEC)?;
    let mut file = fs::File::from(descriptor);
    file.write_all(LAUNCHER)?;
    Ok(OwnedFd::from(file))
}

/// Puts the extension into a root file system, unless it is there; gives its path as the inside
/// sees it. The name holds a digest of the content, so versions do not meet.
pub(crate) fn install_zygote(root: &Path) -> io::Result<PathBuf> {
    let name = zygote_name();
    let folder = root.join(FOLDER);
    let place = folder.join(&name);
    if !place.exists() {
        // Whoever else installs it at the same time, in this process or another, stages its own.
        let staged = folder.join(format!(".{name}.{}", uuid::Uuid::now_v7().simple()));
        fs::write(&staged, ZYGOTE)?;
        fs::set_permissions(&staged, fs::Permissions::from_mode(0o755))?;
        fs::rename(&staged, &place)?;
    }
    Ok(Path::new("/").join(FOLDER).join(name))
}

fn zygote_name() -> String {
    format!("zygote-{}.so", digest::hex(&digest::of(ZYGOTE)[..8]))
}
