//! Control groups, version 1 and 2, by their files.
//!
//! Each worker gets a group of its own under one tree per engine. The tree stands below the group
//! that the engine itself runs in, so that whatever limits hold for the engine hold for all runs
//! together. Version 2 is used where it has the controllers, else version 1.

use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// What the name of every tree begins with; the engine's process id and a number follow.
const PREFIX: &str = "execute-python-";

/// Why there are no control groups to be had.
#[derive(Debug, thiserror::Error)]
pub enum GroupError {
    /// The kernel or the mounts lack a controller.
    #[error("the `{0}` controller of the control groups is not there")]
    Controller(&'static str),
    /// A group could not be made or set up.
    #[error("cannot use the control group `{path}`")]
    Path {
        /// The group or the file in it.
        path: PathBuf,
        /// The kernel's answer.
        source: io::Error,
    },
}

impl GroupError {
    /// What the operator can do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            GroupError::Controller(_) => {
                "mount the control groups with memory and pids, or waive the layer with `--waive cgroup`"
            }
            GroupError::Path { .. } => {
                "run as root, or in a group of your own: `systemd-run --user --scope --property=Delegate=yes …`; `--waive cgroup` goes without"
            }
        }
    }
}

/// Where groups of workers can be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hierarchy {
    /// One tree per controller.
    V1 {
        /// The engine's group of the memory controller.
        memory: PathBuf,
        /// The engine's group of the pids controller.
        pids: PathBuf,
    },
    /// One tree for all.
    V2 {
        /// The engine's group.
        base: PathBuf,
    },
}

impl Hierarchy {
    /// Finds the groups that the calling process is in.
    pub fn find() -> Result<Hierarchy, GroupError> {
        let read = |path: &str| {
            fs::read_to_string(path)
                .map_err(|source| GroupError::Path { path: PathBuf::from(path), source })
        };
        Self::from_tables(&read("/proc/self/cgroup")?, &read("/proc/self/mountinfo")?)
    }

    /// The same from the text of `/proc/self/cgroup` and `/proc/self/mountinfo`.
    fn from_tables(groups: &str, mounts: &str) -> Result<Hierarchy, GroupError> {
        let v1 = |controller: &'static str| {
            let own =
                own_group(groups, |controllers| controllers.split(',').any(|c| c == controller))?;
            let mount = group_mount(mounts, "cgroup", Some(controller))?;
            Some(mount.place(own))
        };
        if let (Some(memory), Some(pids)) = (v1("memory"), v1("pids")) {
            return Ok(Hierarchy::V1 { memory, pids });
        }
        let base = own_group(groups, str::is_empty)
            .zip(group_mount(mounts, "cgroup2", None))
            .map(|(own, mount)| mount.place(own))
            .ok_or(GroupError::Controller("memory"))?;
        let there = fs::read_to_string(base.join("cgroup.controllers")).unwrap_or_default();
        for controller in ["memory", "pids"] {
            if !there.split_whitespace().any(|c| c == controller) {
                return Err(GroupError::Controller(controller));
            }
        }
        Ok(Hierarchy::V2 { base })
    }
}

/// A mount of control groups: where it is, and which group is its root.
#[derive(Debug)]
struct GroupMount {
    root: String,
    at: PathBuf,
}

impl GroupMount {
    /// Where a group, as `/proc/self/cgroup` names it, is in the file system.
    fn place(&self, group: &str) -> PathBuf {
        let below = if self.root == "/" { Some(group) } else { group.strip_prefix(&self.root) };
        self.at.join(below.unwrap_or("").trim_start_matches('/'))
    }
}

/// The path in the line of `/proc/self/cgroup` whose controllers fit.
fn own_group(groups: &str, fits: impl Fn(&str) -> bool) -> Option<&str> {
    groups.lines().find_map(|line| {
        let (_, rest) = line.split_once(':')?;
        let (controllers, path) = rest.split_once(':')?;
        fits(controllers).then_some(path)
    })
}

/// The mount of this type; `proc_pid_mountinfo(5)`: the type follows a lone dash, then come the
/// source and the options of the file system, which name the controllers of version 1.
fn group_mount(mounts: &str, kind: &str, controller: Option<&str>) -> Option<GroupMount> {
    mounts.lines().find_map(|line| {
        let (place, system) = line.split_once(" - ")?;
        let mut system = system.split(' ');
        let fits = system.next()? == kind
            && controller.is_none_or(|name| {
                system.nth(1).is_some_and(|options| options.split(',').any(|o| o == name))
            });
        let mut place = place.split(' ').skip(3);
        let (root, at) = (place.next()?, place.next()?);
        fits.then(|| GroupMount { root: root.to_owned(), at: PathBuf::from(at) })
    })
}

