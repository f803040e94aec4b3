//! The name of an enum's variant as it is written, without writing what it holds.

use serde::ser::{Error, Impossible, Serialize, Serializer};
use std::fmt::{self, Display};

/// The tag of a command, fact or change, without its version; empty for what is no enum.
#[must_use]
pub fn tag(value: &impl Serialize) -> &'static str {
    let Err(Tag(tag)) = value.serialize(TagReader) else { return "" };
    tag.split('/').next().unwrap_or_default()
}

/// Ends at the first tag, which is returned as an error because nothing may be written after it.
#[derive(Debug)]
struct Tag(&'static str);

impl Display for Tag {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.0)
    }
}

impl std::error::Error for Tag {}

impl Error for Tag {
    fn custom<T: Display>(_: T) -> Self {
        Self("")
    }
}

struct TagReader;

type Never = Impossible<(), Tag>;
type Name = &'static str;

/// Methods that end: with the tag that they are given, or with none.
macro_rules! end {
    ($($method:ident($($name:ident: $of:ty),*) -> $ok:ty = $tag:expr;)*) => {
        $(fn $method(self, $($name: $of),*) -> Result<$ok, Tag> {
            $(let _ = $name;)*
            Err(Tag($tag))
        })*
    };
}

impl Serializer for TagReader {
    type Ok = ();
    type Error = Tag;
    type SerializeSeq = Never;
    type SerializeTuple = Never;
    type SerializeTupleStruct = Never;
    type SerializeTupleVariant = Never;
    type SerializeMap = Never;
    type SerializeStruct = Never;
    type SerializeStructVariant = Never;

    end! {
        serialize_unit_variant(of: Name, index: u32, tag: Name) -> () = tag;
        serialize_tuple_variant(of: Name, index: u32, tag: Name, len: usize) -> Never = tag;
        serialize_struct_variant(of: Name, index: u32, tag: Name, len: usize) -> Never = tag;
        serialize_bool(value: bool) -> () = "";
        serialize_i8(value: i8) -> () = "";
        serialize_i16(value: i16) -> () = "";
        serialize_i32(value: i32) -> () = "";
        serialize_i64(value: i64) -> () = "";
        serialize_u8(value: u8) -> () = "";
        serialize_u16(value: u16) -> () = "";
        serialize_u32(value: u32) -> () = "";
        serialize_u64(value: u64) -> () = "";
        serialize_f32(value: f32) -> () = "";
        serialize_f64(value: f64) -> () = "";
        serialize_char(value: char) -> () = "";
        serialize_str(value: &str) -> () = "";
        serialize_bytes(value: &[u8]) -> () = "";
        serialize_none() -> () = "";
        serialize_unit() -> () = "";
        serialize_unit_struct(name: Name) -> () = "";
        serialize_seq(len: Option<usize>) -> Never = "";
        serialize_tuple(len: usize) -> Never = "";
        serialize_tuple_struct(name: Name, len: usize) -> Never = "";
        serialize_map(len: Option<usize>) -> Never = "";
        serialize_struct(name: Name, len: usize) -> Never = "";
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: Name,
        _: u32,
        tag: Name,
        _: &T,
    ) -> Result<(), Tag> {
        Err(Tag(tag))
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: Name, value: &T) -> Result<(), Tag> {
        value.serialize(self)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Tag> {
        value.serialize(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hall_core::rooms::{ForcedCause, RoomChange};
    use hall_core::{Command, Fact, HallCommand, HallFact};
    use hall_wire::{Player, Timestamp};

    #[test]
    fn a_tag_matches_the_journal_in_every_nested_enum() {
        assert_eq!(tag(&Command::Hall(HallCommand::Stop)), "stop_hall");
        assert_eq!(tag(&Fact::Hall(HallFact::Stopped { at: Timestamp::default() })), "hall_stopped");
        let strike = RoomChange::StrikeGiven {
            turn_index: 0,
            player: Player::new(0),
            cause: ForcedCause::Deadline,
            count: 1,
        };
        assert_eq!(tag(&strike), "strike_given");
        assert_eq!(tag(&1), "");
    }
}
