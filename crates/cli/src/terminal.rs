//! What a guest may do to the terminal of whoever runs it: write text and change its colour.
//!
//! Control characters move the cursor over what was printed before, set the title, the clipboard or
//! the keyboard, or make the terminal answer as if typed. They are shown as the characters that they
//! are. What passes: line feed, tab, carriage return (progress bars), and the sequences that set
//! colours, unless colours are not wanted. This holds for a terminal only: bytes for a file or a
//! pipe stay as they are.

/// The longest colour sequence that passes; longer ones have no use.
const LONGEST: usize = 64;

/// Rewrites text that comes in pieces.
#[derive(Debug)]
pub(crate) struct Filter {
    colours: bool,
    /// The beginning of a sequence that is not complete yet.
    pending: String,
    /// Whether a colour was let through since the last reset of ours.
    coloured: bool,
}

impl Filter {
    /// Lets colours through, or not.
    pub(crate) fn new(colours: Colours) -> Self {
        Self { colours: colours == Colours::Pass, pending: String::new(), coloured: false }
    }

    /// What can be printed of the next piece.
    pub(crate) fn push(&mut self, text: &str) -> String {
        let mut clean = String::with_capacity(text.len());
        for letter in text.chars() {
            if self.pending.is_empty() {
                self.plain(letter, &mut clean);
            } else {
                self.sequence(letter, &mut clean);
            }
        }
        clean
    }

    /// What is left at the end: an unfinished sequence, and a reset if there was any colour.
    pub(crate) fn finish(&mut self) -> String {
        let mut clean = String::new();
        self.show_pending(&mut clean);
        if std::mem::take(&mut self.coloured) {
            clean.push_str("\x1b[0m");
        }
        clean
    }

    fn plain(&mut self, letter: char, clean: &mut String) {
        match letter {
            '\x1b' => self.pending.push(letter),
            '\n' | '\t' | '\r' => clean.push(letter),
            letter => show(letter, clean),
        }
    }

    /// Takes a letter after an escape character.
    fn sequence(&mut self, letter: char, clean: &mut String) {
        let fits = match (self.pending.len(), letter) {
            (1, letter) => letter == '[',
            (length, '0'..='9' | ';' | ':') => length < LONGEST,
            (_, letter) => letter == 'm',
        };
        if !fits {
            self.show_pending(clean);
            return self.plain(letter, clean);
        }
        self.pending.push(letter);
        if letter == 'm' {
            if self.colours {
                clean.push_str(&self.pending);
                self.coloured = true;
            }
            self.pending.clear();
        }
    }

    fn show_pending(&mut self, clean: &mut String) {
        for letter in self.pending.drain(..) {
            show(letter, clean);
        }
    }
}

/// Whether colours of the guest are passed on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Colours {
    /// They are.
    Pass,
    /// They are dropped.
    Drop,
}

/// A text from the guest as part of a line of ours: without any control character.
pub(crate) fn inline(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    for letter in text.chars() {
        show(letter, &mut clean);
    }
    clean
}

fn show(letter: char, clean: &mut String) {
    if letter.is_control() {
        clean.extend(letter.escape_default());
    } else {
        clean.push(letter);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filtered(pieces: &[&str]) -> String {
        let mut filter = Filter::new(Colours::Pass);
        let mut clean: String = pieces.iter().map(|piece| filter.push(piece)).collect();
        clean.push_str(&filter.finish());
        clean
    }

    #[test]
    fn text_with_line_ends_tabs_and_progress_bars_passes() {
        let text = "größe\t1\r\n50 %\r100 %\n日本語 🎉\n";
        assert_eq!(filtered(&[text]), text);
    }

    #[test]
    fn colours_pass_and_are_reset_at_the_end() {
        assert_eq!(filtered(&["\x1b[1;31mred"]), "\x1b[1;31mred\x1b[0m");
        assert_eq!(filtered(&["\x1b[38:2::1:2:3mx"]), "\x1b[38:2::1:2:3mx\x1b[0m");
    }

    #[test]
    fn a_colour_that_comes_in_pieces_passes() {
        assert_eq!(filtered(&["\x1b", "[3", "1", "mred"]), "\x1b[31mred\x1b[0m");
    }

    #[test]
    fn whatever_else_would_control_the_terminal_is_shown() {
        for (hostile, shown) in [
            ("\x1b]0;title\x07", "\\u{1b}]0;title\\u{7}"),
            ("\x1b[2J", "\\u{1b}[2J"),
            ("\x1b[31", "\\u{1b}[31"),
            ("\x1b\x1b[2K", "\\u{1b}\\u{1b}[2K"),
            ("\x1b[31\nm", "\\u{1b}[31\nm"),
            ("\x1b[?1049h", "\\u{1b}[?1049h"),
            ("\u{9b}2J", "\\u{9b}2J"),
            ("a\x08b\x7f\0", "a\\u{8}b\\u{7f}\\u{0}"),
        ] {
            assert_eq!(filtered(&[hostile]), shown, "{hostile:?}");
        }
    }

    #[test]
    fn a_sequence_without_end_is_shown_and_not_kept() {
        let endless = format!("\x1b[{}", "1".repeat(1_000));
        let mut filter = Filter::new(Colours::Pass);
        let shown = filter.push(&endless);
        assert!(shown.len() > 900 && filter.pending.len() <= LONGEST);
    }

    #[test]
    fn unwanted_colours_are_dropped() {
        let mut filter = Filter::new(Colours::Drop);
        assert_eq!(filter.push("\x1b[31mred\x1b[0m") + &filter.finish(), "red");
    }

    #[test]
    fn a_name_in_a_line_of_ours_cannot_begin_a_line_of_its_own() {
        assert_eq!(inline("x\nok: fake\x1b[2J"), "x\\nok: fake\\u{1b}[2J");
    }
}