/// The groups of one engine; removed on drop.
#[derive(Debug)]
pub struct Tree {
    folders: Vec<PathBuf>,
    version: Version,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Version {
    V1,
    V2,
}

impl Tree {
    /// Makes a tree for this engine, and removes those that engines which were killed left behind.
    pub fn create(hierarchy: &Hierarchy) -> Result<Tree, GroupError> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("{PREFIX}{}-{number}", std::process::id());
        match hierarchy {
            Hierarchy::V1 { memory, pids } => {
                let folders = vec![memory.join(&name), pids.join(&name)];
                for folder in &folders {
                    sweep(folder);
                    make(folder)?;
                }
                Ok(Tree { folders, version: Version::V1 })
            }
            Hierarchy::V2 { base } => {
                leave_inner_node(base)?;
                delegate(base)?;
                let folder = base.join(&name);
                sweep(&folder);
                make(&folder)?;
                delegate(&folder)?;
                Ok(Tree { folders: vec![folder], version: Version::V2 })
            }
        }
    }

    /// Makes the group of one worker. `memory_bytes` holds for processes and files in memory
    /// together; swap is not given.
    pub fn group(
        &self,
        name: &str,
        memory_bytes: u64,
        threads: u64,
        death: Death,
    ) -> Result<Group, GroupError> {
        let folders: Vec<PathBuf> = self.folders.iter().map(|f| f.join(name)).collect();
        let mut group =
            Group { folders, version: self.version, memory_peak: None, threads_peak: None };
        for folder in &group.folders {
            make(folder)?;
        }
        group.open_peaks();
        let memory = memory_bytes.to_string();
        let threads = threads.to_string();
        match self.version {
            Version::V1 => {
                set(&group.folders[0].join("memory.limit_in_bytes"), &memory)?;
                set_if_there(&group.folders[0].join("memory.memsw.limit_in_bytes"), &memory)?;
                set_if_there(&group.folders[0].join("memory.swappiness"), "0")?;
                set(&group.folders[1].join("pids.max"), &threads)?;
            }
            Version::V2 => {
                set(&group.folders[0].join("memory.max"), &memory)?;
                set_if_there(&group.folders[0].join("memory.swap.max"), "0")?;
                let together = if death == Death::OfAll { "1" } else { "0" };
                set_if_there(&group.folders[0].join("memory.oom.group"), together)?;
                set(&group.folders[0].join("pids.max"), &threads)?;
            }
        }
        Ok(group)
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        for folder in &self.folders {
            remove_tree(folder);
        }
    }
}

/// What the kernel kills in a group that has no memory left. Version 1 always kills one process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Death {
    /// All its processes.
    OfAll,
    /// One of them.
    OfOne,
}

/// The control group of one worker; removed on drop, when the worker is dead.
#[derive(Debug)]
pub struct Group {
    folders: Vec<PathBuf>,
    version: Version,
    /// The files of the peaks, opened beforehand: they are read when somebody waits for an outcome.
    memory_peak: Option<fs::File>,
    threads_peak: Option<fs::File>,
}

impl Group {
    /// The file of each controller to which a process of one thread writes 0 to join.
    ///
    /// Of version 1 it is the list of threads: a thread that moves itself takes no lock, while moving
    /// a process waits for all processors, often for 15 ms.
    pub fn process_lists(&self) -> Result<Vec<OwnedFd>, GroupError> {
        self.folders
            .iter()
            .map(|folder| {
                let path = folder.join(match self.version {
                    Version::V1 => "tasks",
                    Version::V2 => "cgroup.procs",
                });
                match fs::OpenOptions::new().write(true).open(&path) {
                    Ok(file) => Ok(OwnedFd::from(file)),
                    Err(source) => Err(GroupError::Path { path, source }),
                }
            })
            .collect()
    }

