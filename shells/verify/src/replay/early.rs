//! A proof that was taken while a game was live: its replay rests on a checkpoint over its end, which is signed long
//! after the round of its beacon was due.

use hall_wire::Digest;
use hall_wire::json::{Map, Value, parse};

/// What `/api/games/{id}/proof` answered while the game was live, as far as its first event is concerned (decision 8.2).
#[derive(Clone, Debug)]
pub struct EarlyProof {
    pub(super) note: String,
    pub(super) leaf_index: u64,
    pub(super) path: Vec<Digest>,
}

impl EarlyProof {
    /// Reads the answer, bare or in its envelope.
    ///
    /// # Errors
    /// It is no such answer, or does not cover the first event: what is wrong, in words.
    pub fn parse(bytes: &[u8]) -> Result<Self, String> {
        let value = parse(bytes).map_err(|problem| problem.to_string())?.value;
        let bare = value.pointer("/data/proof").or_else(|| value.get("proof")).unwrap_or(&value);
        let note =
            bare.get("note").and_then(Value::as_str).ok_or("it is not a proof of a game: it has no note")?;
        let leaves = bare.get("leaves").and_then(Value::as_array).ok_or("it has no leaves")?;
        let first = leaves.iter().filter_map(Value::as_object).find(|leaf| number(leaf, "seq") == Some(1));
        let first = first.ok_or("it does not cover the first event of the game; ask again a second later")?;
        let path = first.get("path").and_then(Value::as_array).into_iter().flatten();
        let path: Option<Vec<Digest>> = path.map(|hash| Digest::parse(hash.as_str()?)).collect();
        Ok(Self {
            note: note.to_owned(),
            leaf_index: number(first, "leaf_index").ok_or("its first leaf has no leaf_index")?,
            path: path.ok_or("its path is not made of hashes")?,
        })
    }
}

fn number(members: &Map<String, Value>, name: &str) -> Option<u64> {
    members.get(name).and_then(Value::as_u64)
}
