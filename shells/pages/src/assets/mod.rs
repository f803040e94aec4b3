//! Style sheet, scripts and icon, each under a name that holds the hash of its content, so that a browser may keep it
//! for ever.
//!
//! The scripts are modules that import each other. An import names a file as it is called here; it is replaced by the
//! hashed name before the importing module is hashed, so a module has a new name whenever one that it imports changes.

use hall_wire::Digest;
use std::sync::LazyLock;

/// Each file, behind those that it imports.
const SOURCES: [(&str, &str, &str); 8] = [
    ("style.css", "text/css; charset=utf-8", include_str!("style.css")),
    ("icon.svg", "image/svg+xml", include_str!("icon.svg")),
    ("hall.js", "text/javascript; charset=utf-8", include_str!("hall.js")),
    ("morph.js", "text/javascript; charset=utf-8", include_str!("morph.js")),
    ("clocks.js", "text/javascript; charset=utf-8", include_str!("clocks.js")),
    ("frames.js", "text/javascript; charset=utf-8", include_str!("frames.js")),
    ("home.js", "text/javascript; charset=utf-8", include_str!("home.js")),
    ("watch.js", "text/javascript; charset=utf-8", include_str!("watch.js")),
];

/// Hexadecimal digits of a hash that a name holds.
const HASH_DIGITS: usize = 16;

/// A file that pages load.
#[derive(Clone, Debug)]
pub struct Asset {
    /// The name as it is written in sources.
    plain: &'static str,
    /// The last part of its path.
    pub name: String,
    /// Its media type.
    pub content_type: &'static str,
    /// What it contains.
    pub text: String,
}

static ASSETS: LazyLock<Vec<Asset>> = LazyLock::new(|| {
    let mut assets: Vec<Asset> = Vec::new();
    for (plain, content_type, source) in SOURCES {
        let text = assets.iter().fold(source.to_owned(), |text, known| {
            text.replace(&format!("\"./{}\"", known.plain), &format!("\"./{}\"", known.name))
        });
        let name = hashed(plain, &text);
        assets.push(Asset { plain, name, content_type, text });
    }
    assets
});

fn hashed(plain: &str, text: &str) -> String {
    let hash = Digest::of(text.as_bytes()).to_hex();
    let hash = hash.get(..HASH_DIGITS).unwrap_or(&hash);
    match plain.rsplit_once('.') {
        Some((stem, kind)) => format!("{stem}.{hash}.{kind}"),
        None => format!("{plain}.{hash}"),
    }
}

/// The asset of this name, which is the last part of its path.
#[must_use]
pub fn asset(name: &str) -> Option<&'static Asset> {
    ASSETS.iter().find(|asset| asset.name == name)
}

/// The path of an asset by its plain name.
///
/// # Panics
/// If there is no such asset; the names are literals of this crate.
pub(crate) fn path(plain: &str) -> String {
    let asset = ASSETS.iter().find(|asset| asset.plain == plain);
    format!("/assets/{}", asset.expect("an asset that a template names").name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_import_names_an_asset_by_its_hash() {
        let mut imports = 0;
        for asset in ASSETS.iter().filter(|asset| asset.plain.ends_with(".js")) {
            for line in asset.text.lines().filter(|line| line.starts_with("import ")) {
                let named = line.rsplit('"').nth(1).unwrap().strip_prefix("./").unwrap();
                assert!(super::asset(named).is_some(), "{}: {line}", asset.plain);
                imports += 1;
            }
        }
        assert!(imports >= 4, "only {imports} imports");
    }

    #[test]
    fn a_name_changes_with_the_content() {
        assert_ne!(hashed("a.js", "one"), hashed("a.js", "two"));
        assert!(hashed("a.js", "one").starts_with("a.") && hashed("a.js", "one").ends_with(".js"));
        assert!(asset("style.css").is_none(), "only the hashed name is served");
    }

    #[test]
    fn scripts_insert_data_as_text_and_never_as_markup() {
        for asset in ASSETS.iter() {
            for way in [
                "innerHTML",
                "outerHTML",
                "insertAdjacentHTML",
                "document.write",
                "eval(",
                "new Function",
                "http:",
                "https:",
            ] {
                let allowed = asset.plain == "icon.svg" && way == "http:";
                assert!(allowed || !asset.text.contains(way), "{}: {way}", asset.plain);
            }
        }
    }
}
