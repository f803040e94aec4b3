//! Style sheet, scripts, icon and verifier, each under a name that holds the hash of its content, so that a browser may
//! keep it for ever.
//!
//! The scripts are modules that import or load each other. They name a file as it is called here, with `./` before it; that
//! is replaced by the hashed name before the module is hashed, so a module has a new name whenever one that it loads changes.
//!
//! `verify.wasm` is the crate hall-verify-wasm as `.ci/wasm` builds it. It is kept compressed, as nearly every browser gets it:
//! a third of its bytes.

use flate2::read::GzDecoder;
use hall_wire::Digest;
use std::io::Read as _;
use std::sync::LazyLock;

/// A file as it is in the repository.
enum Source {
    Text(&'static str),
    Gzip(&'static [u8]),
}

const JAVASCRIPT: &str = "text/javascript; charset=utf-8";

/// Each file, behind those that it names.
const SOURCES: [(&str, &str, Source); 12] = [
    ("style.css", "text/css; charset=utf-8", Source::Text(include_str!("style.css"))),
    ("icon.svg", "image/svg+xml", Source::Text(include_str!("icon.svg"))),
    ("verify.wasm", "application/wasm", Source::Gzip(include_bytes!("verify.wasm.gz"))),
    ("hall.js", JAVASCRIPT, Source::Text(include_str!("hall.js"))),
    ("morph.js", JAVASCRIPT, Source::Text(include_str!("morph.js"))),
    ("clocks.js", JAVASCRIPT, Source::Text(include_str!("clocks.js"))),
    ("frames.js", JAVASCRIPT, Source::Text(include_str!("frames.js"))),
    ("glide.js", JAVASCRIPT, Source::Text(include_str!("glide.js"))),
    ("home.js", JAVASCRIPT, Source::Text(include_str!("home.js"))),
    ("watch.js", JAVASCRIPT, Source::Text(include_str!("watch.js"))),
    ("checking.js", JAVASCRIPT, Source::Text(include_str!("checking.js"))),
    ("verify.js", JAVASCRIPT, Source::Text(include_str!("verify.js"))),
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
    pub content: Vec<u8>,
    /// The hash of that.
    pub hash: Digest,
    /// The same compressed with gzip, if it is kept so.
    pub compressed: Option<&'static [u8]>,
}

static ASSETS: LazyLock<Vec<Asset>> = LazyLock::new(|| {
    let mut assets: Vec<Asset> = Vec::new();
    for (plain, content_type, source) in SOURCES {
        let (content, compressed) = match source {
            Source::Gzip(bytes) => (decompressed(bytes), Some(bytes)),
            Source::Text(text) => (naming(text, &assets).into_bytes(), None),
        };
        let hash = Digest::of(&content);
        assets.push(Asset { plain, name: hashed(plain, &hash), content_type, content, hash, compressed });
    }
    assets
});

/// What a gzip file holds.
///
/// # Panics
/// If `bytes` are no gzip file; they are a constant of this crate.
fn decompressed(bytes: &[u8]) -> Vec<u8> {
    let mut content = Vec::new();
    GzDecoder::new(bytes).read_to_end(&mut content).expect("a file compressed by .ci/wasm");
    content
}

/// The text with the hashed names of the files that it names.
fn naming(text: &str, assets: &[Asset]) -> String {
    assets.iter().fold(text.to_owned(), |text, known| {
        text.replace(&format!("\"./{}\"", known.plain), &format!("\"./{}\"", known.name))
    })
}

fn hashed(plain: &str, hash: &Digest) -> String {
    let hash = hash.to_hex();
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

    fn text(asset: &Asset) -> &str {
        str::from_utf8(&asset.content).unwrap()
    }

    #[test]
    fn every_file_that_a_script_names_is_named_by_its_hash() {
        let mut named = 0;
        for script in ASSETS.iter().filter(|asset| asset.plain.ends_with(".js")) {
            for part in text(script).split("\"./").skip(1) {
                let name = part.split('"').next().unwrap();
                assert!(asset(name).is_some(), "{}: {name}", script.plain);
                named += 1;
            }
        }
        assert!(named >= 10, "only {named}");
    }

    #[test]
    fn a_name_changes_with_the_content() {
        let [one, two] = [b"one", b"two"].map(|content| hashed("a.js", &Digest::of(content)));
        assert_ne!(one, two);
        assert!(one.starts_with("a.") && one.ends_with(".js"));
        assert!(asset("style.css").is_none(), "only the hashed name is served");
    }

    #[test]
    fn scripts_insert_data_as_text_and_never_as_markup() {
        for asset in ASSETS.iter().filter(|asset| asset.plain != "verify.wasm") {
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
                assert!(allowed || !text(asset).contains(way), "{}: {way}", asset.plain);
            }
        }
    }

    #[test]
    fn the_verifier_is_a_module_that_needs_nothing_from_its_page_and_is_small() {
        let verifier = &ASSETS.iter().find(|asset| asset.plain == "verify.wasm").unwrap().content;
        assert!(verifier.starts_with(b"\0asm\x01\0\0\0"));
        assert!(verifier.len() < 2_000_000, "{} bytes", verifier.len());
        // The number of a section, behind the head: none imports, which would be section 2.
        let sections = sections(verifier);
        assert!(sections.contains(&7) && !sections.contains(&2), "{sections:?}");
    }

    /// The numbers of the sections of a WebAssembly module.
    fn sections(module: &[u8]) -> Vec<u8> {
        let (mut rest, mut numbers) = (&module[8..], Vec::new());
        while let Some((number, after)) = rest.split_first() {
            numbers.push(*number);
            // The length is a number in groups of seven bits, the lowest first.
            let width = after.iter().take_while(|byte| **byte >= 0x80).count() + 1;
            let (length, after) = after.split_at(width);
            let length = length.iter().rev().fold(0, |length, byte| length << 7 | usize::from(byte & 0x7f));
            rest = &after[length..];
        }
        numbers
    }
}
