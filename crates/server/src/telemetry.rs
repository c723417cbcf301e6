//! Logs and traces.
//!
//! A log line has the id of its request and nothing that a guest wrote. Traces go to a collector by
//! OTLP where one is named; a request that brings a W3C trace context becomes part of that trace.

use std::collections::HashMap;

use axum::http::HeaderMap;
use opentelemetry::propagation::{Extractor, TextMapPropagator as _};
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_otlp::{SpanExporter, WithExportConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt as _;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Layer as _, Registry, fmt};

use crate::config::{LogForm, Telemetry};
use crate::error::Error;

/// What is logged unless the configuration says otherwise.
const FILTER: &str = "info";

/// Ends the telemetry: what is not yet sent is sent when it is dropped.
#[derive(Debug)]
pub struct Telling(Option<SdkTracerProvider>);

/// Begins to log to standard error, and to send traces where a collector is named.
pub fn tell(config: &Telemetry) -> Result<Telling, Error> {
    let filter = config.filter.as_deref().unwrap_or(FILTER);
    let filter = EnvFilter::try_new(filter)
        .map_err(|error| Error::Telemetry(format!("the filter `{filter}`: {error}")))?;
    let lines = fmt::layer().with_writer(std::io::stderr);
    let lines = match config.log {
        LogForm::Text => lines.boxed(),
        LogForm::Json => lines.json().flatten_event(true).boxed(),
    };
    let traces = config.otlp.as_deref().map(provider).transpose()?;
    let spans = traces
        .as_ref()
        .map(|traces| tracing_opentelemetry::layer().with_tracer(traces.tracer("execute-python")));
    Registry::default()
        .with(spans)
        .with(lines)
        .with(filter)
        .try_init()
        .map_err(|error| Error::Telemetry(error.to_string()))?;
    Ok(Telling(traces))
}

fn provider(collector: &str) -> Result<SdkTracerProvider, Error> {
    crate::tls::choose_cryptography();
    let exporter = SpanExporter::builder()
        .with_http()
        .with_endpoint(format!("{}/v1/traces", collector.trim_end_matches('/')))
        .build()
        .map_err(|error| Error::Telemetry(format!("the collector `{collector}`: {error}")))?;
    let resource = Resource::builder().with_service_name("execute-python").build();
    Ok(SdkTracerProvider::builder().with_batch_exporter(exporter).with_resource(resource).build())
}

impl Drop for Telling {
    fn drop(&mut self) {
        if let Some(Err(error)) = self.0.take().map(|traces| traces.shutdown()) {
            tracing::warn!(%error, "the last traces are not sent");
        }
    }
}

/// Makes a span part of the trace that a request came with.
pub(crate) fn continue_trace(span: &Span, headers: &HeaderMap) {
    if headers.contains_key("traceparent") {
        let context = TraceContextPropagator::new().extract(&Headers(headers));
        // Where no traces are made there is nothing to continue.
        drop(span.set_parent(context));
    }
}

/// The trace that goes on, as a header would say it; none where no traces are made.
pub(crate) fn current_trace() -> Option<String> {
    let mut headers = HashMap::new();
    TraceContextPropagator::new().inject_context(&Span::current().context(), &mut headers);
    headers.remove("traceparent")
}

struct Headers<'a>(&'a HeaderMap);

impl Extractor for Headers<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key)?.to_str().ok()
    }

    fn keys(&self) -> Vec<&str> {
        self.0.keys().map(axum::http::HeaderName::as_str).collect()
    }
}
