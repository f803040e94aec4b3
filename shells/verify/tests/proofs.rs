//! Trees, notes, checkpoints and tiles against independent implementations.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may panic")]

mod support;

use ct_merkle::digest::Output;
use ct_merkle::mem_backed_tree::MemoryBackedTree;
use hall_verify::note::{Algorithm, Checkpoint, KeyProblem, Note, NoteProblem, VerifierKey};
use hall_verify::tile::{Level, Tile};
use hall_verify::tree::{Frontier, PathProblem, consistency, empty_root, inclusion, leaf_hash};
use hall_wire::key::PrivateKey;
use hall_wire::{Digest, Timestamp};
use proptest::prelude::*;
use sha2::Sha256;
use support::log::{checkpoint_of, checkpoint_text, cosign, log_key, path, proof, root, sign, witness_key};

fn leaves(count: usize) -> Vec<Vec<u8>> {
    (0..count).map(|leaf| format!("leaf {leaf}").into_bytes()).collect()
}

fn hashes(leaves: &[Vec<u8>]) -> Vec<Digest> {
    leaves.iter().map(|leaf| leaf_hash(leaf)).collect()
}

fn size(count: usize) -> u64 {
    u64::try_from(count).unwrap()
}

/// The tree of a third-party crate.
fn oracle(count: usize) -> MemoryBackedTree<Sha256, Vec<u8>> {
    let mut tree = MemoryBackedTree::new();
    leaves(count).into_iter().for_each(|leaf| tree.push(leaf));
    tree
}

fn digests(bytes: &[u8]) -> Vec<Digest> {
    bytes.chunks_exact(32).map(|hash| Digest::from_bytes(hash.try_into().unwrap())).collect()
}

#[test]
fn roots_match_an_independent_tree() {
    let mut frontier = Frontier::new();
    assert_eq!(frontier.root(), empty_root());
    for count in 1..70 {
        frontier.push(&leaves(count)[count - 1]);
        let other: Output<Sha256> = *oracle(count).root().as_bytes();
        assert_eq!(frontier.root().as_bytes()[..], other[..], "{count} leaves");
        assert_eq!((frontier.root(), frontier.size()), (root(&hashes(&leaves(count))), size(count)));
    }
}

#[test]
fn every_path_of_an_independent_tree_is_accepted_only_at_its_index() {
    for count in 1..40 {
        let (tree, leaves) = (oracle(count), leaves(count));
        let top = root(&hashes(&leaves));
        for (index, leaf) in leaves.iter().enumerate() {
            let path = digests(tree.prove_inclusion(index).as_bytes());
            let hash = leaf_hash(leaf);
            assert_eq!(inclusion(size(index), size(count), &hash, &path, &top), Ok(()));
            for other in (0..count).filter(|other| *other != index) {
                assert!(
                    inclusion(size(other), size(count), &hash, &path, &top).is_err(),
                    "{index} as {other}"
                );
            }
        }
    }
}

#[test]
fn every_consistency_path_of_an_independent_tree_is_accepted() {
    for to in 1..40 {
        let (tree, all) = (oracle(to), hashes(&leaves(to)));
        for from in 1..to {
            let path = digests(tree.prove_consistency(to - from).as_bytes());
            let (early, late) = (root(&all[..from]), root(&all));
            assert_eq!(consistency((size(from), &early), (size(to), &late), &path), Ok(()), "{from} to {to}");
            assert_eq!(path, proof(from, &all));
            let wrong = leaf_hash(b"another tree");
            assert!(consistency((size(from), &wrong), (size(to), &late), &path).is_err());
            assert!(consistency((size(from), &early), (size(to), &wrong), &path).is_err());
        }
    }
}

#[test]
fn a_tree_is_consistent_with_itself_and_with_the_empty_one_without_a_path() {
    let (top, other) = (root(&hashes(&leaves(5))), leaf_hash(b""));
    assert_eq!(consistency((5, &top), (5, &top), &[]), Ok(()));
    assert_eq!(consistency((0, &empty_root()), (5, &top), &[]), Ok(()));
    assert_eq!(consistency((5, &top), (5, &other), &[]), Err(PathProblem::AnotherRoot));
    assert_eq!(consistency((0, &other), (5, &top), &[]), Err(PathProblem::AnotherRoot));
    assert_eq!(consistency((5, &top), (5, &top), &[other]), Err(PathProblem::WrongLength));
    assert_eq!(consistency((3, &top), (5, &top), &[]), Err(PathProblem::WrongLength));
    assert_eq!(consistency((6, &top), (5, &top), &[]), Err(PathProblem::OutOfRange { inner: 6, size: 5 }));
}

#[test]
fn a_leaf_outside_the_tree_has_no_path() {
    let hash = leaf_hash(b"x");
    assert_eq!(inclusion(0, 1, &hash, &[], &hash), Ok(()));
    assert_eq!(inclusion(1, 1, &hash, &[], &hash), Err(PathProblem::OutOfRange { inner: 1, size: 1 }));
    assert_eq!(inclusion(0, 0, &hash, &[], &hash), Err(PathProblem::OutOfRange { inner: 0, size: 0 }));
    assert!(inclusion(u64::MAX - 1, u64::MAX, &hash, &[hash; 64], &hash).is_err());
}

