//! Words that the operator withholds: no client that asks for anything afterwards is shown them (S5).
//!
//! The words of honest agents have numbers, so that they are recognised in any bytes that contain them.

use hall_wire::{AgentId, Digest, FeedbackId, GameId, Player};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// What all of these words have in common.
const STEM: &[u8] = b"as good as any, says ";
/// Digits behind it.
const DIGITS: usize = 8;

/// Where words stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in super::super) enum WordsPlace {
    /// With the move of a player.
    Turn(GameId, u32, Player),
    /// In an illegal move of that turn; public once the game has ended.
    Attempt(GameId, u32),
    /// As the model of an agent.
    Agent(AgentId),
    /// In a feedback post.
    Post(FeedbackId),
}

/// What was said, and what of it is withheld.
#[derive(Debug, Default)]
pub(in super::super) struct SpokenWords {
    /// How many were invented.
    invented: u64,
    /// Where they stand, by number; what was not said, or is not durable, stands nowhere.
    said: BTreeMap<u64, WordsPlace>,
    /// Since when they are withheld, in milliseconds since the world began.
    withheld: BTreeMap<u64, u64>,
    /// Turns whose words the hall has decided to withhold. From then on it shows them to nobody, also while the decision is not
    /// durable yet.
    redacted: BTreeSet<(GameId, u32)>,
}

impl SpokenWords {
    /// New words, which nobody has said yet.
    pub(in super::super) fn invent(&mut self) -> String {
        self.invented += 1;
        text_of(self.invented)
    }

    /// A text is durable in some place. Texts without words that were invented here are ignored.
    pub(in super::super) fn said(&mut self, text: &str, place: WordsPlace) {
        self.said.extend(numbers_in(text.as_bytes()).map(|number| (number, place)));
    }

    /// Where words stand that are not withheld, the latest first.
    pub(in super::super) fn open(&self) -> impl Iterator<Item = WordsPlace> {
        let open = self.said.iter().rev().filter(|(number, _)| !self.withheld.contains_key(number));
        open.map(|(_, place)| *place)
    }

    /// What stands in these places is withheld from now on. Whether that is something said here.
    pub(in super::super) fn withhold(&mut self, covers: impl Fn(WordsPlace) -> bool, now: u64) -> bool {
        let covered = self.said.iter().filter(|(_, place)| covers(**place)).map(|(number, _)| (*number, now));
        let before = self.withheld.len();
        self.withheld.extend(covered);
        self.withheld.len() > before
    }

    /// The hall has decided to withhold all words of a turn, also those that were not invented here.
    pub(in super::super) fn redact(&mut self, game: GameId, turn_index: u32) {
        self.redacted.insert((game, turn_index));
    }

    /// Whether the hall has decided to withhold the words of a turn.
    pub(in super::super) fn is_redacted(&self, game: GameId, turn_index: u32) -> bool {
        self.redacted.contains(&(game, turn_index))
    }

    /// Whether words of a game came to be withheld within this time, in milliseconds since the world began.
    pub(in super::super) fn were_withheld_within(&self, game: GameId, time: Range<u64>) -> bool {
        let of_game = |place: Option<&WordsPlace>| matches!(place, Some(WordsPlace::Turn(of, ..) | WordsPlace::Attempt(of, _)) if *of == game);
        self.withheld.iter().any(|(number, since)| time.contains(since) && of_game(self.said.get(number)))
    }

    /// Whether what stands in a place is withheld.
    pub(in super::super) fn is_withheld(&self, place: WordsPlace) -> bool {
        self.in_place(place).is_some_and(|number| self.withheld.contains_key(&number))
    }

    /// All that is withheld, by number.
    pub(in super::super) fn withheld(&self) -> impl Iterator<Item = (u64, WordsPlace)> {
        self.withheld.keys().filter_map(|number| self.said.get(number).map(|place| (*number, *place)))
    }

    /// Makes an event that was read before its words were withheld what it is since: their hash stays.
    pub(in super::super) fn forget_withheld(&self, game: GameId, event: &mut Value) {
        let place = turn_of(game, event).filter(|place| self.is_withheld(*place));
        let Some(number) = place.and_then(|place| self.in_place(place)) else { return };
        let Some(data) = event.get_mut("data").and_then(Value::as_object_mut) else { return };
        data.insert("commentary".to_owned(), Value::Null);
        data.insert("commentary_sha256".to_owned(), hash_of(number).into());
    }

