//! Files and artifacts on disk, by content.
//!
//! ```text
//! store/blobs/<sha256>               each content once
//! store/tenants/<tenant>/<id>        a hard link to it
//! store/tenants/<tenant>/<id>.json   what is known of it
//! store/coming/                      what is not yet whole
//! ```
//!
//! A tenant's things are in the tenant's folder and looked for nowhere else, so nobody can reach
//! another one's. The kernel counts the links: a blob with one link belongs to nobody any more.

use std::collections::HashMap;
use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tempfile::NamedTempFile;

use crate::db::{now, private_folder};

/// How long after it came a content without an owner is taken for one that will have one.
const LINKED_WITHIN: Duration = Duration::from_mins(10);

/// What is known of a thing that is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct StoredFile {
    /// Its id, as `fil_…` or `art_…`.
    pub(crate) id: String,
    /// Its name, or its path in the work folder.
    pub(crate) name: String,
    /// Its size in bytes.
    pub(crate) bytes: u64,
    /// The SHA-256 of its content, in hexadecimal.
    pub(crate) sha256: String,
    /// Its MIME type.
    pub(crate) mime_type: String,
    /// When it came, RFC 3339 in UTC.
    pub(crate) created_at: String,
    /// The run that made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) run: Option<String>,
}

/// What kind of thing an id stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A file that was uploaded.
    File,
    /// A file that a run made.
    Artifact,
}

impl StoredFile {
    /// A new thing; its length and digest are known when it is kept.
    pub(crate) fn new(kind: Kind, name: String, mime_type: String) -> Self {
        let id = kind.new_id();
        let (bytes, sha256, run) = Default::default();
        Self { id, name, bytes, sha256, mime_type, created_at: now(), run }
    }
}

impl Kind {
    fn prefix(self) -> &'static str {
        match self {
            Kind::File => "fil_",
            Kind::Artifact => "art_",
        }
    }

    /// A new id that nobody can guess.
    fn new_id(self) -> String {
        format!("{}{}", self.prefix(), uuid::Uuid::new_v4().simple())
    }

    /// Whether a text is an id of this kind: it then is a safe name of a file.
    fn is_id(self, text: &str) -> bool {
        text.strip_prefix(self.prefix()).is_some_and(|rest| {
            rest.len() == 32 && rest.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
        })
    }
}

/// Where files and artifacts are kept. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Store(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    root: PathBuf,
    /// Bytes by tenant, counted when they are first asked for.
    used: Mutex<HashMap<String, u64>>,
}

/// Why a thing cannot be kept.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StoreError {
    /// The tenant keeps too much already.
    #[error("{used} of {quota} bytes are used, and these are {bytes} more")]
    Quota { used: u64, quota: u64, bytes: u64 },
    /// The disk did not do it.
    #[error("the store cannot be used")]
    Io(#[from] io::Error),
}

impl Store {
    /// Opens the store below a folder.
    pub(crate) fn open(data_dir: &Path) -> io::Result<Self> {
        private_folder(data_dir)?;
        let root = data_dir.join("store");
        for folder in ["blobs", "tenants", "coming"] {
            fs::create_dir_all(root.join(folder))?;
        }
        Ok(Self(Arc::new(Inner { root, used: Mutex::default() })))
    }

    /// Begins to take a content in.
    pub(crate) fn receive(&self) -> io::Result<Coming> {
        let file = tempfile::NamedTempFile::new_in(self.0.root.join("coming"))?;
        Ok(Coming { file, digest: Sha256::new(), bytes: 0 })
    }

    /// Keeps what came in. Its length and digest are filled in.
    pub(crate) fn keep(
        &self,
        tenant: &str,
        coming: Coming,
        mut known: StoredFile,
        quota: Option<u64>,
    ) -> Result<StoredFile, StoreError> {
        known.bytes = coming.bytes;
        known.sha256 = hex(&coming.digest.finalize());
        self.reserve(tenant, known.bytes, quota)?;
        let kept = self.link(tenant, coming.file, &known);
        if kept.is_err() {
            self.give_back(tenant, known.bytes);
        }
        kept?;
        Ok(known)
    }