proptest! {
    #[test]
    fn a_damaged_path_is_refused(
        count in 1_usize..600, at in any::<prop::sample::Index>(), change in any::<prop::sample::Index>(), kind in 0..4
    ) {
        let all = hashes(&leaves(count));
        let (index, top) = (at.index(count), root(&all));
        let mut damaged = path(index, &all);
        prop_assert_eq!(inclusion(size(index), size(count), &all[index], &damaged, &top), Ok(()));
        if damaged.is_empty() {
            damaged.push(top);
        } else {
            let place = change.index(damaged.len());
            match kind {
                0 => damaged[place] = leaf_hash(b"another"),
                1 => drop(damaged.remove(place)),
                2 => damaged.insert(place, top),
                _ => damaged.push(top),
            }
        }
        prop_assert!(inclusion(size(index), size(count), &all[index], &damaged, &top).is_err());
    }

    #[test]
    fn growing_trees_are_consistent_and_damaged_paths_are_not(
        to in 2_usize..600, from in any::<prop::sample::Index>(), change in any::<prop::sample::Index>()
    ) {
        let (all, from) = (hashes(&leaves(to)), 1 + from.index(to - 1));
        let (early, late) = (root(&all[..from]), root(&all));
        let mut path = proof(from, &all);
        prop_assert_eq!(consistency((size(from), &early), (size(to), &late), &path), Ok(()));
        let place = change.index(path.len());
        path[place] = leaf_hash(b"another");
        prop_assert!(consistency((size(from), &early), (size(to), &late), &path).is_err());
    }

    #[test]
    fn tile_paths_match_an_independent_implementation(
        level in 0_u8..6, index in 0_u64..1 << 53, width in 1_u16..=256, entries in any::<bool>()
    ) {
        let level = if entries { Level::Entries } else { Level::Hashes(level) };
        let tile = Tile::new(level, index, width).unwrap();
        let number = match level { Level::Entries => 0, Level::Hashes(level) => level };
        let other = tlog_tiles::Tile::new(8, number, index, u32::from(width), entries);
        prop_assert_eq!(tile.to_string(), other.path().replace("tile/8/", "tile/").replace("/data/", "/entries/"));
    }

    #[test]
    fn no_note_panics_and_a_parsed_note_keeps_its_text(text in "[a-z\n\u{2014} +=A]{0,60}") {
        if let Ok(note) = Note::parse(&text) {
            prop_assert!(text.starts_with(note.text()) && note.text().ends_with('\n'));
            let _ = Checkpoint::parse(note.text());
        }
        let _ = VerifierKey::parse(&text);
    }
}

fn signed() -> String {
    let (key, verifier) = log_key();
    let text = checkpoint_text(&hashes(&leaves(7)));
    format!("{text}\n{}", sign(&text, &key, &verifier))
}

#[test]
fn notes_verify_as_in_an_independent_implementation() {
    use signed_note::Verifiers as _;
    let (_, verifier) = log_key();
    let note = signed();
    let read = Note::parse(&note).unwrap();
    assert_eq!(read.verify(&verifier), Ok(None));
    let other = signed_note::StandardVerifier::new(&verifier.to_string()).unwrap();
    let known = signed_note::VerifierList::new(vec![Box::new(other)]);
    let theirs = signed_note::Note::from_bytes(note.as_bytes()).unwrap();
    let (verified, unverified) = theirs.verify(&known).unwrap();
    assert_eq!((verified.len(), unverified.len()), (1, 0));
    assert_eq!(theirs.text(), read.text().as_bytes());
    assert!(known.verifier(verifier.name(), u32::from_be_bytes(verifier.id())).is_ok());
    let checkpoint = Checkpoint::parse(read.text()).unwrap();
    let theirs = tlog_tiles::Checkpoint::from_bytes(read.text().as_bytes()).unwrap();
    assert_eq!((checkpoint.origin.as_str(), checkpoint.size), (theirs.origin(), theirs.size()));
    assert_eq!(checkpoint.root.as_bytes(), &theirs.hash().0);
    assert_eq!(checkpoint.to_string(), read.text());
}

#[test]
fn a_published_verifier_key_reads_and_is_written_back() {
    // The example of Go's note package.
    let text = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";
    let key = VerifierKey::parse(text).unwrap();
    assert_eq!(
        (key.name(), key.algorithm(), key.to_string().as_str()),
        ("PeterNeumann", Algorithm::Ed25519, text)
    );
    let note = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem \
                is.\n\n\u{2014} PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n";
    assert_eq!(Note::parse(note).unwrap().verify(&key), Ok(None));
}

