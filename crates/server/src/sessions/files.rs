//! The files of a session's work folder.

use std::io::{Cursor, Write as _};

use axum::extract::{Path, State};
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use execute_python_engine::Session;
use execute_python_engine::protocol::{FileInfo, InputFile};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::{delete, find, get, operation};
use crate::api::{ANY, Api, WHATEVER};
use crate::auth::Caller;
use crate::download::give;
use crate::extract::{Body, Query};
use crate::problem::Problem;
use crate::service::Service;

pub(super) fn routes(api: Api) -> Api {
    let path = "/v1/sessions/{id}/files/{*path}";
    let all = get("/v1/sessions/{id}/files", "Lists the files, or gives all as a zip");
    let all = all.query::<Listing>().gives::<SessionFiles>(200);
    let read = get(path, "Gives a file").header("range", "Which part").gives_media(200, WHATEVER);
    let write = operation(Method::PUT, path, "Puts a file").takes_media(ANY).or_nothing();
    let write = write.gives_nothing(204);
    api.route(all.gives_media(200, "application/zip"), list)
        .route(read.gives_media(206, WHATEVER), self::read)
        .route(write, self::write)
        .route(delete(path, "Removes a file").gives_nothing(204), remove)
}

/// All files of a session.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SessionFiles {
    /// In the order of their paths.
    files: Vec<FileInfo>,
}

/// The form of a listing.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Listing {
    /// `zip` for the files themselves.
    format: Format,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Format {
    #[default]
    Json,
    Zip,
}

async fn list(
    State(service): State<Service>,
    caller: Caller,
    Path(id): Path<String>,
    Query(Listing { format }): Query<Listing>,
) -> Result<Response, Problem> {
    let session = find(&service, &caller, &id)?;
    if format == Format::Json {
        return Ok(axum::Json(SessionFiles { files: session.files()? }).into_response());
    }
    // It takes its time, and reads what the guest may change meanwhile.
    let zipped = tokio::task::spawn_blocking(move || zip_all(&session)).await;
    let zipped = zipped.map_err(|error| Problem::ours("zip the files", &error))??;
    let named = format!("attachment; filename=\"{id}.zip\"");
    let headers = [(CONTENT_TYPE, "application/zip"), (CONTENT_DISPOSITION, named.as_str())];
    Ok((headers, zipped).into_response())
}

fn zip_all(session: &Session) -> Result<Vec<u8>, Problem> {
    let failed = |error: &dyn std::error::Error| Problem::ours("zip the files", error);
    let mut all = ZipWriter::new(Cursor::new(Vec::new()));
    for file in session.files()? {
        // One that was removed meanwhile is left out.
        let Ok(content) = session.get_file(&file.path) else { continue };
        all.start_file(&file.path, SimpleFileOptions::default()).map_err(|error| failed(&error))?;
        all.write_all(&content).map_err(|error| failed(&error))?;
    }
    Ok(all.finish().map_err(|error| failed(&error))?.into_inner())
}

async fn read(
    State(service): State<Service>,
    caller: Caller,
    Path((id, path)): Path<(String, String)>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let session = find(&service, &caller, &id)?;
    let content = session.get_file(&path)?;
    let mime_type = mime_guess::from_path(&path).first_or_octet_stream();
    give(&headers, content, &path, mime_type.essence_str())
}

async fn write(
    State(service): State<Service>,
    caller: Caller,
    Path((id, path)): Path<(String, String)>,
    Body(content): Body,
) -> Result<StatusCode, Problem> {
    let session = find(&service, &caller, &id)?;
    session.put_file(&InputFile { path, content: content.into() })?;
    Ok(StatusCode::NO_CONTENT)
}

async fn remove(
    State(service): State<Service>,
    caller: Caller,
    Path((id, path)): Path<(String, String)>,
) -> Result<StatusCode, Problem> {
    find(&service, &caller, &id)?.remove_file(&path)?;
    Ok(StatusCode::NO_CONTENT)
}