    /// Opens the files of the peaks, where the kernel has them (Linux 5.19 and 6.1 for version 2).
    fn open_peaks(&mut self) {
        let memory = match self.version {
            Version::V1 => "memory.max_usage_in_bytes",
            Version::V2 => "memory.peak",
        };
        let open = |folder: Option<&PathBuf>, file| fs::File::open(folder?.join(file)).ok();
        self.memory_peak = open(self.folders.first(), memory);
        self.threads_peak = open(self.folders.last(), "pids.peak");
    }

    /// The highest memory use so far in bytes, where the kernel keeps it.
    pub fn memory_peak(&self) -> Option<u64> {
        number(self.memory_peak.as_ref()?)
    }

    /// How many processes of the group the kernel killed for want of memory.
    pub fn memory_kills(&self) -> u64 {
        let file = match self.version {
            Version::V1 => "memory.oom_control",
            Version::V2 => "memory.events",
        };
        let text = fs::read_to_string(self.folders[0].join(file)).unwrap_or_default();
        let count = text.lines().find_map(|line| line.strip_prefix("oom_kill "));
        count.and_then(|count| count.parse().ok()).unwrap_or(0)
    }

    /// The processes in the group, as the caller's pid namespace numbers them.
    pub fn processes(&self) -> Result<Vec<i32>, GroupError> {
        let path = self.folders[0].join("cgroup.procs");
        match fs::read_to_string(&path) {
            Ok(text) => Ok(text.lines().filter_map(|line| line.parse().ok()).collect()),
            Err(source) => Err(GroupError::Path { path, source }),
        }
    }

    /// The memory that the group uses now, in bytes.
    pub fn memory_now(&self) -> Option<u64> {
        let file = match self.version {
            Version::V1 => "memory.usage_in_bytes",
            Version::V2 => "memory.current",
        };
        number(&fs::File::open(self.folders[0].join(file)).ok()?)
    }

    /// Has the peak of memory begin anew, where the kernel can do that.
    pub fn reset_peak(&self) {
        if self.version == Version::V1 {
            drop(set(&self.folders[0].join("memory.max_usage_in_bytes"), "0"));
        }
    }

    /// Sets the group back, so that it looks like a new one. Gives `false` if it cannot: then it is to
    /// be dropped. A group that still has a process cannot.
    pub fn renew(&self) -> bool {
        // Only version 1 sets a peak back, and that of threads no kernel does.
        self.version == Version::V1
            && self.folders.iter().all(|folder| has_no_process(folder))
            && self.threads_peak().is_none_or(|peak| peak <= 1)
            && self.memory_kills() == 0
            && set(&self.folders[0].join("memory.max_usage_in_bytes"), "0").is_ok()
    }

    /// The most threads at one time so far, where the kernel keeps it.
    pub fn threads_peak(&self) -> Option<u64> {
        number(self.threads_peak.as_ref()?)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        for folder in &self.folders {
            remove(folder);
        }
    }
}

/// Version 2 gives controllers only to the children of a group without processes, the root
/// excepted: the engine moves itself into a leaf.
fn leave_inner_node(base: &Path) -> Result<(), GroupError> {
    if !base.join("cgroup.type").exists() {
        return Ok(());
    }
    let leaf = base.join("execute-python-engine");
    make(&leaf)?;
    set(&leaf.join("cgroup.procs"), "0")
}

fn delegate(folder: &Path) -> Result<(), GroupError> {
    set(&folder.join("cgroup.subtree_control"), "+memory +pids")
}

/// Removes the trees beside `own` whose engine is gone.
fn sweep(own: &Path) {
    let Some(entries) = own.parent().and_then(|parent| fs::read_dir(parent).ok()) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let engine = name.to_str().and_then(|n| n.strip_prefix(PREFIX)?.split_once('-'));
        if let Some(Ok(pid)) = engine.map(|(pid, _)| pid.parse::<u32>())
            && !Path::new(&format!("/proc/{pid}")).exists()
        {
            remove_tree(&entry.path());
        }
    }
}

fn remove_tree(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            remove(&entry.path());
        }
    }
    remove(folder);
}

/// Removes an empty group. One that is still in use stays: the next engine sweeps it.
fn remove(folder: &Path) {
    drop(fs::remove_dir(folder));
}

fn make(folder: &Path) -> Result<(), GroupError> {
    match fs::create_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        other => other.map_err(|source| GroupError::Path { path: folder.to_owned(), source }),
    }
}

fn set(path: &Path, value: &str) -> Result<(), GroupError> {
    fs::write(path, value).map_err(|source| GroupError::Path { path: path.to_owned(), source })
}

