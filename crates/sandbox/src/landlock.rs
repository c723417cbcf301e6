//! Landlock above the mounts: what may be read, and where may be written, whatever is mounted.

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd,
    Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetError, Scope,
};

/// The rights that are required: files as of version 3, which knows truncation (Linux 6.2).
const REQUIRED: ABI = ABI::V3;
/// The rights that are taken where the kernel knows them: network, device control, scopes.
const WANTED: ABI = ABI::V6;

/// Where a guest may write. Each is a folder of the work folder's file system.
const WRITABLE: [&str; 4] = ["/mnt/data", "/mnt/tmp", "/mnt/home", "/mnt/shm"];
/// The root of the work folder's file system.
const MEMORY: &str = "/mnt";
/// The one device that is written to.
const SINK: &str = "/dev/null";

#[derive(Debug, thiserror::Error)]
pub(crate) enum LandlockError {
    #[error(transparent)]
    Ruleset(#[from] RulesetError),
    #[error(transparent)]
    Path(#[from] landlock::PathFdError),
}

/// Lets the calling thread and its children read the root file system and write in the work folder,
/// and nothing else.
///
/// In a `session` the right to write hangs on the root of that file system: other work folders are mounted
/// over these four later, and a right is looked for upwards from what is mounted. Only the zygote's user,
/// which no guest is, can make files in the root itself.
pub(crate) fn restrict(session: bool) -> Result<(), LandlockError> {
    let mut rules = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(REQUIRED))?
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(WANTED))?
        .handle_access(AccessNet::from_all(WANTED))?
        .scope(Scope::from_all(WANTED))?
        .create()?
        .add_rule(PathBeneath::new(PathFd::new("/")?, AccessFs::from_read(REQUIRED)))?
        .add_rule(PathBeneath::new(PathFd::new(SINK)?, writing_a_file()))?;
    let writable = if session { &[MEMORY][..] } else { &WRITABLE };
    for folder in writable {
        rules = rules.add_rule(PathBeneath::new(PathFd::new(folder)?, work()))?;
    }
    // `no_new_privs` is set by `privileges`, which comes first.
    rules.no_new_privs(false).restrict_self()?;
    Ok(())
}

fn writing_a_file() -> BitFlags<AccessFs> {
    AccessFs::ReadFile | AccessFs::WriteFile | AccessFs::Truncate
}

/// Everything but executing, and making devices or sockets.
fn work() -> BitFlags<AccessFs> {
    let refused = AccessFs::Execute | AccessFs::MakeChar | AccessFs::MakeBlock | AccessFs::MakeSock;
    AccessFs::from_all(REQUIRED) & !refused
}
