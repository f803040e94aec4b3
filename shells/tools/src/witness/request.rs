//! The body of `add-checkpoint`: an old size, a consistency proof, an empty line, a checkpoint in its note.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hall_verify::note::{Checkpoint, Note};
use hall_wire::Digest;

/// The largest body that is read, in bytes.
pub(super) const MAX_BYTES: usize = 64 * 1024;
/// The most lines of a proof.
const MAX_PROOF: usize = 63;

/// A submitted checkpoint, unverified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Submission {
    /// The size that the witness is believed to have.
    pub(super) old: u64,
    /// The proof that the checkpoint continues the tree of that size.
    pub(super) proof: Vec<Digest>,
    /// The note.
    pub(super) note: Note,
    /// The parsed text of the note.
    pub(super) checkpoint: Checkpoint,
}

impl Submission {
    /// Reads a body; the error says what is wrong with it.
    pub(super) fn parse(body: &[u8]) -> Result<Self, String> {
        let body = std::str::from_utf8(body).map_err(|_| "the body is no text".to_owned())?;
        let (head, note) = body.split_once("\n\n").ok_or("there is no empty line before the checkpoint")?;
        let mut lines = head.split('\n');
        let old = lines.next().and_then(|line| decimal(line.strip_prefix("old ")?));
        let old = old.ok_or("the first line is not `old` with a size in plain decimals")?;
        let proof: Vec<Digest> = lines
            .map(hash)
            .collect::<Option<_>>()
            .ok_or("a line of the proof is not the base64 of a hash")?;
        if proof.len() > MAX_PROOF {
            return Err(format!("the proof has more than {MAX_PROOF} lines"));
        }
        let note = Note::parse(note).map_err(|problem| format!("the checkpoint: {problem}"))?;
        let checkpoint = Checkpoint::parse(note.text()).map_err(|problem| problem.to_string())?;
        Ok(Self { old, proof, note, checkpoint })
    }
}

fn decimal(text: &str) -> Option<u64> {
    let number = text.parse::<u64>().ok()?;
    (number.to_string() == text).then_some(number)
}

fn hash(line: &str) -> Option<Digest> {
    STANDARD.decode(line).ok()?.try_into().ok().map(Digest::from_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example request of the standard.
    const EXAMPLE: &str = "old 20852014\n\
        PlRNCrwHpqhGrupue0L7gxbjbMiKA9temvuZZDDpkaw=\n\
        jrJZDmY8Y7SyJE0MWLpLozkIVMSMZcD5kvuKxPC3swk=\n\
        5+pKlUdi2LeF/BcMHBn+Ku6yhPGNCswZZD1X/6QgPd8=\n\
        /6WVhPs2CwSsb5rYBH5cjHV/wSmA79abXAwhXw3Kj/0=\n\
        \n\
        example.com/behind-the-sofa\n\
        20852163\n\
        CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n\
        \n\
        \u{2014} example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=\n";

    #[test]
    fn the_example_in_the_standard_is_accepted() {
        let read = Submission::parse(EXAMPLE.as_bytes()).unwrap();
        assert_eq!((read.old, read.proof.len(), read.checkpoint.size), (20_852_014, 4, 20_852_163));
        assert_eq!(read.checkpoint.origin, "example.com/behind-the-sofa");
        let (_, note) = EXAMPLE.split_once("\n\n").unwrap();
        let first = Submission::parse(format!("old 0\n\n{note}").as_bytes()).unwrap();
        assert_eq!((first.old, first.proof.len()), (0, 0));
    }

    #[test]
    fn requests_of_any_other_form_are_refused() {
        let line = "PlRNCrwHpqhGrupue0L7gxbjbMiKA9temvuZZDDpkaw=\n";
        for (from, to) in [
            ("old 20852014", "old 020852014"),
            ("old 20852014", "old -1"),
            ("old 20852014", "old  1"),
            ("old 20852014", "old 18446744073709551616"),
            ("old 20852014", "Old 1"),
            ("old 20852014\n", ""),
            (line, "PlRNCrwHpqhGrupue0L7gxbjbMiKA9temvuZZDDpkaw\n"),
            (line, "AAAA\n"),
            (line, " \n"),
            (line, &line.repeat(61)),
            ("20852163", "020852163"),
            ("CsUYapGGPo4dkMgIAUqom", "CsUYapGGPo4dkMgIAUqo"),
            ("\u{2014} ", "- "),
            ("\n\n\u{2014}", "\n\u{2014}"),
            ("AYQ8=\n", "AYQ8="),
        ] {
            assert!(EXAMPLE.contains(from), "{from}");
            let body = EXAMPLE.replacen(from, to, 1);
            assert!(Submission::parse(body.as_bytes()).is_err(), "{body}");
        }
        for body in [&b""[..], b"\n\n", b"old 0\n\n", b"\xff\xfe"] {
            assert!(Submission::parse(body).is_err());
        }
        let longest = EXAMPLE.replacen(line, &line.repeat(60), 1);
        assert_eq!(Submission::parse(longest.as_bytes()).unwrap().proof.len(), 63);
    }
}
