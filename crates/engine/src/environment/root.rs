//! The root file system of an environment, made once from what the interpreter really needs.
//!
//! It holds the interpreter, its standard library, the packages, every shared object that any of
//! them is linked to, time zones, certificates and fonts: no shell, no other program, no path of the
//! host. Everything lies at places of its own, so that the guest sees the same on every host.

use std::collections::HashSet;
use std::fmt::Write;
use std::fs;
use std::io::{self, Read};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use lddtree::DependencyAnalyzer;

use super::error::{At, Error};
use super::interpreter::Interpreter;

/// Where what is ours lies, relative to the root.
pub(crate) const OURS: &str = "usr/lib/execute-python";
/// Where shared libraries lie, relative to the root.
const LIBRARIES: &str = "usr/lib/execute-python/lib";

/// Folders of the standard library that are left out: graphical programs, bundled installers.
const LEFT_OUT: [&str; 6] = [
    "site-packages",
    "dist-packages",
    "__pycache__",
    "ensurepip/_bundled",
    "idlelib",
    "turtledemo",
];

/// Libraries that are loaded by name at run time, so that no list of needs shows them.
const LOADED_BY_NAME: [&str; 3] = ["libgcc_s.so.1", "libnss_files.so.2", "libnss_dns.so.2"];

/// Makes the parts of a root file system that do not depend on packages.
pub(crate) fn lay_out(root: &Path, interpreter: &Interpreter) -> Result<(), Error> {
    let seeds = format!("{OURS}/seed");
    for folder in
        ["dev", "etc", "mnt", "proc", "sys", "usr/bin", "usr/share", OURS, LIBRARIES, &seeds]
    {
        let folder = root.join(folder);
        fs::create_dir_all(&folder).at("create", &folder)?;
    }
    for device in ["null", "zero", "full", "random", "urandom"] {
        write(&root.join("dev").join(device), b"")?;
    }
    link("/mnt/shm", &root.join("dev/shm"))?;
    link("/mnt/tmp", &root.join("tmp"))?;
    // Leads somewhere only in a zygote, while it warms up.
    link("/mnt/self", &root.join("proc/self"))?;
    for library in ["lib", "lib64"] {
        let place = root.join("usr").join(library);
        fs::create_dir_all(&place).at("create", &place)?;
        link(&format!("usr/{library}"), &root.join(library))?;
    }
    tables(root)?;
    host_data(root)?;
    program(root, interpreter)?;
    standard_library(root, interpreter)
}

/// Where packages go, relative to the root.
pub(crate) fn packages(interpreter: &Interpreter) -> PathBuf {
    library(interpreter).join("site-packages")
}

/// The folder of the standard library, relative to the root.
pub(crate) fn library(interpreter: &Interpreter) -> PathBuf {
    let facts = &interpreter.facts;
    Path::new("usr").join(&facts.platlibdir).join(format!("python3.{}", facts.minor))
}

/// The interpreter, as the inside sees it.
pub(crate) fn python(interpreter: &Interpreter) -> PathBuf {
    PathBuf::from(format!("/usr/bin/python3.{}", interpreter.facts.minor))
}

fn program(root: &Path, interpreter: &Interpreter) -> Result<(), Error> {
    let inside = python(interpreter);
    let place = root.join(inside.strip_prefix("/").unwrap_or(&inside));
    fs::copy(&interpreter.program, &place).at("copy", &interpreter.program)?;
    fs::set_permissions(&place, fs::Permissions::from_mode(0o755)).at("change", &place)?;
    let name = format!("python3.{}", interpreter.facts.minor);
    link(&name, &root.join("usr/bin/python3"))?;
    link(&name, &root.join("usr/bin/python"))
}

