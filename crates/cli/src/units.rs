//! Sizes and durations as people write them, and as they like to read them.
//!
//! Reading is left to `bytesize` and `humantime`, which depend on nothing. Writing is ours: a limit
//! is shown exactly (`1 GiB`, `300 s`, `1500 ms`), so that the value above a ceiling never looks
//! like the ceiling; what was measured is shown with three digits (`1.98 s`, `14 MiB`).

use std::time::Duration;

/// The units of a size, the largest first.
const SIZES: [(&str, u64); 5] =
    [("TiB", 1 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("B", 1)];

/// The units of a duration, the largest first, in milliseconds.
const DURATIONS: [(&str, u64); 2] = [("s", 1_000), ("ms", 1)];

/// What a number of a limit counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    /// Bytes.
    Size,
    /// Milliseconds.
    Duration,
    /// Things.
    Count,
}

/// Reads a size such as `256MiB`, `1.5 GB` or `4096`, in bytes.
pub(crate) fn parse_size(text: &str) -> Result<u64, String> {
    let size = text.trim().parse().ok();
    size.map(|size: bytesize::ByteSize| size.as_u64())
        .ok_or_else(|| "say a size such as `256MiB` or `1.5GB`".into())
}

/// Reads a duration such as `5s`, `500ms` or `2m`, in milliseconds.
pub(crate) fn parse_duration(text: &str) -> Result<u64, String> {
    let duration: Result<Duration, _> = humantime::parse_duration(text.trim());
    duration
        .ok()
        .and_then(|duration| u64::try_from(duration.as_millis()).ok())
        .ok_or_else(|| "say a duration such as `5s`, `500ms` or `2m`".into())
}

impl Unit {
    /// The value exactly, in the largest unit that divides it: `2 GiB`.
    pub(crate) fn exact(self, value: u64) -> String {
        self.join(value, " ")
    }

    /// The same as it is typed: `2GiB`.
    pub(crate) fn typed(self, value: u64) -> String {
        self.join(value, "")
    }

    fn join(self, value: u64, gap: &str) -> String {
        let units: &[(&str, u64)] = match self {
            Unit::Size => &SIZES,
            Unit::Duration => &DURATIONS,
            Unit::Count => return value.to_string(),
        };
        let dividing = units.iter().find(|(_, unit)| value != 0 && value.is_multiple_of(*unit));
        match dividing.or(units.last()) {
            Some((name, unit)) => format!("{}{gap}{name}", value / unit),
            None => value.to_string(),
        }
    }
}

/// A measured size with three digits: `14 MiB`, `1.25 KiB`.
#[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
pub(crate) fn about_size(bytes: u64) -> String {
    match SIZES.iter().find(|(_, unit)| bytes >= *unit) {
        None | Some((_, 1)) => format!("{bytes} B"),
        Some((name, unit)) => format!("{} {name}", three_digits(bytes as f64 / *unit as f64)),
    }
}

/// A measured duration with three digits: `1.98 s`, `14.2 ms`.
pub(crate) fn about_duration(ms: f64) -> String {
    if ms >= 1_000.0 {
        format!("{} s", three_digits(ms / 1_000.0))
    } else {
        format!("{} ms", three_digits(ms))
    }
}

fn three_digits(value: f64) -> String {
    let digits = match value {
        value if value >= 100.0 => 0,
        value if value >= 10.0 => 1,
        _ => 2,
    };
    let text = format!("{value:.digits$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_as_people_write_them() {
        for (text, bytes) in [
            ("256MiB", 256 << 20),
            ("4 GiB", 4 << 30),
            ("1.5KiB", 1_536),
            ("2MB", 2_000_000),
            ("64kib", 64 << 10),
            ("4096", 4_096),
            ("0", 0),
        ] {
            assert_eq!(parse_size(text), Ok(bytes), "{text}");
        }
    }

    #[test]
    fn durations_are_read_as_people_write_them() {
        for (text, ms) in
            [("5s", 5_000), ("500ms", 500), ("2m", 120_000), ("1.5s", 1_500), ("1m 30s", 90_000)]
        {
            assert_eq!(parse_duration(text), Ok(ms), "{text}");
        }
    }

    #[test]
    fn what_is_no_size_or_duration_is_refused() {
        for text in ["", "MiB", "-1MiB", "5 potatoes", "1e3", "nan", "0x10"] {
            assert!(parse_size(text).is_err(), "{text}");
        }
        for text in ["", "5", "s", "-1s", "5 potatoes", "nan", "99999999999999999999s"] {
            assert!(parse_duration(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_size_too_large_to_count_is_the_largest_there_is() {
        assert_eq!(parse_size("99999999999EiB"), Ok(u64::MAX));
    }

    #[test]
    fn a_limit_is_shown_exactly() {
        for (unit, value, text) in [
            (Unit::Size, 4 << 30, "4 GiB"),
            (Unit::Size, (4 << 30) + 1, "4294967297 B"),
            (Unit::Size, 1536 << 20, "1536 MiB"),
            (Unit::Size, 0, "0 B"),
            (Unit::Duration, 2_000, "2 s"),
            (Unit::Duration, 1_500, "1500 ms"),
            (Unit::Duration, 300_000, "300 s"),
            (Unit::Count, 32, "32"),
        ] {
            assert_eq!(unit.exact(value), text);
        }
    }

    #[test]
    fn a_limit_as_it_is_typed_is_read_back() {
        for value in [0, 1, 999, 1_000, 1_024, 1_500, 300_000, 3 << 20, (1 << 30) + 7] {
            assert_eq!(parse_size(&Unit::Size.typed(value)), Ok(value));
            assert_eq!(parse_duration(&Unit::Duration.typed(value)), Ok(value));
        }
    }

    #[test]
    fn what_was_measured_is_shown_with_three_digits() {
        assert_eq!(about_size(0), "0 B");
        assert_eq!(about_size(1_023), "1023 B");
        assert_eq!(about_size(14 << 20), "14 MiB");
        assert_eq!(about_size(1_280), "1.25 KiB");
        assert_eq!(about_size(23_456_789), "22.4 MiB");
        assert_eq!(about_duration(1_983.4), "1.98 s");
        assert_eq!(about_duration(14.23), "14.2 ms");
        assert_eq!(about_duration(0.5), "0.5 ms");
        assert_eq!(about_duration(250.0), "250 ms");
    }
}
