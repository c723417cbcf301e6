//! What a waiting worker costs, and the machine as a whole.

use std::fs;

/// The private memory of each enclosed worker below this process, page tables included, in
/// kilobytes: private pages of `smaps_rollup` and `VmPTE` of `status` (`proc(5)`).
pub(crate) fn of_workers() -> Vec<f64> {
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let folder = entry.path();
        let Ok(status) = fs::read_to_string(folder.join("status")) else { continue };
        // The host's namespace, the zygote's and its own.
        if field(&status, "NSpid:").split_whitespace().count() != 3 {
            continue;
        }
        let Ok(rollup) = fs::read_to_string(folder.join("smaps_rollup")) else { continue };
        let private = number(&rollup, "Private_Clean:") + number(&rollup, "Private_Dirty:");
        found.push(private + number(&status, "VmPTE:"));
    }
    found
}

fn field<'a>(text: &'a str, name: &str) -> &'a str {
    text.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default()
}

fn number(text: &str, name: &str) -> f64 {
    field(text, name).split_whitespace().next().and_then(|word| word.parse().ok()).unwrap_or(0.0)
}

/// The memory of the whole machine that is in use, in megabytes.
pub(crate) fn used() -> f64 {
    let text = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    (number(&text, "MemTotal:") - number(&text, "MemAvailable:")) / 1024.0
}
