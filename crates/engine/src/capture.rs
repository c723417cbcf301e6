//! What is kept of a stream: its beginning and its end, within a limit, and how much there was.

use std::collections::VecDeque;

use execute_python_protocol::CapturedText;

/// Keeps the first and the last bytes of a stream.
#[derive(Debug)]
pub(crate) struct Capture {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    /// The most bytes of each of both.
    half: usize,
    total: u64,
    /// Bytes of an unfinished character at the end of what was streamed.
    unfinished: Vec<u8>,
    /// Bytes that may still be streamed.
    streamable: usize,
}

impl Capture {
    /// Keeps at most `limit` bytes.
    pub(crate) fn new(limit: u64) -> Self {
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        Self {
            head: Vec::new(),
            tail: VecDeque::new(),
            half: limit.div_ceil(2),
            total: 0,
            unfinished: Vec::new(),
            streamable: limit,
        }
    }

    /// Bytes that were written in all.
    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    /// Takes what was written; gives the text to stream, which stops at the limit.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> String {
        self.total += bytes.len() as u64;
        let (first, rest) = bytes.split_at(bytes.len().min(self.half - self.head.len()));
        self.head.extend_from_slice(first);
        // Of more than the tail holds only the end matters.
        let rest = &rest[rest.len().saturating_sub(self.half)..];
        let over = (self.tail.len() + rest.len()).saturating_sub(self.half);
        self.tail.drain(..over);
        self.tail.extend(rest);
        let streamed = &bytes[..bytes.len().min(self.streamable)];
        self.streamable -= streamed.len();
        self.decode(streamed)
    }

    /// Decodes what can be decoded, and keeps a character that is cut at the end.
    fn decode(&mut self, bytes: &[u8]) -> String {
        self.unfinished.extend_from_slice(bytes);
        let keep = unfinished_at_end(&self.unfinished);
        let whole = self.unfinished.len() - keep;
        let text = String::from_utf8_lossy(&self.unfinished[..whole]).into_owned();
        self.unfinished.drain(..whole);
        text
    }

    /// The whole account.
    pub(crate) fn finish(self) -> CapturedText {
        let mut head = self.head;
        let mut tail: Vec<u8> = self.tail.into();
        let kept = (head.len() + tail.len()) as u64;
        if kept == self.total {
            head.append(&mut tail);
            let (text, replaced) = decode(&head);
            return CapturedText {
                text,
                tail: None,
                total_bytes: kept,
                kept_bytes: kept,
                replaced,
            };
        }
        // A character that is cut by the gap is left out on both sides.
        head.truncate(head.len() - unfinished_at_end(&head));
        let cut = tail.iter().take(3).take_while(|byte| **byte & 0xc0 == 0x80).count();
        let tail = &tail[cut..];
        let kept_bytes = (head.len() + tail.len()) as u64;
        let ((text, a), (tail, b)) = (decode(&head), decode(tail));
        CapturedText {
            text,
            tail: Some(tail),
            total_bytes: self.total,
            kept_bytes,
            replaced: a + b,
        }
    }
}

/// How many bytes at the end begin a character that is not complete.
fn unfinished_at_end(bytes: &[u8]) -> usize {
    for back in 1..=bytes.len().min(3) {
        let byte = bytes[bytes.len() - back];
        if byte & 0xc0 != 0x80 {
            let length = match byte {
                0xc0..=0xdf => 2,
                0xe0..=0xef => 3,
                0xf0..=0xf7 => 4,
                _ => 1,
            };
            return if length > back { back } else { 0 };
        }
    }
    0
}

/// The text, with what is not UTF-8 replaced, and how often that was.
fn decode(bytes: &[u8]) -> (String, u64) {
    let mut text = String::with_capacity(bytes.len());
    let mut replaced = 0;
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        if !chunk.invalid().is_empty() {
            text.push(char::REPLACEMENT_CHARACTER);
            replaced += 1;
        }
    }
    (text, replaced)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn captured(limit: u64, pieces: &[&[u8]]) -> CapturedText {
        let mut capture = Capture::new(limit);
        for piece in pieces {
            capture.push(piece);
        }
        capture.finish()
    }

    #[test]
    fn what_fits_is_kept_whole() {
        let whole = captured(10, &[b"hello", b" you"]);
        let wanted = CapturedText {
            text: "hello you".into(),
            tail: None,
            total_bytes: 9,
            kept_bytes: 9,
            replaced: 0,
        };
        assert_eq!(whole, wanted);
    }

    #[test]
    fn of_what_does_not_fit_the_beginning_and_the_end_are_kept() {
        for pieces in [&[&b"0123456789abcdef"[..]][..], &[b"01234", b"5", b"6789abcde", b"f"]] {
            let cut = captured(8, pieces);
            assert_eq!((cut.text.as_str(), cut.tail.as_deref()), ("0123", Some("cdef")));
            assert_eq!((cut.total_bytes, cut.kept_bytes, cut.missing_bytes()), (16, 8, 8));
        }
    }

    #[test]
    fn bytes_that_are_not_utf_8_are_replaced_and_counted() {
        let text = captured(100, &[b"a\xffb\xc3(", "ü".as_bytes()]);
        assert_eq!((text.text.as_str(), text.replaced), ("a\u{fffd}b\u{fffd}(ü", 2));
    }

    #[test]
    fn a_character_that_the_gap_cuts_is_left_out() {
        let cut = captured(6, &["aü€€€€€€b".as_bytes()]);
        assert_eq!((cut.text.as_str(), cut.tail.as_deref(), cut.replaced), ("aü", Some("b"), 0));
    }

    #[test]
    fn a_character_that_comes_in_two_pieces_is_streamed_whole() {
        let mut capture = Capture::new(100);
        assert_eq!(capture.push(b"a\xe2\x82"), "a");
        assert_eq!(capture.push(b"\xacb"), "€b");
    }

    #[test]
    fn streaming_stops_at_the_limit() {
        let mut capture = Capture::new(4);
        assert_eq!(capture.push(b"abc"), "abc");
        assert_eq!(capture.push(b"defg"), "d");
        assert_eq!(capture.push(b"h"), "");
    }
}