    fn link(&self, tenant: &str, file: NamedTempFile, known: &StoredFile) -> io::Result<()> {
        let folder = self.folder(tenant);
        fs::create_dir_all(&folder)?;
        let blob = self.blobs().join(&known.sha256);
        // Who comes second finds the same content there.
        file.persist(&blob).map_err(|error| error.error)?;
        fs::hard_link(&blob, folder.join(&known.id))?;
        // Last: what has no description is not there.
        fs::write(description(&folder, &known.id), serde_json::to_vec(known)?)
    }

    /// What is known of a thing of the tenant's, and where its content is.
    pub(crate) fn get(
        &self,
        tenant: &str,
        kind: Kind,
        id: &str,
    ) -> io::Result<Option<(StoredFile, PathBuf)>> {
        if !kind.is_id(id) {
            return Ok(None);
        }
        let folder = self.folder(tenant);
        match fs::read(description(&folder, id)) {
            Ok(known) => Ok(Some((serde_json::from_slice(&known)?, folder.join(id)))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// All of a kind that the tenant has, the newest first.
    pub(crate) fn list(&self, tenant: &str, kind: Kind) -> io::Result<Vec<StoredFile>> {
        let mut all = Vec::new();
        for id in self.ids(tenant)? {
            all.extend(self.get(tenant, kind, &id)?.map(|(known, _)| known));
        }
        all.sort_by(|a, b| b.created_at.cmp(&a.created_at));
        Ok(all)
    }

    /// Removes a thing of the tenant's; `false` when there is none.
    pub(crate) fn remove(&self, tenant: &str, kind: Kind, id: &str) -> io::Result<bool> {
        let Some((known, content)) = self.get(tenant, kind, id)? else { return Ok(false) };
        fs::remove_file(description(&self.folder(tenant), id))?;
        fs::remove_file(content)?;
        self.give_back(tenant, known.bytes);
        sweep_blob(&self.blobs().join(known.sha256))?;
        Ok(true)
    }

    /// Removes artifacts that are older than `kept`, and contents that nobody has any more.
    pub(crate) fn sweep(&self, kept: Duration) -> io::Result<()> {
        let oldest = jiff::Timestamp::now().checked_sub(kept).unwrap_or_default().to_string();
        for tenant in names(&self.0.root.join("tenants"))? {
            for known in self.list(&tenant, Kind::Artifact)? {
                if known.created_at < oldest {
                    self.remove(&tenant, Kind::Artifact, &known.id)?;
                }
            }
        }
        for blob in names(&self.blobs())? {
            sweep_blob(&self.blobs().join(blob))?;
        }
        Ok(())
    }

    fn ids(&self, tenant: &str) -> io::Result<Vec<String>> {
        let ids = names(&self.folder(tenant))?.into_iter();
        Ok(ids.filter_map(|name| name.strip_suffix(".json").map(str::to_owned)).collect())
    }

    /// Counts bytes against the quota.
    fn reserve(&self, tenant: &str, bytes: u64, quota: Option<u64>) -> Result<(), StoreError> {
        let mut all = self.0.used.lock().unwrap_or_else(PoisonError::into_inner);
        if !all.contains_key(tenant) {
            all.insert(tenant.to_owned(), self.measure(tenant)?);
        }
        let used = all.entry(tenant.to_owned()).or_default();
        match quota {
            Some(quota) if *used + bytes > quota => {
                Err(StoreError::Quota { used: *used, quota, bytes })
            }
            _ => {
                *used += bytes;
                Ok(())
            }
        }
    }

    fn measure(&self, tenant: &str) -> io::Result<u64> {
        let folder = self.folder(tenant);
        let size = |id: String| Ok(fs::metadata(folder.join(id))?.len());
        self.ids(tenant)?.into_iter().map(size).sum()
    }

    fn give_back(&self, tenant: &str, bytes: u64) {
        let mut all = self.0.used.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(used) = all.get_mut(tenant) {
            *used = used.saturating_sub(bytes);
        }
    }

    fn folder(&self, tenant: &str) -> PathBuf {
        self.0.root.join("tenants").join(tenant)
    }

    fn blobs(&self) -> PathBuf {
        self.0.root.join("blobs")
    }
}

/// A content that comes in.
#[derive(Debug)]
pub(crate) struct Coming {
    file: NamedTempFile,
    digest: Sha256,
    bytes: u64,
}

impl Coming {
    /// Takes some more.
    pub(crate) fn take(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)?;
        self.digest.update(bytes);
        self.bytes += bytes.len() as u64;
        Ok(())
    }

    /// How much it is by now.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }
}

/// Removes a content that nobody has, unless it came just now and is still to be linked.
fn sweep_blob(blob: &Path) -> io::Result<()> {
    let Ok(known) = fs::metadata(blob) else { return Ok(()) };
    let fresh = known.modified()?.elapsed().is_ok_and(|age| age < LINKED_WITHIN);
    if known.nlink() == 1 && !fresh {
        fs::remove_file(blob)?;
    }
    Ok(())
}

fn description(folder: &Path, id: &str) -> PathBuf {
    folder.join(format!("{id}.json"))
}

/// The names in a folder; none when it is not there.
fn names(folder: &Path) -> io::Result<Vec<String>> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    entries.map(|entry| Ok(entry?.file_name().into_string().unwrap_or_default())).collect()
}

/// The SHA-256 of a content, in hexadecimal.
pub(crate) fn sha256(content: &[u8]) -> String {
    hex(&Sha256::digest(content))
}

/// Bytes in hexadecimal.
pub(crate) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        // Writing to a text cannot fail.
        write!(text, "{byte:02x}").ok();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(store: &Store, tenant: &str, content: &[u8], quota: Option<u64>) -> Option<StoredFile> {
        let mut coming = store.receive().unwrap();
        coming.take(content).unwrap();
        let known = StoredFile::new(Kind::File, "a.txt".into(), "text/plain".into());
        store.keep(tenant, coming, known, quota).ok()
    }

