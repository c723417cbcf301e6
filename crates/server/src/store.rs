//! Files and artifacts on disk, by content.
//!
//! ```text
//! store/blobs/<sha256>            each content once
//! store/tenants/<tenant>/<id>     a hard link to it
//! store/tenants/<tenant>/<id>.json   what is known of it
//! ```
//!
//! A tenant's things are in the tenant's folder and looked for nowhere else, so nobody can reach
//! another one's. The kernel counts the links: a blob with one link belongs to nobody any more.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// What is known of a thing that is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StoredFile {
    /// Its id, as `fil_…` or `art_…`.
    pub id: String,
    /// Its name, or its path in the work folder.
    pub name: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// The SHA-256 of its content, in hexadecimal.
    pub sha256: String,
    /// Its MIME type.
    pub mime_type: String,
    /// When it came, RFC 3339 in UTC.
    pub created_at: String,
    /// The run that made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
}

/// What kind of thing an id stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A file that was uploaded.
    File,
    /// A file that a run made.
    Artifact,
}

impl Kind {
    fn prefix(self) -> &'static str {
        match self {
            Kind::File => "fil_",
            Kind::Artifact => "art_",
        }
    }

    /// A new id that nobody can guess.
    pub(crate) fn new_id(self) -> String {
        format!("{}{}", self.prefix(), uuid::Uuid::new_v4().simple())
    }

    /// Whether a text is an id of this kind: it then is a safe name of a file.
    pub(crate) fn is_id(self, text: &str) -> bool {
        text.strip_prefix(self.prefix()).is_some_and(|rest| {
            rest.len() == 32 && rest.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
        })
    }
}

/// Where files and artifacts are kept.
#[derive(Debug, Clone)]
pub(crate) struct Store {
    root: PathBuf,
}

impl Store {
    /// Opens the store below a folder.
    pub(crate) fn open(data_dir: &Path) -> io::Result<Self> {
        let root = data_dir.join("store");
        fs::create_dir_all(root.join("blobs"))?;
        fs::create_dir_all(root.join("tenants"))?;
        Ok(Self { root })
    }

    /// Keeps a content under a name.
    pub(crate) fn put(&self, tenant: &str, known: &StoredFile, content: &[u8]) -> io::Result<()> {
        let folder = self.folder(tenant);
        fs::create_dir_all(&folder)?;
        let blob = self.root.join("blobs").join(&known.sha256);
        if !blob.exists() {
            let mut file = tempfile::NamedTempFile::new_in(&self.root)?;
            file.write_all(content)?;
            file.persist(&blob).map_err(|error| error.error)?;
        }
        fs::hard_link(&blob, folder.join(&known.id))?;
        // Last: what has no description is not there.
        fs::write(folder.join(format!("{}.json", known.id)), serde_json::to_vec(known)?)
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
        match fs::read(folder.join(format!("{id}.json"))) {
            Ok(known) => Ok(Some((serde_json::from_slice(&known)?, folder.join(id)))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn folder(&self, tenant: &str) -> PathBuf {
        self.root.join("tenants").join(tenant)
    }
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