fn standard_library(root: &Path, interpreter: &Interpreter) -> Result<(), Error> {
    let to = root.join(library(interpreter));
    copy_tree(&interpreter.facts.stdlib, &to)?;
    let compiled = interpreter.facts.platstdlib.join("lib-dynload");
    if !to.join("lib-dynload").exists() && compiled.exists() {
        copy_tree(&compiled, &to.join("lib-dynload"))?;
    }
    let packages = root.join(packages(interpreter));
    fs::create_dir_all(&packages).at("create", &packages)?;
    if !interpreter.facts.site_packages {
        look_for_packages(&to, &packages, root)?;
    }
    forget_prefix(&to, interpreter)
}

/// Leads an interpreter to the packages that looks for them elsewhere: Debian's knows only folders
/// of its own, named `dist-packages`. It reads this file at its start in place of the distribution's.
fn look_for_packages(library: &Path, packages: &Path, root: &Path) -> Result<(), Error> {
    let inside = Path::new("/").join(packages.strip_prefix(root).unwrap_or(packages));
    let text = format!("import site\nsite.addsitedir({:?})\n", inside.display().to_string());
    write(&library.join("sitecustomize.py"), text.as_bytes())
}

/// Writes `/usr` for the place where the interpreter was installed, in the files that say how it was
/// built.
fn forget_prefix(library: &Path, interpreter: &Interpreter) -> Result<(), Error> {
    let prefix = interpreter.facts.base_prefix.display().to_string();
    let entries = fs::read_dir(library).at("read", library)?.flatten();
    let of_build = |name: &str| {
        ["_sysconfig", "config-", "build-details"].iter().any(|begin| name.starts_with(begin))
    };
    for entry in entries.filter(|entry| entry.file_name().to_str().is_some_and(of_build)) {
        let path = entry.path();
        let (makefile, script) = (path.join("Makefile"), path.join("python-config.py"));
        let files = if path.is_dir() { vec![makefile, script] } else { vec![path] };
        for file in files {
            let Ok(text) = fs::read_to_string(&file) else { continue };
            if prefix != "/usr" && text.contains(&prefix) {
                write(&file, text.replace(&prefix, "/usr").as_bytes())?;
            }
        }
    }
    Ok(())
}

/// The tables that C libraries look things up in.
fn tables(root: &Path) -> Result<(), Error> {
    let mut users = String::from("root:x:0:0:root:/mnt/home:/\n");
    let mut groups = String::from("root:x:0:\n");
    for slot in 0..execute_python_sandbox::plan::MAX_WORKERS {
        let id = execute_python_sandbox::plan::FIRST_GUEST_ID + slot;
        // Writing to a string does not fail.
        writeln!(users, "guest{slot}:x:{id}:{id}:guest:/mnt/home:/").ok();
        writeln!(groups, "guest{slot}:x:{id}:").ok();
    }
    let etc = root.join("etc");
    for (name, text) in [
        ("passwd", users.as_str()),
        ("group", groups.as_str()),
        ("nsswitch.conf", "passwd: files\ngroup: files\nhosts: files\n"),
        ("hosts", "127.0.0.1 localhost\n"),
        ("host.conf", "multi off\n"),
    ] {
        write(&etc.join(name), text.as_bytes())?;
    }
    Ok(())
}

/// What of the host's data files a program expects: time zones, certificates, MIME types, the
/// locale without a country.
fn host_data(root: &Path) -> Result<(), Error> {
    let zones = Path::new("/usr/share/zoneinfo");
    if zones.is_dir() {
        copy_tree(zones, &root.join("usr/share/zoneinfo"))?;
        copy_file(&zones.join("UTC"), &root.join("etc/localtime")).at("copy", zones)?;
    }
    let locale = Path::new("/usr/lib/locale/C.utf8");
    if locale.is_dir() {
        copy_tree(locale, &root.join("usr/lib/locale/C.utf8"))?;
    }
    let certificates = root.join("etc/ssl/certs");
    fs::create_dir_all(&certificates).at("create", &certificates)?;
    for place in ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt"] {
        if Path::new(place).is_file() {
            let to = certificates.join("ca-certificates.crt");
            copy_file(Path::new(place), &to).at("copy", Path::new(place))?;
            link("certs/ca-certificates.crt", &root.join("etc/ssl/cert.pem"))?;
            break;
        }
    }
    let types = Path::new("/etc/mime.types");
    if types.is_file() {
        copy_file(types, &root.join("etc/mime.types")).at("copy", types)?;
    }
    Ok(())
}