#[test]
fn invalid_verifier_keys_are_refused_with_their_reason() {
    let good = log_key().1.to_string();
    let weak = VerifierKey::parse(&good.replace('+', " +"));
    assert_eq!(weak, Err(KeyProblem::Malformed));
    for (text, problem) in [
        (String::new(), KeyProblem::Malformed),
        (good.replace("8080+", "8081+"), KeyProblem::WrongId),
        (good.replacen('A', "!", 1), KeyProblem::Malformed),
        ("n+00000000+AgAA".to_owned(), KeyProblem::UnknownAlgorithm),
        ("n+00000000+AQAA".to_owned(), KeyProblem::NoKey),
        (format!("n+00000000+AQ{}", "A".repeat(42)), KeyProblem::NoKey),
        (good[..good.len() - 4].to_owned(), KeyProblem::NoKey),
    ] {
        assert_eq!(VerifierKey::parse(&text), Err(problem), "{text}");
    }
}

#[test]
fn lines_of_unknown_keys_are_ignored_but_wrong_lines_of_known_ones_fail() {
    let ((_, log), (key, witness)) = (log_key(), witness_key());
    let note = signed();
    let other = PrivateKey::from_seed(&[77; 32]);
    let stranger = VerifierKey::new("stranger", Algorithm::Ed25519, other.public()).unwrap();
    let more = format!("{note}{}", sign("other text\n", &other, &stranger));
    assert_eq!(Note::parse(&more).unwrap().verify(&log), Ok(None));
    assert_eq!(
        Note::parse(&more).unwrap().verify(&stranger),
        Err(NoteProblem::WrongSignature { name: "stranger".into() })
    );
    assert_eq!(
        Note::parse(&note).unwrap().verify(&witness),
        Err(NoteProblem::NotSigned { name: "witness.example/one".into() })
    );
    let text = checkpoint_of(&note);
    let cosigned = format!("{note}{}", cosign(text, 1_790_000_000, &key, &witness));
    let at = Some(Timestamp::from_millis(1_790_000_000_000));
    assert_eq!(Note::parse(&cosigned).unwrap().verify(&witness), Ok(at));
    let forged = format!("{cosigned}{}", cosign("x\n", 1_790_000_000, &key, &witness));
    assert!(matches!(
        Note::parse(&forged).unwrap().verify(&witness),
        Err(NoteProblem::WrongSignature { .. })
    ));
    // A log's line under the name and id of a witness is not a cosignature.
    let plain = format!("{note}{}", sign(text, &key, &witness));
    assert!(matches!(Note::parse(&plain).unwrap().verify(&witness), Err(NoteProblem::WrongSignature { .. })));
}

#[test]
fn every_changed_character_of_a_signed_text_breaks_the_signature() {
    let (note, (_, key)) = (signed(), log_key());
    for place in 0..checkpoint_of(&note).len() {
        let mut bytes = note.clone().into_bytes();
        bytes[place] ^= 1;
        let Ok(text) = String::from_utf8(bytes) else { continue };
        assert!(Note::parse(&text).and_then(|note| note.verify(&key)).is_err(), "byte {place}");
    }
}

#[test]
fn invalid_notes_are_refused() {
    let note = signed();
    for wrong in [
        String::new(),
        "text\n".to_owned(),
        "\n\n\u{2014} a AAAAAAAA\n".to_owned(),
        note.trim_end().to_owned(),
        format!("{note}\n"),
        format!("{note}- a AAAAAAAA\n"),
        format!("{note}\u{2014} a\n"),
        format!("{note}\u{2014} a AAAA\n"),
        format!("{note}\u{2014} a+b AAAAAAAA\n"),
        format!("{note}\u{2014} a AAAAAA!\n"),
        note.replace("8080", "80\t80"),
        format!("{note}{}", "\u{2014} a AAAAAAAA\n".repeat(100)),
        format!("{}\n{note}", "x".repeat(1_000_000)),
    ] {
        assert!(matches!(Note::parse(&wrong), Err(NoteProblem::Malformed { .. })), "{wrong:.80}");
    }
}

#[test]
fn invalid_checkpoints_are_refused() {
    let good = checkpoint_text(&hashes(&leaves(7)));
    let extended = format!("{good}more\nand more\n");
    assert_eq!(Checkpoint::parse(&extended).unwrap().extensions, ["more", "and more"]);
    assert_eq!(Checkpoint::parse(&extended).unwrap().to_string(), extended);
    for wrong in [
        String::new(),
        good.trim_end().to_owned(),
        good.replace("hall.example:8080", ""),
        good.replace("\n7\n", "\n07\n"),
        good.replace("\n7\n", "\n+7\n"),
        good.replace("\n7\n", "\n-7\n"),
        good.replace("\n7\n", "\n18446744073709551616\n"),
        good.replace("=\n", "\n"),
        good.replace("=\n", "=="),
        format!("{good}\n"),
        "origin\n7\n".to_owned(),
    ] {
        assert!(Checkpoint::parse(&wrong).is_err(), "{wrong:?}");
    }
}
