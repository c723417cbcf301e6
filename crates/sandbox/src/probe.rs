//! What this kernel has of what the sandbox needs.

use std::fs;

use execute_python_sys::seccomp;

use crate::cgroup::{Hierarchy, Tree};

/// One thing that the sandbox needs, and whether it is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probe {
    /// The thing.
    pub name: &'static str,
    /// Whether it is there.
    pub verdict: Verdict,
    /// What was found.
    pub detail: String,
    /// What the operator can do about it.
    pub hint: Option<String>,
}

/// Whether a needed thing is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It is.
    Ok,
    /// It is not, and something is weaker or slower for it.
    Warn,
    /// It is not, and nothing runs without it, unless its layer is waived by name.
    Fail,
}

/// Looks for each thing in turn.
pub fn all() -> Vec<Probe> {
    vec![kernel(), user_namespaces(), seccomp_filter(), landlock(), control_groups()]
}

fn probe(name: &'static str, verdict: Verdict, detail: impl Into<String>) -> Probe {
    Probe { name, verdict, detail: detail.into(), hint: None }
}

impl Probe {
    fn hint(self, hint: &str) -> Probe {
        Probe { hint: Some(hint.to_owned()), ..self }
    }
}

/// Linux 5.11 has everything that has no probe of its own: `openat2`, `clone3`, `close_range`, the
/// mount calls by descriptor, `pidfd_getfd`, and the notifications of a filter.
fn kernel() -> Probe {
    let name = rustix::system::uname();
    let release = name.release().to_string_lossy().into_owned();
    let mut numbers = release.split(['.', '-']).map_while(|part| part.parse::<u32>().ok());
    let version = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    if version >= (5, 11) {
        probe("kernel", Verdict::Ok, format!("Linux {release}"))
    } else {
        probe("kernel", Verdict::Fail, format!("Linux {release} is too old"))
            .hint("use Linux 5.11 or newer")
    }
}

fn user_namespaces() -> Probe {
    let name = "user namespaces";
    let setting = |path: &str| fs::read_to_string(path).ok().map(|text| text.trim().to_owned());
    if setting("/proc/sys/user/max_user_namespaces").as_deref() == Some("0") {
        return probe(name, Verdict::Fail, "user.max_user_namespaces is 0")
            .hint("set it: `sysctl -w user.max_user_namespaces=10000`");
    }
    if rustix::process::geteuid().is_root() {
        return probe(name, Verdict::Ok, "as root, each run gets a user id of its own");
    }
    if setting("/proc/sys/kernel/unprivileged_userns_clone").as_deref() == Some("0") {
        return probe(name, Verdict::Fail, "kernel.unprivileged_userns_clone is 0")
            .hint("set it: `sysctl -w kernel.unprivileged_userns_clone=1`, or run as root");
    }
    if setting("/proc/sys/kernel/apparmor_restrict_unprivileged_userns").as_deref() == Some("1") {
        return probe(name, Verdict::Fail, "AppArmor restricts unprivileged user namespaces").hint(
            "allow them: `sysctl -w kernel.apparmor_restrict_unprivileged_userns=0`, or run as root",
        );
    }
    probe(name, Verdict::Ok, "without root, all runs share your user id")
}

fn seccomp_filter() -> Probe {
    let actions = fs::read_to_string("/proc/sys/kernel/seccomp/actions_avail").unwrap_or_default();
    if actions.split_whitespace().any(|action| action == "user_notif") {
        probe("seccomp", Verdict::Ok, "filter with notifications")
    } else {
        probe("seccomp", Verdict::Fail, "the kernel has no filter with notifications")
            .hint("use a kernel with CONFIG_SECCOMP_FILTER")
    }
}

fn landlock() -> Probe {
    match seccomp::landlock_version() {
        Some(version) if version >= 3 => {
            probe("landlock", Verdict::Ok, format!("version {version}"))
        }
        Some(version) => probe("landlock", Verdict::Fail, format!("version {version} of 3"))
            .hint("use Linux 6.2 or newer, or waive the layer with `--waive landlock`"),
        None => probe("landlock", Verdict::Fail, "not in this kernel or not enabled")
            .hint("boot with `lsm=landlock,…`, or waive the layer with `--waive landlock`"),
    }
}

/// Makes a tree of groups and removes it again.
fn control_groups() -> Probe {
    let name = "cgroup";
    match Hierarchy::find().and_then(|hierarchy| Tree::create(&hierarchy).map(|_| hierarchy)) {
        Ok(Hierarchy::V1 { .. }) => probe(name, Verdict::Ok, "version 1: memory, pids"),
        Ok(Hierarchy::V2 { .. }) => probe(name, Verdict::Ok, "version 2: memory, pids"),
        Err(error) => probe(name, Verdict::Fail, error.to_string()).hint(error.hint()),
    }
}