    #[test]
    fn a_content_is_kept_once_and_until_nobody_has_it() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        let first = put(&store, "a", b"x", None).unwrap();
        let second = put(&store, "b", b"x", None).unwrap();
        assert_eq!(names(&store.blobs()).unwrap(), std::slice::from_ref(&first.sha256));
        assert!(store.remove("a", Kind::File, &first.id).unwrap());
        let (_, content) = store.get("b", Kind::File, &second.id).unwrap().unwrap();
        assert_eq!(fs::read(content).unwrap(), b"x");
    }

    #[test]
    fn nobody_reaches_what_another_tenant_has() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        let known = put(&store, "a", b"x", None).unwrap();
        // The control: its owner does.
        assert!(store.get("a", Kind::File, &known.id).unwrap().is_some());
        assert!(store.get("b", Kind::File, &known.id).unwrap().is_none());
        assert!(!store.remove("b", Kind::File, &known.id).unwrap());
        let path = format!("../a/{}", known.id);
        assert!(store.get("b", Kind::File, &path).unwrap().is_none());
    }

    #[test]
    fn a_quota_counts_what_is_there_and_frees_what_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let known = put(&Store::open(folder.path()).unwrap(), "a", b"12345", None).unwrap();
        // Opened anew, so what is there has to be measured.
        let store = Store::open(folder.path()).unwrap();
        assert!(put(&store, "a", b"678901", Some(10)).is_none());
        assert!(put(&store, "b", b"678901", Some(10)).is_some());
        store.remove("a", Kind::File, &known.id).unwrap();
        assert!(put(&store, "a", b"678901", Some(10)).is_some());
    }
}
