//! What an environment is to hold.

use std::path::PathBuf;

use super::error::Error;

/// What an environment is to hold. Two are built in; an operator adds others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    /// Its name.
    pub name: String,
    /// Its packages: the text of a requirements file with hashes; empty for none.
    pub lock: String,
    /// The top-level names that its packages can be imported by. Code that imports one of them, and
    /// names no environment, runs in this one.
    pub provides: Vec<String>,
    /// What is imported before the first run, so that every run has it at once.
    pub preload: Vec<String>,
    /// The interpreter, where it is not the engine's.
    pub python: Option<PathBuf>,
}

/// The font for Chinese, Japanese and Korean, which every environment with packages has.
pub(crate) const FONTS: &str = include_str!("../../../../environments/fonts.lock");

/// The installer of packages, for machines that have none.
pub(crate) const UV: &str = include_str!("../../../../environments/uv.lock");

/// Refuses a name that cannot be part of the name of a folder.
pub(crate) fn check_name(name: &str) -> Result<(), Error> {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if name.starts_with(|c: char| c.is_ascii_alphanumeric()) && name.chars().all(fits) {
        return Ok(());
    }
    Err(Error::Name(name.to_owned()))
}

/// The environments that are built in.
pub(crate) fn built_in() -> Vec<Definition> {
    vec![base(), data()]
}

/// The names that the packages of `data` can be imported by.
const PROVIDED: &str = "
    IPython PIL bs4 certifi charset_normalizer cloudpickle contourpy cycler dateutil docx et_xmlfile
    fontTools idna joblib kiwisolver lxml matplotlib mpl_toolkits mpmath narwhals networkx numpy
    openpyxl packaging pandas patsy plotly pyarrow pygments pylab pyparsing pypdf pytz regex requests
    scipy seaborn six sklearn soupsieve statsmodels sympy tabulate threadpoolctl tqdm traitlets
    typing_extensions tzdata urllib3 xlsxwriter yaml";

/// What `base` has at once. `ctypes` and `platform` are here because a guest could not set them up.
const PRELOADED_IN_BASE: &str = "
    collections ctypes datetime enum functools io itertools json math operator os platform random re
    string time types typing";

/// What `data` has at once: what most programs import, as long as it takes less than two seconds.
const PRELOADED_IN_DATA: &str = "
    asyncio collections csv ctypes dataclasses datetime decimal json math platform random re
    statistics typing uuid numpy scipy scipy.integrate scipy.optimize scipy.stats pandas
    matplotlib.pyplot";

fn base() -> Definition {
    Definition {
        name: "base".into(),
        lock: String::new(),
        provides: Vec::new(),
        preload: words(PRELOADED_IN_BASE),
        python: None,
    }
}

fn data() -> Definition {
    Definition {
        name: "data".into(),
        lock: include_str!("../../../../environments/data.lock").into(),
        provides: words(PROVIDED),
        preload: words(PRELOADED_IN_DATA),
        python: None,
    }
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stays_inside_its_folder() {
        for name in ["data", "my-env_2", "py3.12"] {
            assert!(check_name(name).is_ok(), "{name}");
        }
        for name in ["", "..", ".hidden", "a/b", "../../evil", "a b", "-x"] {
            assert!(check_name(name).is_err(), "{name}");
        }
    }
}
