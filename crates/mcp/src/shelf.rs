//! Files that runs made, kept for a client that comes back for them.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use execute_python_engine::protocol::{Artifact, Outcome};
use rmcp::model::{Resource, ResourceContents};

/// The most bytes, in base64, that are kept; the oldest files go first.
const MOST_BYTES: usize = 128 << 20;

/// The files, oldest first.
#[derive(Debug, Default)]
pub(crate) struct Shelf {
    kept: Mutex<VecDeque<Kept>>,
}

#[derive(Debug)]
struct Kept {
    resource: Resource,
    mime_type: String,
    content: String,
}

impl Shelf {
    fn kept(&self) -> MutexGuard<'_, VecDeque<Kept>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the files of an outcome; gives a link to each.
    pub(crate) fn take(&self, outcome: &mut Outcome) -> Vec<Resource> {
        let run = outcome.id.clone();
        let mut links = Vec::new();
        for artifact in &mut outcome.artifacts {
            let Some(content) = artifact.content.take() else { continue };
            let resource = link(&run, artifact);
            links.push(resource.clone());
            let mime_type = artifact.mime_type.clone();
            self.kept().push_back(Kept { resource, mime_type, content });
        }
        let mut kept = self.kept();
        while kept.len() > 1
            && kept.iter().map(|kept| kept.content.len()).sum::<usize>() > MOST_BYTES
        {
            kept.pop_front();
        }
        links
    }

    /// Links to all of them.
    pub(crate) fn list(&self) -> Vec<Resource> {
        self.kept().iter().map(|kept| kept.resource.clone()).collect()
    }

    /// The content of one.
    pub(crate) fn read(&self, uri: &str) -> Option<ResourceContents> {
        let kept = self.kept();
        let found = kept.iter().find(|kept| kept.resource.uri == uri)?;
        let text =
            STANDARD.decode(&found.content).ok().and_then(|bytes| String::from_utf8(bytes).ok());
        let is_text = found.mime_type.starts_with("text/") || found.mime_type.ends_with("json");
        let contents = match text.filter(|_| is_text) {
            Some(text) => ResourceContents::text(text, uri),
            None => ResourceContents::blob(found.content.clone(), uri),
        };
        Some(contents.with_mime_type(found.mime_type.clone()))
    }
}

fn link(run: &str, artifact: &Artifact) -> Resource {
    let escape = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'/' => {
            char::from(byte).to_string()
        }
        _ => format!("%{byte:02X}"),
    };
    let path: String = artifact.path.bytes().map(escape).collect();
    Resource::new(format!("execute-python://{run}/{path}"), artifact.path.clone())
        .with_mime_type(artifact.mime_type.clone())
        .with_size(artifact.bytes)
}