    /// What is wrong with the commentary in an event that the hall tells at the end.
    pub(in super::super) fn judge(&self, game: GameId, event: &Value) -> Option<(&'static str, String)> {
        let place = turn_of(game, event)?;
        let number = self.in_place(place)?;
        let told = |name: &str| event.pointer(&format!("/data/{name}")).and_then(Value::as_str);
        let (words, hash) = (told("commentary"), told("commentary_sha256"));
        let right = if self.withheld.contains_key(&number) {
            words.is_none() && hash == Some(hash_of(number).as_str())
        } else {
            words == Some(text_of(number).as_str()) && hash.is_none()
        };
        (!right).then(|| ("S5", format!("{place:?}: words number {number} are told as {words:?}, {hash:?}")))
    }

    /// What is wrong with the model that the hall tells of an agent at the end.
    pub(in super::super) fn judge_model(
        &self,
        agent: AgentId,
        told: Option<&str>,
    ) -> Option<(&'static str, String)> {
        let number = self.in_place(WordsPlace::Agent(agent))?;
        let shown = (!self.withheld.contains_key(&number)).then(|| text_of(number));
        (told != shown.as_deref())
            .then(|| ("S5", format!("the model of {agent} is told as {told:?}, not {shown:?}")))
    }

    fn in_place(&self, place: WordsPlace) -> Option<u64> {
        self.said.iter().find(|(_, known)| **known == place).map(|(number, _)| *number)
    }

    /// The number of words that were withheld before `asked` and stand in these bytes.
    fn shown(&self, bytes: &[u8], asked: u64) -> Option<u64> {
        if self.withheld.is_empty() {
            return None;
        }
        numbers_in(bytes).find(|number| self.withheld.get(number).is_some_and(|since| *since < asked))
    }
}

/// The place of an event that is a move.
fn turn_of(game: GameId, event: &Value) -> Option<WordsPlace> {
    let data = event.get("data").filter(|_| event.get("type").and_then(Value::as_str) == Some("move"))?;
    let turn_index = u32::try_from(data.get("turn_index")?.as_u64()?).ok()?;
    Some(WordsPlace::Turn(game, turn_index, Player::parse(data.get("player")?.as_str()?)?))
}

fn text_of(number: u64) -> String {
    format!("{}{number:0DIGITS$}", String::from_utf8_lossy(STEM))
}

fn hash_of(number: u64) -> String {
    Digest::of(text_of(number).as_bytes()).to_hex()
}

/// Whether there are words of agents in a text.
pub(in super::super) fn has_words(text: &str) -> bool {
    numbers_in(text.as_bytes()).next().is_some()
}

/// The numbers of all words in these bytes.
fn numbers_in(bytes: &[u8]) -> impl Iterator<Item = u64> {
    let places = bytes.windows(STEM.len() + DIGITS).filter(|part| part.starts_with(STEM));
    places.filter_map(|part| std::str::from_utf8(part).ok().and_then(number_of))
}

/// The number of words.
fn number_of(text: &str) -> Option<u64> {
    text.as_bytes().strip_prefix(STEM)?;
    text.get(STEM.len()..)?.parse().ok()
}

/// Looks for withheld words in a stream of pieces.
#[derive(Debug, Default)]
pub(super) struct Watch {
    /// The end of what came, too short to hold words.
    end: Vec<u8>,
}

