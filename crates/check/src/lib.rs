//! Static analysis of Python source text. Pure: text in, facts out; nothing is imported or run.

#![forbid(unsafe_code)]

mod imports;

pub use imports::imports;