/// Copies every shared library that the interpreter and any shared object of the root is linked to,
/// and that does not lie in the root already.
pub(crate) fn libraries(root: &Path, interpreter: &Interpreter) -> Result<(), Error> {
    let mut objects = vec![interpreter.program.clone()];
    find_objects(root, &mut objects).at("read", root)?;
    let host = Path::new("/");
    let folders = library_folders(interpreter);
    let mut taken = HashSet::new();
    for object in &objects {
        let analyzer = DependencyAnalyzer::new(host.to_owned()).library_paths(folders.clone());
        let tree = match analyzer.analyze(object) {
            Ok(tree) => tree,
            Err(error) => {
                return Err(Error::Object { object: object.clone(), reason: error.to_string() });
            }
        };
        if let Some(loader) = tree.interpreter.as_deref().map(Path::new) {
            take_loader(root, loader)?;
        }
        for (name, library) in &tree.libraries {
            // Its own place is the loader's; a wheel's own libraries lie in the root.
            let Some(real) = &library.realpath else { continue };
            if real.starts_with(root) || name.starts_with("ld-linux") || !taken.insert(name.clone())
            {
                continue;
            }
            copy_file(real, &root.join(LIBRARIES).join(base_name(name))).at("copy", real)?;
        }
    }
    for name in LOADED_BY_NAME {
        let found = folders.iter().map(|folder| folder.join(name)).find(|p| p.exists());
        if let Some(found) = found {
            copy_file(&found, &root.join(LIBRARIES).join(name)).at("copy", &found)?;
        }
    }
    Ok(())
}

fn base_name(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

/// Where the host keeps shared libraries, the interpreter's own first.
fn library_folders(interpreter: &Interpreter) -> Vec<PathBuf> {
    let machine = format!("{}-linux-gnu", std::env::consts::ARCH);
    let common = [format!("/lib/{machine}"), format!("/usr/lib/{machine}")];
    [interpreter.facts.base_prefix.join("lib")]
        .into_iter()
        .chain(common.map(PathBuf::from))
        .chain(["/lib64", "/usr/lib64", "/lib", "/usr/lib"].map(PathBuf::from))
        .collect()
}

/// The loader lies at the place that every program names.
fn take_loader(root: &Path, loader: &Path) -> Result<(), Error> {
    let place = root.join(loader.strip_prefix("/").unwrap_or(loader));
    if place.exists() {
        return Ok(());
    }
    if let Some(folder) = place.parent() {
        fs::create_dir_all(folder).at("create", folder)?;
    }
    copy_file(loader, &place).at("copy", loader)?;
    fs::set_permissions(&place, fs::Permissions::from_mode(0o755)).at("change", &place)
}

fn find_objects(folder: &Path, found: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_dir() {
            find_objects(&entry.path(), found)?;
        } else if kind.is_file() && is_object(&entry.path()) {
            found.push(entry.path());
        }
    }
    Ok(())
}

/// Whether a file is a shared object: by its name, such as `a.so` or `a.so.1.2`, and by its first
/// bytes, since packages have scripts of linkers and data of tests with such names.
fn is_object(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let named = path.extension().is_some_and(|ending| ending == "so") || name.contains(".so.");
    let mut first = [0; 4];
    let mut read = || fs::File::open(path)?.read_exact(&mut first);
    named && read().is_ok() && first == *b"\x7fELF"
}

