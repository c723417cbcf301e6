//! Keeping what a run made, so that it can be fetched.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use execute_python_engine::protocol::{Artifact, Outcome};

use crate::service::Service;
use crate::store::{Kind, Store, StoreError, StoredFile};

/// Puts the artifacts into the store, and their addresses into the outcome in place of their content,
/// unless the client wants the contents too.
pub(super) async fn keep(
    service: &Service,
    tenant: String,
    mut outcome: Box<Outcome>,
    contents: bool,
) -> Box<Outcome> {
    let quota = service.config().quota(&tenant).stored_bytes;
    let keeper =
        Keeper { store: service.store().clone(), tenant, quota, run: outcome.id.clone(), contents };
    let artifacts = std::mem::take(&mut outcome.artifacts);
    let kept = tokio::task::spawn_blocking(move || {
        artifacts.into_iter().map(|artifact| keeper.keep(artifact)).unzip::<_, _, _, Vec<_>>()
    });
    match kept.await {
        Ok((artifacts, notes)) => {
            outcome.artifacts = artifacts;
            outcome.notes.extend(notes.into_iter().flatten());
        }
        Err(error) => outcome.notes.push(format!("the artifacts were lost: {error}")),
    }
    outcome
}

struct Keeper {
    store: Store,
    tenant: String,
    quota: Option<u64>,
    run: String,
    contents: bool,
}

impl Keeper {
    /// Keeps one; gives what the outcome says of it, and a note when it is not kept.
    fn keep(&self, mut artifact: Artifact) -> (Artifact, Option<String>) {
        let content = artifact.content.as_deref().map(|text| STANDARD.decode(text));
        let Some(Ok(content)) = content else { return (artifact, None) };
        match self.put(&artifact, &content) {
            Ok(known) => {
                artifact.url = Some(format!("/v1/artifacts/{}", known.id));
                artifact.id = Some(known.id);
                if !self.contents {
                    artifact.content = None;
                }
                (artifact, None)
            }
            Err(error) => {
                tracing::warn!(%error, run = self.run, "an artifact is not kept");
                // Its content stays in the outcome, so nothing is lost.
                let note = format!("`{}` is in the outcome and not kept: {error}", artifact.path);
                (artifact, Some(note))
            }
        }
    }

    fn put(&self, artifact: &Artifact, content: &[u8]) -> Result<StoredFile, StoreError> {
        let known = StoredFile {
            run: Some(self.run.clone()),
            ..StoredFile::new(Kind::Artifact, artifact.path.clone(), artifact.mime_type.clone())
        };
        let mut coming = self.store.receive()?;
        coming.take(content)?;
        self.store.keep(&self.tenant, coming, known, self.quota)
    }
}
