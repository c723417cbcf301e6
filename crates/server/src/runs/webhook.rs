//! Telling somebody that a background run is over.
//!
//! The form is that of Standard Webhooks: an id, a time and a signature over both and the body. What
//! could not be delivered is tried again, also after a restart, until the tries are used up.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, Mac as _};
use jiff::Timestamp;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::{Client, Url, redirect};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::Sha256;
use sqlx::Row;
use tokio::sync::Notify;

use crate::auth::Caller;
use crate::db::{Database, DbError};
use crate::problem::{Problem, chain};
use crate::tls;

/// How long the other side may take.
const ANSWER_WITHIN: Duration = Duration::from_secs(10);
/// How long after each failure the next try comes; after the last one there is none.
const PAUSES: [u64; 8] = [1, 5, 30, 120, 600, 3_600, 10_800, 36_000];
/// How often is looked for what is due.
const LOOK: Duration = Duration::from_secs(5);

/// Who is told when a run is over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Webhook {
    /// Where the outcome is sent, by POST.
    url: String,
    /// What the message is signed with; a text, or `whsec_` and base64.
    #[serde(default)]
    secret: Option<String>,
}

impl Webhook {
    /// Refuses an address that nothing may be sent to.
    pub(crate) fn check(&self, private: bool) -> Result<(), Problem> {
        let bad =
            |detail: &str| Problem::unprocessable("webhook_not_valid", detail).field("webhook.url");
        let url = Url::parse(&self.url).map_err(|error| bad(&error.to_string()))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(bad("a webhook is an address with http or https"));
        }
        let literal = url.host_str().map(|host| host.trim_matches(['[', ']']));
        let literal = literal.and_then(|host| host.parse::<IpAddr>().ok());
        if !private && literal.is_some_and(is_private) {
            return Err(bad("a webhook may not go to a private address")
                .hint("set `server.private_webhooks` if it should"));
        }
        Ok(())
    }
}

/// Delivers webhooks. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Webhooks {
    database: Database,
    client: Client,
    wake: Arc<Notify>,
}

impl Webhooks {
    pub(crate) fn new(database: Database, private: bool) -> Result<Self, reqwest::Error> {
        tls::choose_cryptography();
        // Redirects could lead anywhere.
        let mut client = Client::builder()
            .timeout(ANSWER_WITHIN)
            .redirect(redirect::Policy::none())
            .no_proxy()
            .user_agent(concat!("execute-python/", env!("CARGO_PKG_VERSION")));
        if !private {
            client = client.dns_resolver(PublicOnly);
        }
        Ok(Self { database, client: client.build()?, wake: Arc::default() })
    }

    /// Says that something may be due.
    pub(crate) fn wake(&self) {
        self.wake.notify_one();
    }

    /// Delivers what is due, for ever.
    pub(crate) async fn deliver_all(self) {
        loop {
            match self.due().await {
                Ok(due) => {
                    for delivery in due {
                        if let Err(error) = self.deliver(delivery).await {
                            tracing::error!(error = %chain(&error), "cannot note a webhook");
                        }
                    }
                }
                Err(error) => tracing::error!(error = %chain(&error), "cannot look for webhooks"),
            }
            drop(tokio::time::timeout(LOOK, self.wake.notified()).await);
        }
    }

    async fn due(&self) -> Result<Vec<Delivery>, DbError> {
        let rows = sqlx::query(
            "SELECT id, caller, status, outcome, webhook, webhook_tries FROM background
             WHERE webhook_due IS NOT NULL AND webhook_due <= $1 LIMIT 32",
        )
        .bind(Timestamp::now().as_millisecond())
        .fetch_all(self.database.pool())
        .await?;
        rows.iter()
            .map(|row| {
                Ok(Delivery {
                    id: row.try_get("id")?,
                    caller: row.try_get("caller")?,
                    status: row.try_get("status")?,
                    outcome: row.try_get("outcome")?,
                    webhook: row.try_get("webhook")?,
                    tries: row.try_get("webhook_tries")?,
                })
            })
            .collect()
    }

    async fn deliver(&self, delivery: Delivery) -> Result<(), DbError> {
        let told = match serde_json::from_str::<Webhook>(&delivery.webhook) {
            Ok(webhook) => self.send(&delivery, &webhook).await,
            Err(error) => Err(error.to_string()),
        };
        let pause = usize::try_from(delivery.tries).ok().and_then(|tries| PAUSES.get(tries));
        let next = match (&told, pause) {
            (Ok(()), _) => None,
            (Err(reason), Some(pause)) => {
                tracing::warn!(run = delivery.id, reason, "a webhook is tried again");
                let pause = i64::try_from(*pause).unwrap_or(i64::MAX).saturating_mul(1_000);
                Some(Timestamp::now().as_millisecond().saturating_add(pause))
            }
            (Err(reason), None) => {
                tracing::error!(run = delivery.id, reason, "a webhook is given up");
                None
            }
        };
        sqlx::query("UPDATE background SET webhook_due = $1, webhook_tries = $2 WHERE id = $3")
            .bind(next)
            .bind(delivery.tries + 1)
            .bind(&delivery.id)
            .execute(self.database.pool())
            .await?;
        Ok(())
    }

