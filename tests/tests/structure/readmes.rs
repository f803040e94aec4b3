//! What READMEs say about the repository: the paths that they name exist, and the map of all folders is complete.
//!
//! A path is the first word in backticks if it begins with a folder at the top of the repository or with one of the usual
//! folders beside the README, or it is the target of a link. Code blocks are left out, and so are placeholders (`NAME.rs`)
//! and patterns.

use std::fs;
use std::path::{Path, PathBuf};

/// The folders at the top of the repository.
const TOP: [&str; 7] = [".cargo", ".ci", "core", "fuzz", "shells", "sim", "tests"];

/// Folders beside a README whose files it may name without their full paths.
const BESIDE: [&str; 4] = ["deploy", "examples", "src", "tests"];

/// Folders that hold what was built or installed.
const MADE: [&str; 3] = ["dist", "node_modules", "target"];

/// The file of a program that the reader writes.
const READERS_OWN: &str = "src/main.rs";

#[test]
fn every_path_that_a_readme_names_exists() {
    let root = root();
    let mut readmes = vec![root.join("README.md")];
    for folder in TOP {
        find_readmes(&root.join(folder), &mut readmes);
    }
    let (mut named, mut missing) = (0, Vec::new());
    for readme in &readmes {
        let text = prose(&fs::read_to_string(readme).unwrap());
        let beside = readme.parent().unwrap();
        let paths = paths(&text).into_iter().map(|path| (path, root.join(path).exists()));
        let links = links(&text).into_iter().map(|path| (path, false));
        for (path, is_in_root) in paths.chain(links) {
            named += 1;
            if !is_in_root && !beside.join(path).exists() {
                missing.push(format!("{path} in {}", readme.display()));
            }
        }
    }
    assert!(named > 100, "READMEs name paths: {named}");
    assert!(missing.is_empty(), "READMEs name what does not exist: {missing:#?}");
}

#[test]
fn the_map_of_all_folders_has_every_crate_and_nothing_that_is_absent() {
    let map = folders(&fs::read_to_string(root().join("core/README.md")).unwrap());
    for folder in &map {
        assert!(root().join(folder).is_dir(), "{folder} is in the map and does not exist");
    }
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let members = manifest.split("\nmembers = [").nth(1).and_then(|rest| rest.split(']').next()).unwrap();
    let members: Vec<String> = members.split('"').skip(1).step_by(2).map(str::to_owned).collect();
    assert!(members.len() > 10, "crates are found: {members:?}");
    for member in &members {
        assert!(map.contains(member), "{member} is not in the map");
    }
}

#[test]
fn placeholders_patterns_addresses_and_code_blocks_are_not_taken_for_paths() {
    let text = prose(
        "`core/a.rs`, `.ci/run order`, `/api/pulse`, `core/NAME.rs`, `src/*.rs`, `src/main.rs`, `journal/`\n\
         ```\n`sim/b.rs`\n```\n\
         [c](../sim/c.rs#d), [e](#f), [g](https://h.i/j)",
    );
    assert_eq!(paths(&text), ["core/a.rs", ".ci/run"]);
    assert_eq!(links(&text), ["../sim/c.rs"]);
    assert_eq!(folders("```\na/  is at the top\n  b/, c/  are in it\nd/\n```\n"), ["a", "a/b", "d"]);
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn find_readmes(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if name == "README.md" {
            found.push(path);
        } else if path.is_dir() && !name.starts_with('.') && !MADE.contains(&name) {
            find_readmes(&path, found);
        }
    }
}

/// A page without its code blocks.
fn prose(page: &str) -> String {
    let mut is_code = false;
    let mut lines = Vec::new();
    for line in page.lines() {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        } else if !is_code {
            lines.push(line);
        }
    }
    lines.join("\n")
}

/// The paths in backticks.
fn paths(prose: &str) -> Vec<&str> {
    let words = prose.split('`').skip(1).step_by(2).filter_map(|span| span.split_whitespace().next());
    words.filter(|word| is_path(word)).collect()
}

fn is_path(word: &str) -> bool {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '/' | '.' | '-' | '_');
    let is_placeholder = |part: &str| {
        let stem = part.split('.').next().unwrap_or_default();
        !stem.is_empty() && stem.chars().all(|letter| letter.is_ascii_uppercase() || letter == '_')
    };
    let Some((first, _)) = word.split_once('/') else { return false };
    (TOP.contains(&first) || BESIDE.contains(&first))
        && word != READERS_OWN
        && word.chars().all(is_plain)
        && !word.split('/').any(is_placeholder)
}

/// The files that links lead to.
fn links(prose: &str) -> Vec<&str> {
    let targets = prose.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let files = targets.filter_map(|target| target.split('#').next());
    files.filter(|file| !file.is_empty() && !file.contains(':')).collect()
}

/// The folders of a map: the first code block of a page, in which a line begins with a folder at the top, or, indented,
/// with one in it.
fn folders(page: &str) -> Vec<String> {
    let mut top = "";
    let mut found = Vec::new();
    for line in page.split("```").nth(1).unwrap_or_default().lines() {
        let first = line.split_whitespace().next().unwrap_or_default().trim_end_matches(',');
        let Some(name) = first.strip_suffix('/') else { continue };
        if line.starts_with(' ') {
            found.push(format!("{top}/{name}"));
        } else {
            top = name;
            found.push(name.to_owned());
        }
    }
    found
}
