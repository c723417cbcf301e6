//! What the check says about a program before it runs.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the check found in a program. It is advice: the sandbox holds whatever it says.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CheckReport {
    /// What is to be done with the program.
    pub verdict: Verdict,
    /// Dangerous places, in the order of the text; the first ones where there are very many.
    pub findings: Vec<Finding>,
    /// Dangerous places in all, those beyond the ones that are kept in `findings` included.
    pub findings_total: u64,
    /// Modules that the program imports, in the order of their names.
    pub imports: Vec<ImportedModule>,
    /// Packages that the program needs and the environment lacks, as named on PyPI.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
    /// The environment that the imports were judged by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub environment: Option<String>,
    /// What the program says of its own needs (PEP 723), where it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub script: Option<ScriptMetadata>,
    /// Why the text is no Python program, where it is none; there are no findings then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub syntax_error: Option<SyntaxProblem>,
    /// Why the text was not, or not wholly, looked at, such as its size.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skipped: Option<String>,
}

/// What is to be done with a program.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It runs.
    #[default]
    Allow,
    /// It runs, and something about it is worth knowing.
    Warn,
    /// It does not run.
    Reject,
}

/// How strict the check is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CheckPolicy {
    /// Rejects what is certain to be interrupted at run time; warns of the rest.
    #[default]
    Standard,
    /// Rejects every finding of high severity.
    Strict,
    /// Looks at nothing.
    Off,
}

/// One dangerous place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// The code of the rule, such as `EP101`.
    pub rule: String,
    /// The name of the rule, such as `process-spawn`.
    pub name: String,
    /// The kind of danger.
    pub category: Danger,
    /// How bad it is if it happens.
    pub severity: Severity,
    /// How sure it is that it happens.
    pub certainty: Certainty,
    /// Whether it is a reason to reject the program.
    pub rejected: bool,
    /// Where it stands.
    pub place: Place,
    /// The expression as written, shortened.
    pub expression: String,
    /// What the expression stands for, such as `os.system`, where names were followed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolved: Option<String>,
    /// What is dangerous about it.
    pub message: String,
    /// What to do instead.
    pub instead: String,
}

/// A range of the source text. Lines and columns count from 1, columns in Unicode characters; the
/// end is the place just behind the last character.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Place {
    /// The line of the first character.
    pub line: u32,
    /// The column of the first character.
    pub column: u32,
    /// The line of the end.
    pub end_line: u32,
    /// The column of the end.
    pub end_column: u32,
}

/// A kind of danger that can be read from a text.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Danger {
    /// Child processes, shells, fork.
    Process,
    /// Signals to others, or ones that stop the run itself.
    Signals,
    /// Sockets and all that is built on them.
    Network,
    /// Reading or writing outside of the work folder.
    Files,
    /// Deletion of trees, of the user's files or tables.
    Delete,
    /// Environment variables, keys, credential files, `/proc`, metadata of a cloud.
    Secrets,
    /// Code that is not Python: `ctypes`, extensions, code objects.
    Native,
    /// Ways out by dunder attributes, frames, tracing, the garbage collector.
    Introspection,
    /// `eval`, `exec` and imports of text that is not literal or is hidden.
    Dynamic,
    /// Formats that run code when they are read, such as pickle.
    Deserialise,
    /// Changes of builtins, of standard modules or of import.
    Patching,
    /// Loops, recursion, iterators and waits that cannot end.
    Endless,
    /// More memory, processor time, disk or threads than any limit allows.
    Bomb,
    /// Input, debuggers, windows and servers that wait for somebody.
    Interactive,
    /// `pip`, `conda`, `apt` and the like.
    Install,
}

/// How bad a thing is.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Worth a word.
    Low,
    /// May fail or surprise in the sandbox.
    Medium,
    /// What the sandbox is there to prevent.
    High,
}

/// How sure a finding is.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Certainty {
    /// It depends on data or settings from outside.
    Possible,
    /// It happens unless something unusual is the case.
    Likely,
    /// Every complete run gets there and tries it.
    Certain,
}

/// A module that a program imports.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ImportedModule {
    /// Its top-level name, such as `sklearn`.
    pub module: String,
    /// The line of its first import, from 1.
    pub line: u32,
    /// Whether it belongs to Python itself.
    pub standard_library: bool,
    /// The package that brings it, as named on PyPI, such as `scikit-learn`; none for the standard
    /// library and for files of the work folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub package: Option<String>,
    /// Whether the environment has it; not known where there was no environment to ask.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub installed: Option<bool>,
    /// Whether the program goes on without it: the import stands in a `try` that catches it.
    pub optional: bool,
}

/// What a program says of its own needs, as in PEP 723.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ScriptMetadata {
    /// The versions of Python that it runs on, such as `>=3.11`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requires_python: Option<String>,
    /// The packages that it needs, as in PEP 508.
    pub dependencies: Vec<String>,
}

/// Why a text is no Python program, in the words of a Python interpreter as far as they are known.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SyntaxProblem {
    /// The class: `SyntaxError`, `IndentationError` or `TabError`.
    pub r#type: String,
    /// What is wrong.
    pub message: String,
    /// Where.
    pub place: Place,
}

/// What is done about a single rule in place of what the policy says, by the rule's code or name.
pub type RuleActions = BTreeMap<String, Verdict>;