impl Watch {
    /// The number of words that come with this piece, and that were withheld before they were asked for.
    pub(super) fn sees(&mut self, piece: &[u8], words: &SpokenWords, asked: u64) -> Option<u64> {
        let length = STEM.len() + DIGITS;
        let start = piece.get(..length.min(piece.len())).unwrap_or_default();
        self.end.extend_from_slice(start);
        let seen = words.shown(&self.end, asked).or_else(|| words.shown(piece, asked));
        if piece.len() >= length {
            self.end.clear();
            self.end.extend_from_slice(piece);
        }
        let surplus = self.end.len().saturating_sub(length - 1);
        self.end.drain(..surplus);
        seen
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn game() -> GameId {
        GameId::from_bytes([1; 16])
    }

    fn turn(turn_index: u32) -> WordsPlace {
        WordsPlace::Turn(game(), turn_index, Player::new(1))
    }

    #[test]
    fn withheld_words_are_found_however_they_are_split_and_others_are_not() {
        let mut words = SpokenWords::default();
        let (first, second) = (words.invent(), words.invent());
        words.said(&first, turn(3));
        assert!(words.withhold(|place| place == turn(3), 1_000));
        for (text, asked, found) in [(&first, 1_001, Some(1)), (&first, 1_000, None), (&second, 1_001, None)]
        {
            let sent = format!("HTTP/1.1 200 OK\r\n\r\n{{\"commentary\":\"{text}\"}}").into_bytes();
            for size in 1..=sent.len() {
                let mut watch = Watch::default();
                let seen = sent.chunks(size).find_map(|piece| watch.sees(piece, &words, asked));
                assert_eq!(seen, found, "in pieces of {size}");
            }
        }
    }

    #[test]
    fn a_model_that_is_told_although_withheld_and_one_that_is_not_told_are_reported() {
        let mut words = SpokenWords::default();
        let [shown, withheld, unknown] = [1, 2, 3].map(|number| AgentId::from_bytes([number; 16]));
        let (first, second) = (words.invent(), words.invent());
        words.said(&first, WordsPlace::Agent(shown));
        words.said(&second, WordsPlace::Agent(withheld));
        assert!(words.withhold(|place| place == WordsPlace::Agent(withheld), 1_000));
        let judged = |agent, told: Option<&str>| words.judge_model(agent, told).map(|(name, _)| name);
        assert_eq!(
            (judged(shown, Some(&first)), judged(withheld, None), judged(unknown, None)),
            (None, None, None)
        );
        assert_eq!(judged(shown, None), Some("S5"));
        assert_eq!(judged(withheld, Some(&second)), Some("S5"));
    }

    #[test]
    fn words_within_another_text_are_found() {
        let mut words = SpokenWords::default();
        let place = WordsPlace::Attempt(game(), 3);
        let text = format!("{{\"commentary\":\"{}\",\"move\":\"a1a1\"}}", words.invent());
        words.said(&text, place);
        assert_eq!(words.open().collect::<Vec<_>>(), [place]);
        assert!(has_words(&text) && !has_words("as good as any, says nobody"));
    }

    #[test]
    fn words_that_are_told_although_withheld_and_others_that_are_not_told_are_reported() {
        let mut words = SpokenWords::default();
        let (first, second) = (words.invent(), words.invent());
        words.said(&first, turn(3));
        words.said(&second, turn(4));
        words.said("something else", turn(5));
        assert_eq!(words.open().collect::<Vec<_>>(), [turn(4), turn(3)]);
        assert!(words.withhold(|place| place == turn(3), 1_000));
        assert!(!words.withhold(|place| place == turn(5), 1_000));
        let event = |turn_index: u32, told: Option<&str>, hash: Option<&str>| {
            let data = json!({ "turn_index": turn_index, "player": "p1", "commentary": told, "commentary_sha256": hash });
            json!({ "type": "move", "data": data })
        };
        let judged = |event: &Value| words.judge(game(), event).map(|(name, _)| name);
        let hash = hash_of(1);
        let withheld = event(3, None, Some(&hash));
        assert_eq!(judged(&withheld), None);
        assert_eq!(judged(&event(4, Some(&second), None)), None);
        assert_eq!(judged(&event(5, None, None)), None, "not said by an honest agent");
        for wrong in [
            event(3, Some(&first), None),
            event(3, None, None),
            event(4, None, None),
            event(4, Some("other"), None),
        ] {
            assert_eq!(judged(&wrong), Some("S5"), "{wrong}");
        }
        let mut read = event(3, Some(&first), None);
        words.forget_withheld(game(), &mut read);
        assert_eq!(read, withheld, "a stream that read it before is compared without it");
        let mut read = event(4, Some(&second), None);
        words.forget_withheld(game(), &mut read);
        assert_eq!(read, event(4, Some(&second), None));
    }
}
