//! The mounts of a zygote and of a worker.
//!
//! A zygote's root is the environment's folder, read-only, with five device nodes and a small file
//! system in memory for what packages write while they are imported. A worker needs one mount more:
//! its work folder, which covers the zygote's. Few mounts matter, because each costs about 2 µs in
//! every worker.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;

use rustix::fs::{AtFlags, CWD, Mode, OFlags};
use rustix::mount::{
    FsMountFlags, FsOpenFlags, MountAttrFlags, MountFlags, MountPropagationFlags, MoveMountFlags,
    OpenTreeFlags, UnmountFlags, fsconfig_create, fsconfig_set_string, fsmount, fsopen, mount_bind,
    mount_change, mount_remount, move_mount, open_tree, unmount,
};
use rustix::process::{Gid, Uid};

use crate::plan::Plan;

/// Where the file system in memory is mounted.
const MEMORY: &str = "/mnt";
/// The folders in it: the work folder first.
const FOLDERS: [&str; 4] = ["data", "tmp", "home", "shm"];
/// The file in it that is the guest's standard input.
const STDIN: &str = "stdin";
/// The device nodes that a guest has.
const DEVICES: [&str; 5] = ["null", "zero", "full", "random", "urandom"];

/// Mounts a worker's work folder and moves there. The mount is returned, so that whoever holds it
/// can read the files when the worker is dead.
///
/// The root of the file system cannot be listed, so that a guest sees only the folders it is told
/// of; its owner, which a guest with an id of its own is not, may make files there. Nothing in it can be executed, and no device or set-user-id file works.
pub(crate) fn work_folder(plan: &Plan) -> io::Result<OwnedFd> {
    let id = plan.guest_id();
    let owner = Some((Uid::from_raw(id), Gid::from_raw(id)));
    // The root and the folders take inodes as well; they are not the guest's.
    let inodes = plan.files.saturating_add(FOLDERS.len() as u64 + 1 + u64::from(plan.session));
    let mount = memory_file_system(plan.disk_bytes, inodes, owner)?;
    if plan.session {
        make_stdin(&mount)?;
    }
    move_mount(&mount, "", CWD, MEMORY, MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH)?;
    rustix::process::chdir("/mnt/data")?;
    Ok(mount)
}

/// Makes the standard input, which has to be there to be mounted over.
fn make_stdin(mount: &OwnedFd) -> io::Result<()> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
    let mode = Mode::RUSR | Mode::WUSR | Mode::RGRP | Mode::ROTH;
    rustix::fs::openat(mount, STDIN, flags, mode)?;
    Ok(())
}

/// Mounts another work folder over the folders of the one of the calling process's mount namespace; gives
/// its mount, of the whole.
pub(crate) fn another_work_folder(bytes: u64, files: u64, guest: u32) -> io::Result<OwnedFd> {
    let owner = Some((Uid::from_raw(guest), Gid::from_raw(guest)));
    let inodes = files.saturating_add(FOLDERS.len() as u64 + 2);
    let mount = memory_file_system(bytes, inodes, owner)?;
    make_stdin(&mount)?;
    // Only what is mounted in this namespace can be mounted again in part, so the whole is mounted first,
    // where the last part then covers it.
    let [first @ .., last] = FOLDERS;
    let whole = Path::new(MEMORY).join(last);
    move_mount(&mount, "", CWD, &whole, MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH)?;
    for name in first.into_iter().chain([STDIN, last]) {
        let flags = OpenTreeFlags::OPEN_TREE_CLONE | OpenTreeFlags::OPEN_TREE_CLOEXEC;
        let part = open_tree(&mount, name, flags)?;
        let place = Path::new(MEMORY).join(name);
        move_mount(&part, "", CWD, place, MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH)?;
    }
    Ok(mount)
}

fn memory_file_system(bytes: u64, inodes: u64, owner: Option<(Uid, Gid)>) -> io::Result<OwnedFd> {
    let context = fsopen("tmpfs", FsOpenFlags::FSOPEN_CLOEXEC)?;
    fsconfig_set_string(context.as_fd(), "size", bytes.to_string())?;
    fsconfig_set_string(context.as_fd(), "nr_inodes", inodes.to_string())?;
    fsconfig_set_string(context.as_fd(), "mode", "0311")?;
    fsconfig_create(context.as_fd())?;
    let attributes = MountAttrFlags::MOUNT_ATTR_NOSUID
        | MountAttrFlags::MOUNT_ATTR_NODEV
        | MountAttrFlags::MOUNT_ATTR_NOEXEC;
    let mount = fsmount(context.as_fd(), FsMountFlags::FSMOUNT_CLOEXEC, attributes)?;
    for folder in FOLDERS {
        rustix::fs::mkdirat(&mount, folder, Mode::RWXU)?;
        if let Some((user, group)) = owner {
            let follow = AtFlags::SYMLINK_NOFOLLOW;
            rustix::fs::chownat(&mount, folder, Some(user), Some(group), follow)?;
        }
    }
    Ok(mount)
}

/// Makes `root` the root of the calling process's mount namespace: read-only, with device nodes and
/// a small file system in memory; everything else of the host is detached.
pub(crate) fn pivot_into(root: &Path) -> io::Result<()> {
    let private = MountPropagationFlags::PRIVATE | MountPropagationFlags::REC;
    mount_change("/", private)?;
    mount_bind(root, root)?;
    for device in DEVICES {
        let place = root.join("dev").join(device);
        mount_bind(Path::new("/dev").join(device), &place)?;
    }
    remount_read_only(root)?;
    rustix::process::chdir(root)?;
    // `pivot_root(2)`: with the same folder twice the old root ends up mounted over the new one,
    // from where it is detached; no folder for it is needed.
    rustix::process::pivot_root(".", ".")?;
    unmount(".", UnmountFlags::DETACH)?;
    rustix::process::chdir("/")?;
    Ok(())
}

/// Remounts a bind mount read-only. The flags that the mount has must be repeated: in a user
/// namespace they are locked, and leaving one out is refused (`mount_namespaces(7)`).
fn remount_read_only(root: &Path) -> io::Result<()> {
    let kept = rustix::fs::statvfs(root)?.f_flag;
    let mut flags = MountFlags::BIND | MountFlags::RDONLY | MountFlags::NOSUID | MountFlags::NODEV;
    for (has, flag) in [
        (rustix::fs::StatVfsMountFlags::NOEXEC, MountFlags::NOEXEC),
        (rustix::fs::StatVfsMountFlags::NOATIME, MountFlags::NOATIME),
        (rustix::fs::StatVfsMountFlags::NODIRATIME, MountFlags::NODIRATIME),
        (rustix::fs::StatVfsMountFlags::RELATIME, MountFlags::RELATIME),
    ] {
        if kept.contains(has) {
            flags |= flag;
        }
    }
    mount_remount(root, flags, "")?;
    Ok(())
}

/// Mounts the zygote's own file system in memory, for what packages write while they are imported.
pub(crate) fn zygote_memory() -> io::Result<()> {
    let mount = memory_file_system(64 << 20, 1_000, None)?;
    move_mount(&mount, "", CWD, MEMORY, MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH)?;
    Ok(())
}