/// Sets a file that not every kernel has.
fn set_if_there(path: &Path, value: &str) -> Result<(), GroupError> {
    if path.exists() { set(path, value) } else { Ok(()) }
}

/// Whether a group of version 1 has no thread in it.
fn has_no_process(folder: &Path) -> bool {
    fs::read(folder.join("tasks")).is_ok_and(|tasks| tasks.is_empty())
}

/// The number that a file of the kernel holds now.
fn number(file: &fs::File) -> Option<u64> {
    let mut text = [0; 32];
    let length = file.read_at(&mut text, 0).ok()?;
    str::from_utf8(&text[..length]).ok()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOUNTS_V1: &str = "\
33 32 0:29 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory
34 32 0:30 / /sys/fs/cgroup/pids rw,relatime - cgroup cgroup rw,pids
35 32 0:31 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw";

    #[test]
    fn version_1_is_found_by_its_controllers() {
        let groups = "8:pids:/\n4:memory:/service/a1\n0::/";
        assert_eq!(
            Hierarchy::from_tables(groups, MOUNTS_V1).unwrap(),
            Hierarchy::V1 {
                memory: PathBuf::from("/sys/fs/cgroup/memory/service/a1"),
                pids: PathBuf::from("/sys/fs/cgroup/pids/"),
            }
        );
    }

    #[test]
    fn a_mount_of_a_part_of_the_tree_is_taken_into_account() {
        let mount = group_mount(
            "1 2 0:3 /docker/c1 /cg rw - cgroup cgroup rw,memory",
            "cgroup",
            Some("memory"),
        );
        assert_eq!(mount.unwrap().place("/docker/c1/sub"), PathBuf::from("/cg/sub"));
    }

    /// A folder that stands in for a mounted version 2, as its files look to a delegated user.
    fn version_2() -> (tempfile::TempDir, Hierarchy) {
        let dir = tempfile::tempdir().unwrap();
        let at = dir.path().join("user");
        fs::create_dir(&at).unwrap();
        fs::write(at.join("cgroup.controllers"), "cpu memory pids\n").unwrap();
        fs::write(at.join("cgroup.type"), "domain\n").unwrap();
        let mounts = format!("1 2 0:3 / {} rw - cgroup2 cgroup2 rw", dir.path().display());
        let hierarchy = Hierarchy::from_tables("0::/user", &mounts).unwrap();
        assert_eq!(hierarchy, Hierarchy::V2 { base: at });
        (dir, hierarchy)
    }

    #[test]
    fn version_2_gets_its_controllers_and_the_engine_leaves_the_inner_node() {
        let (dir, hierarchy) = version_2();
        let tree = Tree::create(&hierarchy).unwrap();
        let base = dir.path().join("user");
        let read = |path: &str| fs::read_to_string(base.join(path)).unwrap();
        assert_eq!(read("execute-python-engine/cgroup.procs"), "0");
        assert_eq!(read("cgroup.subtree_control"), "+memory +pids");
        let own = tree.folders[0].strip_prefix(&base).unwrap().to_str().unwrap().to_owned();
        assert_eq!(read(&format!("{own}/cgroup.subtree_control")), "+memory +pids");
        let own_folder = base.join(&own).join("w0");
        fs::create_dir(&own_folder).unwrap();
        fs::write(own_folder.join("memory.peak"), "4096\n").unwrap();
        let group = tree.group("w0", 1 << 20, 7, Death::OfAll).unwrap();
        assert_eq!(read(&format!("{own}/w0/memory.max")), "1048576");
        assert_eq!(read(&format!("{own}/w0/pids.max")), "7");
        fs::write(base.join(&own).join("w0/memory.events"), "low 0\noom 2\noom_kill 1\n").unwrap();
        assert_eq!((group.memory_kills(), group.memory_peak()), (1, Some(4096)));
    }

    #[test]
    fn version_2_without_a_controller_is_refused_by_name() {
        let (dir, _) = version_2();
        fs::write(dir.path().join("user/cgroup.controllers"), "cpu memory\n").unwrap();
        let mounts = format!("1 2 0:3 / {} rw - cgroup2 cgroup2 rw", dir.path().display());
        let error = Hierarchy::from_tables("0::/user", &mounts).unwrap_err();
        assert_eq!(error.to_string(), "the `pids` controller of the control groups is not there");
    }
}
