//! The shape of the code: which parts of a crate may import each other. What READMEs say about it is tested in `readmes`.
//!
//! Crates cannot form import cycles; the files of one crate can, and then none of them can be understood, tested or
//! moved without all the others. In the core no three files form a cycle, and in the shells below no two modules at the
//! root of the crate do. Only `use` lines outside tests count, with re-exports followed to the file that defines the
//! name.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod readmes;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

const CRATES: [&str; 4] = ["wire", "games", "rooms", "hall"];

const SHELLS: [&str; 3] = ["driver", "http", "pages"];

/// The beginnings of lines with imports.
const USES: [&str; 4] = ["use ", "pub use ", "pub(crate) use ", "pub(super) use "];

#[test]
fn no_cycle_of_imports_joins_three_files_of_the_core() {
    for name in CRATES {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../core").join(name).join("src");
        let sources = Sources::read(&root);
        assert!(sources.0.len() > 5, "{name} has files");
        let cycles = sources.graph().cycles(3);
        assert!(cycles.is_empty(), "files of core/{name}/src form an import cycle: {cycles:?}");
    }
}

#[test]
fn no_two_modules_of_a_shell_import_each_other() {
    for name in SHELLS {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shells").join(name).join("src");
        let modules = Sources::read(&root).graph().by_module();
        assert!(modules.0.len() > 5, "{name} has modules");
        let cycles = modules.cycles(2);
        assert!(cycles.is_empty(), "modules of shells/{name} form an import cycle: {cycles:?}");
    }
}

#[test]
fn a_cycle_of_three_is_found_and_pairs_and_tests_are_ignored() {
    let cycles = |last: &str| {
        let sources = Sources(BTreeMap::from([
            ("".into(), "mod a; mod b; mod c;\npub use a::A;\n".into()),
            ("a".into(), "use crate::b::B; // use crate::c::C;\n".into()),
            ("b".into(), "use super::{c::C, a::A};\n".into()),
            ("c".into(), last.into()),
        ]));
        sources.graph().cycles(3)
    };
    let cycle = BTreeSet::from(["a", "b", "c"].map(String::from));
    assert_eq!(cycles("use crate::A;\n"), BTreeSet::from([cycle]));
    assert!(cycles("#[cfg(test)]\nmod tests {\n    use crate::A;\n}\n").is_empty());
}

#[test]
fn a_cycle_of_modules_is_found_even_if_no_files_form_one() {
    let cycles = |last: &str| {
        let sources = Sources(BTreeMap::from([
            ("a".into(), "mod one; mod two;\n".into()),
            ("a::one".into(), "use crate::b::B;\n".into()),
            ("a::two".into(), "use super::one::One;\n".into()),
            ("b".into(), last.into()),
        ]));
        (sources.graph().cycles(2), sources.graph().by_module().cycles(2))
    };
    let cycle = BTreeSet::from(["a", "b"].map(String::from));
    assert_eq!(cycles("use crate::a::A;\n"), (BTreeSet::new(), BTreeSet::from([cycle])));
    assert_eq!(cycles(""), (BTreeSet::new(), BTreeSet::new()));
}

/// The text of each file by the path of its module; the root's is empty.
struct Sources(BTreeMap<String, String>);

impl Sources {
    fn read(root: &Path) -> Self {
        let mut sources = BTreeMap::new();
        let mut folders = vec![root.to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                let module = path.strip_prefix(root).unwrap().with_extension("");
                let module = module.iter().map(|part| part.to_str().unwrap()).collect::<Vec<_>>().join("::");
                if path.is_dir() && !module.ends_with("tests") {
                    folders.push(path);
                } else if path.extension().is_some_and(|kind| kind == "rs") && !module.ends_with("tests") {
                    let module = module.strip_suffix("::mod").unwrap_or(&module);
                    let module = if module == "lib" { "" } else { module };
                    sources.insert(module.to_owned(), fs::read_to_string(path).unwrap());
                }
            }
        }
        Self(sources)
    }

    /// Which files import which.
    fn graph(&self) -> Graph {
        Graph(self.0.keys().map(|module| (module.clone(), self.imports(module))).collect())
    }

    fn imports(&self, module: &str) -> BTreeSet<String> {
        let used = used(self.0.get(module).map_or("", String::as_str));
        let used = used.iter().filter_map(|(path, _)| absolute(module, path));
        used.filter_map(|path| self.home_of(&path, 0)).filter(|home| home != module).collect()
    }

    /// The module that defines the item of a path.
    fn home_of(&self, path: &str, depth: usize) -> Option<String> {
        let parts: Vec<&str> = path.split("::").collect();
        let prefixes = (0..=parts.len()).rev().filter_map(|end| Some((end, parts.get(..end)?.join("::"))));
        let (known, module) = prefixes.into_iter().find(|(_, prefix)| self.0.contains_key(prefix))?;
        let Some(name) = parts.get(known).filter(|_| depth < 8) else { return Some(module) };
        let passed_on = used(self.0.get(&module)?)
            .into_iter()
            .find(|(path, public)| *public && path.rsplit("::").next() == Some(name));
        match passed_on.and_then(|(path, _)| self.in_crate(&module, &path)) {
            Some(path) => self.home_of(&path, depth + 1),
            None => Some(module),
        }
    }

    /// A path from the root of the crate; `None` for items of other crates.
    fn in_crate(&self, module: &str, path: &str) -> Option<String> {
        absolute(module, path).or_else(|| {
            let child = path.split("::").next().map(|child| joined(module, child))?;
            self.0.contains_key(&child).then(|| joined(module, path))
        })
    }
}