    async fn send(&self, delivery: &Delivery, webhook: &Webhook) -> Result<(), String> {
        let body = delivery.body();
        let id = format!("msg_{}", delivery.id);
        let at = Timestamp::now().as_second().to_string();
        let mut request = self
            .client
            .post(&webhook.url)
            .header("content-type", "application/json")
            .header("webhook-id", &id)
            .header("webhook-timestamp", &at);
        let caller: Option<Caller> = serde_json::from_str(&delivery.caller).ok();
        if let Some(trace) = caller.and_then(|caller| caller.trace) {
            request = request.header("traceparent", trace);
        }
        if let Some(secret) = &webhook.secret {
            request = request.header("webhook-signature", sign(secret, &id, &at, &body));
        }
        let answer = request.body(body).send().await.map_err(|error| chain(&error))?;
        match answer.status() {
            status if status.is_success() => Ok(()),
            status => Err(format!("the answer was {status}")),
        }
    }
}

/// One message to be delivered.
#[derive(Debug)]
struct Delivery {
    id: String,
    caller: String,
    status: Option<String>,
    outcome: Option<String>,
    webhook: String,
    tries: i64,
}

impl Delivery {
    fn body(&self) -> String {
        let outcome = self.outcome.as_deref().unwrap_or("null");
        let status = serde_json::json!(self.status);
        let id = &self.id;
        format!(r#"{{"type":"run.finished","id":"{id}","status":{status},"outcome":{outcome}}}"#)
    }
}

/// The signature of a message: `v1,` and the HMAC with SHA-256 in base64.
fn sign(secret: &str, id: &str, at: &str, body: &str) -> String {
    let decoded = secret.strip_prefix("whsec_").and_then(|text| STANDARD.decode(text).ok());
    let key = decoded.unwrap_or_else(|| secret.as_bytes().to_vec());
    // It takes keys of any length.
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(&key) else { return String::new() };
    mac.update(format!("{id}.{at}.{body}").as_bytes());
    format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()))
}

/// Finds no address for a name that leads into a private network, whatever its records say today.
#[derive(Debug)]
struct PublicOnly;

impl Resolve for PublicOnly {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let public: Vec<SocketAddr> = found.filter(|at| !is_private(at.ip())).collect();
            if public.is_empty() {
                return Err("the name leads to no public address".into());
            }
            Ok(Box::new(public.into_iter()) as Addrs)
        })
    }
}

/// Whether an address is none of the public internet.
fn is_private(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => {
            let [first, second, ..] = v4.octets();
            v4.is_private()
                || v4.is_loopback()
                || v4.is_link_local()
                || v4.is_multicast()
                || v4.is_broadcast()
                || v4.is_documentation()
                || first == 0
                || first >= 240
                || (first == 100 && (64..128).contains(&second))
                || (first == 198 && (18..20).contains(&second))
        }
        IpAddr::V6(v6) => match v6.to_ipv4_mapped() {
            Some(v4) => is_private(v4.into()),
            // What is not of the global unicast range 2000::/3 is local, or nothing yet.
            None => (v6.segments()[0] & 0xe000) != 0x2000,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_is_that_of_standard_webhooks() {
        // The example of the specification.
        let signed = sign(
            "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
            "msg_p5jXN8AQM9LWM0D4loKWxJek",
            "1614265330",
            r#"{"test": 2432232314}"#,
        );
        assert_eq!(signed, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    #[test]
    fn no_webhook_leads_into_a_private_network() {
        for url in [
            "http://127.0.0.1/",
            "http://[::1]:8000/",
            "http://10.1.2.3/",
            "http://169.254.169.254/latest/meta-data",
            "http://[::ffff:192.168.0.1]/",
            "http://[fd00::1]/",
            "http://2130706433/",
            "http://0x7f.1/",
        ] {
            let webhook = Webhook { url: url.into(), secret: None };
            assert!(webhook.check(false).is_err(), "{url}");
            // The control: where they are allowed, each is an address.
            assert!(webhook.check(true).is_ok(), "{url}");
        }
        let public = Webhook { url: "https://hooks.example/x".into(), secret: None };
        assert!(public.check(false).is_ok());
        let file = Webhook { url: "file:///etc/passwd".into(), secret: None };
        assert!(file.check(true).is_err());
    }
}
