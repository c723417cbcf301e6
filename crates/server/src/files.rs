//! Files that clients upload once and give to many runs.

use axum::body::{Body, Bytes};
use axum::extract::{DefaultBodyLimit, FromRequest, Multipart, Path, Request, State};
use axum::handler::Handler as _;
use axum::http::header::{CONTENT_TYPE, LOCATION};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use futures_util::{Stream, StreamExt as _};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::{ANY, Api, Operation, WHATEVER};
use crate::auth::{Access, Caller};
use crate::download::download;
use crate::extract::{Query, multipart_failed, too_large};
use crate::keys::Scope;
use crate::problem::Problem;
use crate::service::Service;
use crate::store::{Coming, Kind, StoreError, StoredFile};

/// The longest name of a file, in bytes.
const LONGEST_NAME: usize = 255;

pub(crate) fn routes(api: Api) -> Api {
    let operation =
        |method, path, summary| Operation::new(method, path, Access::Needs(Scope::Run), summary);
    let put = operation(Method::POST, "/v1/files", "Uploads a file").query::<Named>();
    let put = put.takes_media(ANY).takes_media("multipart/form-data").or_nothing();
    let put = put.gives::<StoredFile>(201);
    let all = operation(Method::GET, "/v1/files", "Lists the files").gives::<Files>(200);
    let one = operation(Method::GET, "/v1/files/{id}", "Says what is known of a file");
    let whole = operation(Method::GET, "/v1/files/{id}/content", "Gives a file");
    let whole =
        whole.header("range", "Which part").gives_media(200, WHATEVER).gives_media(206, WHATEVER);
    let gone = operation(Method::DELETE, "/v1/files/{id}", "Removes a file").gives_nothing(204);
    // Its size is counted as it comes in.
    let unlimited = upload.layer(DefaultBodyLimit::disable());
    api.route(put, unlimited)
        .route(all, list)
        .route(one.gives::<StoredFile>(200), describe)
        .route(whole, content)
        .route(gone, remove)
}

/// How a file is called that comes as the body.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Named {
    /// Its name, without folders.
    #[serde(default)]
    #[schemars(length(min = 1, max = 255), regex(pattern = r"^[A-Za-z0-9_.-]+$"))]
    name: Option<String>,
}

/// All files of a tenant.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Files {
    /// The newest first.
    files: Vec<StoredFile>,
}

async fn upload(
    State(service): State<Service>,
    caller: Caller,
    Query(named): Query<Named>,
    request: Request,
) -> Result<Response, Problem> {
    let most = service.config().file_bytes;
    let content_type = request.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let content_type = content_type.unwrap_or_default().to_owned();
    let coming = service.store().receive();
    let mut coming = coming.map_err(|error| Problem::ours("take the file in", &error))?;
    let (name, mime_type) = if content_type.starts_with("multipart/form-data") {
        let request = request.map(Body::new);
        let form = Multipart::from_request(request, &service).await;
        let mut form =
            form.map_err(|error| multipart_failed(&error.body_text(), error.status()))?;
        let field = form.next_field().await;
        let field = field.map_err(|error| multipart_failed(&error.body_text(), error.status()))?;
        let field = field.filter(|field| field.name() == Some("file")).ok_or_else(|| {
            Problem::unprocessable("file_missing", "the form has no part `file` at its beginning")
        })?;
        let name = named.name.or_else(|| field.file_name().map(str::to_owned));
        let mime_type = field.content_type().map(str::to_owned);
        take_all(field, &mut coming, most).await?;
        (name, mime_type)
    } else {
        take_all(request.into_body().into_data_stream(), &mut coming, most).await?;
        (named.name, Some(content_type).filter(|named| !named.is_empty()))
    };
    let name = checked(name)?;
    let known = StoredFile::new(Kind::File, name.clone(), mime_type_of(&name, mime_type));
    let quota = service.config().quota(&caller.tenant).stored_bytes;
    let known = service.store().keep(&caller.tenant, coming, known, quota).map_err(not_kept)?;
    let location = format!("/v1/files/{}", known.id);
    Ok((StatusCode::CREATED, [(LOCATION, location)], axum::Json(known)).into_response())
}

/// Takes a body in, piece by piece, so that its size never is in memory.
async fn take_all<E: std::error::Error>(
    mut body: impl Stream<Item = Result<Bytes, E>> + Unpin,
    coming: &mut Coming,
    most: u64,
) -> Result<(), Problem> {
    while let Some(bytes) = body.next().await {
        let bytes = bytes.map_err(|error| {
            Problem::new(StatusCode::BAD_REQUEST, "body_not_readable", error.to_string())
        })?;
        if coming.bytes() + bytes.len() as u64 > most {
            return Err(too_large("raise `server.file_bytes` in the settings"));
        }
        // The pieces are small, and the page cache takes them at once.
        coming.take(&bytes).map_err(|error| Problem::ours("take the file in", &error))?;
    }
    Ok(())
}

fn checked(name: Option<String>) -> Result<String, Problem> {
    let name = name.unwrap_or_else(|| "file".into());
    let fits = (1..=LONGEST_NAME).contains(&name.len())
        && !name.contains(['/', '\\'])
        && !name.contains(char::is_control)
        && name != "."
        && name != "..";
    if fits {
        return Ok(name);
    }
    let detail = "the name of the file is no plain name";
    Err(Problem::unprocessable("name_not_valid", detail).field("name"))
}

/// What the client says, unless it says nothing; then by the name.
fn mime_type_of(name: &str, said: Option<String>) -> String {
    said.filter(|said| said != "application/octet-stream").unwrap_or_else(|| {
        mime_guess::from_path(name).first_or_octet_stream().essence_str().to_owned()
    })
}

/// A thing that could not be kept.
pub(crate) fn not_kept(error: StoreError) -> Problem {
    match error {
        StoreError::Quota { .. } => {
            Problem::new(StatusCode::TOO_MANY_REQUESTS, "quota_stored_bytes", error.to_string())
                .hint("remove files, or wait until artifacts expire")
                .retry_after(std::time::Duration::from_hours(1))
        }
        StoreError::Io(error) => Problem::ours("keep the file", &error),
    }
}

async fn list(
    State(service): State<Service>,
    caller: Caller,
) -> Result<axum::Json<Files>, Problem> {
    let files = service.store().list(&caller.tenant, Kind::File);
    let files = files.map_err(|error| Problem::ours("list the files", &error))?;
    Ok(axum::Json(Files { files }))
}

fn find(
    service: &Service,
    caller: &Caller,
    id: &str,
) -> Result<(StoredFile, std::path::PathBuf), Problem> {
    let found = service.store().get(&caller.tenant, Kind::File, id);
    let found = found.map_err(|error| Problem::ours("read the file", &error))?;
    found.ok_or_else(|| Problem::missing("file", id))
}

async fn describe(
    State(service): State<Service>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<axum::Json<StoredFile>, Problem> {
    Ok(axum::Json(find(&service, &caller, &id)?.0))
}

async fn content(
    State(service): State<Service>,
    caller: Caller,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let (known, path) = find(&service, &caller, &id)?;
    download(&headers, &known, &path).await
}

async fn remove(
    State(service): State<Service>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<StatusCode, Problem> {
    let removed = service.store().remove(&caller.tenant, Kind::File, &id);
    let removed = removed.map_err(|error| Problem::ours("remove the file", &error))?;
    if removed { Ok(StatusCode::NO_CONTENT) } else { Err(Problem::missing("file", &id)) }
}