/// Copies a folder; what a link points to is copied in its place.
pub(crate) fn copy_tree(from: &Path, to: &Path) -> Result<(), Error> {
    fs::create_dir_all(to).at("create", to)?;
    for entry in fs::read_dir(from).at("read", from)? {
        let entry = entry.at("read", from)?;
        let path = entry.path();
        let name = entry.file_name();
        let left_out = LEFT_OUT.iter().any(|left| path.ends_with(left));
        if left_out || name.to_string_lossy().ends_with(".a") {
            continue;
        }
        let place = to.join(&name);
        // A link to a folder or a file is followed: the root stands for itself.
        match fs::metadata(&path) {
            Ok(facts) if facts.is_dir() => copy_tree(&path, &place)?,
            Ok(facts) if facts.is_file() => copy_file(&path, &place).at("copy", &path)?,
            _ => {}
        }
    }
    Ok(())
}

/// Lets everybody read what lies below a folder, and nobody else than the owner write it: the guest
/// has an id of its own, and neither the mask of whoever builds nor an installer knows of it.
pub(crate) fn open_to_all(folder: &Path) -> Result<(), Error> {
    let set = |path: &Path, mode| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).at("change", path)
    };
    set(folder, 0o755)?;
    for entry in fs::read_dir(folder).at("read", folder)? {
        let entry = entry.at("read", folder)?;
        let path = entry.path();
        // Of a link these are the facts of the link itself, which has no permissions to change.
        let facts = entry.metadata().at("read", &path)?;
        if facts.is_dir() {
            open_to_all(&path)?;
        } else if facts.is_file() {
            let executable = facts.permissions().mode() & 0o111 != 0;
            set(&path, if executable { 0o755 } else { 0o644 })?;
        }
    }
    Ok(())
}

/// Copies a file with its time of change, readable for all.
fn copy_file(from: &Path, to: &Path) -> io::Result<()> {
    fs::copy(from, to)?;
    let facts = fs::metadata(from)?;
    let executable = facts.permissions().mode() & 0o111;
    fs::set_permissions(to, fs::Permissions::from_mode(0o644 | executable))?;
    fs::File::options().write(true).open(to)?.set_modified(facts.modified()?)
}

pub(crate) fn write(path: &Path, content: &[u8]) -> Result<(), Error> {
    fs::write(path, content).at("write", path)
}

fn link(to: &str, at: &Path) -> Result<(), Error> {
    symlink(to, at).at("create", at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::symlink_metadata(path).unwrap().permissions().mode() & 0o7777
    }

    #[test]
    fn everybody_can_read_what_a_builder_kept_to_himself() {
        let root = tempfile::tempdir().unwrap();
        let (file, program) = (root.path().join("inner/file"), root.path().join("inner/program"));
        fs::create_dir(root.path().join("inner")).unwrap();
        for (path, mode) in [(&file, 0o600), (&program, 0o4700)] {
            fs::write(path, "").unwrap();
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        }
        symlink("/etc/passwd", root.path().join("link")).unwrap();
        fs::set_permissions(root.path().join("inner"), fs::Permissions::from_mode(0o700)).unwrap();
        let outside = mode(Path::new("/etc/passwd"));

        open_to_all(root.path()).unwrap();

        assert_eq!(mode(&root.path().join("inner")), 0o755);
        assert_eq!(mode(&file), 0o644);
        assert_eq!(mode(&program), 0o755);
        assert_eq!(mode(Path::new("/etc/passwd")), outside);
    }

    #[test]
    fn only_what_the_loader_could_load_is_an_object() {
        let folder = tempfile::tempdir().unwrap();
        let with = |name: &str, content: &[u8]| {
            let path = folder.path().join(name);
            fs::write(&path, content).unwrap();
            is_object(&path)
        };
        assert!(with("a.so", b"\x7fELF\x02"));
        assert!(with("a.so.1.2", b"\x7fELF\x02"));
        assert!(!with("a.so.py", b"\x7fELF"[..2].as_ref()));
        assert!(!with("script.so", b"INPUT ( liba.so )"));
        assert!(!with("empty.so", b""));
        assert!(!with("program", b"\x7fELF\x02"));
    }
}
