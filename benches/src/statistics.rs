//! Medians, ratios and the table of them.

use std::fmt::Write;

use serde_json::{Value, json};

/// The times of one thing in milliseconds.
#[derive(Debug, Clone, Default)]
pub(crate) struct Times(Vec<f64>);

impl Times {
    pub(crate) fn push(&mut self, time: std::time::Duration) {
        self.0.push(time.as_secs_f64() * 1e3);
    }

    /// The value below which this share of all lies.
    pub(crate) fn quantile(&self, share: f64) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an index")]
        let index = (share * (sorted.len().saturating_sub(1)) as f64).round() as usize;
        sorted.get(index).copied().unwrap_or(f64::NAN)
    }
}

/// One measure: ours, a peer's, and what is asked of the ratio.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    pub(crate) name: String,
    pub(crate) ours: f64,
    pub(crate) peer: f64,
    pub(crate) unit: &'static str,
    pub(crate) ratio: f64,
    pub(crate) wanted: String,
    pub(crate) met: bool,
}

impl Row {
    /// A measure of time, where less is better: at least `times` times faster than the peer.
    pub(crate) fn faster(name: impl Into<String>, ours: f64, peer: f64, times: f64) -> Row {
        let ratio = peer / ours;
        Row {
            name: name.into(),
            ours,
            peer,
            unit: "ms",
            ratio,
            wanted: format!(">= {times}x faster"),
            met: ratio >= times,
        }
    }

    /// A measure of a rate, where more is better.
    pub(crate) fn more(name: impl Into<String>, ours: f64, peer: f64, times: f64) -> Row {
        let ratio = ours / peer;
        let unit = "runs/s";
        let wanted = format!(">= {times}x as many");
        Row { name: name.into(), ours, peer, unit, ratio, wanted, met: ratio >= times }
    }

    /// A measure of time that may be at most so many milliseconds above the peer's.
    pub(crate) fn above(name: impl Into<String>, ours: f64, peer: f64, most: f64) -> Row {
        let ratio = ours - peer;
        let wanted = format!("<= {most} ms above");
        Row { name: name.into(), ours, peer, unit: "ms", ratio, wanted, met: ratio <= most }
    }

    /// A measure with a bound of its own.
    pub(crate) fn at_most(
        name: impl Into<String>,
        ours: f64,
        most: f64,
        unit: &'static str,
    ) -> Row {
        let ratio = most / ours;
        let wanted = format!("<= {most} {unit}");
        Row { name: name.into(), ours, peer: most, unit, ratio, wanted, met: ours <= most }
    }

    pub(crate) fn json(&self) -> Value {
        json!({
            "name": self.name, "ours": self.ours, "peer": self.peer, "unit": self.unit,
            "ratio": self.ratio, "wanted": self.wanted, "met": self.met,
        })
    }
}

/// The rows as a table.
pub(crate) fn table(rows: &[Row]) -> String {
    let mut text = format!(
        "{:<52} {:>10} {:>10} {:<7} {:>8}  {:<18} met\n",
        "measure", "ours", "peer", "unit", "ratio", "wanted"
    );
    for row in rows {
        // Writing to a string does not fail.
        writeln!(
            text,
            "{:<52} {:>10.3} {:>10.3} {:<7} {:>8.2}  {:<18} {}",
            row.name,
            row.ours,
            row.peer,
            row.unit,
            row.ratio,
            row.wanted,
            if row.met { "yes" } else { "no" }
        )
        .ok();
    }
    text
}