/// The imports between the parts of a crate.
struct Graph(BTreeMap<String, BTreeSet<String>>);

impl Graph {
    /// The same for the modules at the root, each with all the files below it. The root itself, which names them all,
    /// is left out.
    fn by_module(&self) -> Self {
        let top = |file: &str| file.split("::").next().unwrap_or_default().to_owned();
        let mut modules: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (file, imports) in self.0.iter().filter(|(file, _)| !file.is_empty()) {
            let module = top(file);
            let others =
                imports.iter().map(|file| top(file)).filter(|other| *other != module && !other.is_empty());
            modules.entry(module.clone()).or_default().extend(others);
        }
        Self(modules)
    }

    /// Sets of at least this many parts in which each imports all the others, directly or not.
    fn cycles(&self, least: usize) -> BTreeSet<BTreeSet<String>> {
        let mut reached = self.0.clone();
        loop {
            let before: usize = reached.values().map(BTreeSet::len).sum();
            let further = reached.clone();
            for parts in reached.values_mut() {
                let more: Vec<_> =
                    parts.iter().filter_map(|next| further.get(next)).flatten().cloned().collect();
                parts.extend(more);
            }
            if before == reached.values().map(BTreeSet::len).sum::<usize>() {
                break;
            }
        }
        let leads = |from: &str, to: &str| reached.get(from).is_some_and(|parts| parts.contains(to));
        let cycle = |part: &String| -> BTreeSet<String> {
            reached.keys().filter(|other| leads(part, other) && leads(other, part)).cloned().collect()
        };
        reached.keys().map(cycle).filter(|cycle| cycle.len() >= least).collect()
    }
}

/// The imports of a file: each path, and whether it is re-exported.
fn used(source: &str) -> Vec<(String, bool)> {
    let source = source.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let lines: Vec<&str> = source.lines().map(|line| line.split("//").next().unwrap_or_default()).collect();
    let mut found = Vec::new();
    for statement in lines.join("\n").split_inclusive(';') {
        let begins = |line: &&str| USES.iter().any(|word| line.trim_start().starts_with(word));
        let before = statement.lines().take_while(|line| !begins(line)).count();
        let tree = statement.lines().skip(before).collect::<Vec<_>>().join(" ");
        let Some((visibility, tree)) = tree.trim().trim_end_matches(';').split_once("use ") else { continue };
        let mut paths = Vec::new();
        spread("", tree, &mut paths);
        found.extend(paths.into_iter().map(|path| (path, !visibility.is_empty())));
    }
    found
}

/// Expands the braces of a `use`.
fn spread(prefix: &str, tree: &str, paths: &mut Vec<String>) {
    let Some((head, group)) = tree.split_once('{') else {
        let name = tree.split(" as ").next().unwrap_or_default().trim();
        if !name.is_empty() {
            paths.push(format!("{prefix}{name}"));
        }
        return;
    };
    let prefix = format!("{prefix}{}", head.trim());
    let (mut depth, mut item) = (0, String::new());
    for letter in group.trim_end().strip_suffix('}').unwrap_or(group).chars() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                spread(&prefix, item.trim(), paths);
                item.clear();
                continue;
            }
            _ => {}
        }
        item.push(letter);
    }
    spread(&prefix, item.trim(), paths);
}

/// A path that begins with `crate`, `self` or `super`, from the root of the crate.
fn absolute(module: &str, path: &str) -> Option<String> {
    if let Some(path) = path.strip_prefix("crate::") {
        return Some(path.to_owned());
    }
    if let Some(path) = path.strip_prefix("self::") {
        return Some(joined(module, path));
    }
    let (mut rest, mut above) = (path, module);
    while let Some(path) = rest.strip_prefix("super::") {
        rest = path;
        above = above.rsplit_once("::").map_or("", |(above, _)| above);
    }
    (rest != path).then(|| joined(above, rest))
}

fn joined(module: &str, path: &str) -> String {
    if module.is_empty() { path.to_owned() } else { format!("{module}::{path}") }
}
