//! The description of the interface, OpenAPI 3.1, made from the operations and the types.

use schemars::generate::SchemaSettings;
use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

use crate::api::{Operation, STREAMS};
use crate::auth::Access;
use crate::problem::Problem;

/// The whole description.
pub(crate) fn describe(operations: &[Operation]) -> Value {
    let mut generator = generator();
    let problem = generator.subschema_for::<Problem>();
    let mut paths = Map::new();
    for operation in operations {
        let path = operation.path.replace("{*", "{");
        let described = describe_one(operation, &mut generator, &problem);
        let of_path = paths.entry(path).or_insert_with(|| json!({}));
        of_path[operation.method.as_str().to_ascii_lowercase()] = described;
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "execute-python",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Runs Python in a sandbox and gives everything back.",
            "license": { "name": "Apache-2.0", "identifier": "Apache-2.0" },
        },
        "paths": paths,
        "components": {
            "schemas": generator.take_definitions(true),
            "securitySchemes": { "key": { "type": "http", "scheme": "bearer" } },
        },
    })
}

fn generator() -> SchemaGenerator {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.definitions_path = "/components/schemas".into();
        settings.meta_schema = None;
    });
    settings.into_generator()
}

fn describe_one(operation: &Operation, generator: &mut SchemaGenerator, problem: &Schema) -> Value {
    let mut described = json!({
        "operationId": id(operation),
        "tags": [tag(operation.path)],
        "summary": operation.summary,
        "parameters": parameters(operation, generator),
        "responses": answers(operation, generator, problem),
    });
    if let Access::Needs(scope) = operation.access {
        // On the loopback no key is needed.
        described["security"] = json!([{}, { "key": [] }]);
        described["description"] = json!(format!("Needs the scope `{}`.", scope.as_str()));
    }
    if !operation.takes.is_empty() {
        let content: Map<_, _> = operation
            .takes
            .iter()
            .map(|(media, make)| ((*media).to_owned(), content(*make, generator)))
            .collect();
        described["requestBody"] =
            json!({ "required": !operation.body_optional, "content": content });
    }
    described
}

/// A name that generators of clients can use, such as `post_v1_runs_id_cancel`.
fn id(operation: &Operation) -> String {
    let words = operation.path.split(|c: char| !c.is_ascii_alphanumeric());
    let words = words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join("_");
    format!("{}_{words}", operation.method.as_str().to_ascii_lowercase())
}

/// Operations stand together whose paths begin alike.
fn tag(path: &str) -> &str {
    match path.strip_prefix("/v1/").and_then(|rest| rest.split('/').next()) {
        Some(first) => first,
        None => "service",
    }
}

fn parameters(operation: &Operation, generator: &mut SchemaGenerator) -> Vec<Value> {
    let names = operation.path.split('{').skip(1).filter_map(|rest| rest.split('}').next());
    let in_path = names.map(|name| {
        let name = name.trim_start_matches('*');
        json!({ "name": name, "in": "path", "required": true, "schema": { "type": "string" } })
    });
    let in_headers = operation.headers.iter().map(|(name, what_for)| {
        let schema = json!({ "type": "string" });
        json!({ "name": name, "in": "header", "description": what_for, "schema": schema })
    });
    let mut all: Vec<_> = in_path.chain(in_headers).collect();
    let query = operation.query.map(|make| make(generator));
    let fields = query.as_ref().and_then(|schema| schema.get("properties")?.as_object());
    for (name, schema) in fields.into_iter().flatten() {
        let mut schema = schema.clone();
        let text = schema.as_object_mut().and_then(|fields| fields.remove("description"));
        all.push(json!({ "name": name, "in": "query", "description": text, "schema": schema }));
    }
    all
}

fn answers(operation: &Operation, generator: &mut SchemaGenerator, problem: &Schema) -> Value {
    let mut answers = json!({
        "default": {
            "description": "What went wrong, as problem details (RFC 9457).",
            "content": { "application/problem+json": { "schema": problem } },
        },
    });
    for (status, media, make) in &operation.gives {
        let status = status.to_string();
        if answers.get(&status).is_none() {
            answers[&status] = json!({ "description": words(&status) });
        }
        if !media.is_empty() {
            answers[&status]["content"][*media] = answer(media, *make, generator);
        }
    }
    answers
}

fn words(status: &str) -> &'static str {
    match status {
        "101" => "The connection is a WebSocket now.",
        "201" => "It was made.",
        "202" => "It was accepted.",
        "204" => "It was done.",
        "206" => "The part that was asked for.",
        _ => "All is well.",
    }
}

/// A stream has no schema as a whole; `itemSchema` is what OpenAPI 3.2 calls that of each item.
fn answer(media: &str, make: Option<crate::api::Make>, generator: &mut SchemaGenerator) -> Value {
    match make {
        Some(make) if STREAMS.contains(&media) => json!({ "x-itemSchema": make(generator) }),
        make => content(make, generator),
    }
}

fn content(make: Option<crate::api::Make>, generator: &mut SchemaGenerator) -> Value {
    match make {
        Some(make) => json!({ "schema": make(generator) }),
        None => json!({}),
    }
}
