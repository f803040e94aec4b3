//! Agent profiles: what kinds of agents there are, as numbers that one state machine plays by.

use crate::dice::Dice;
use hall_wire::Span;

/// How an agent behaves. Chances are in thousandths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentProfile {
    /// The word by which reports and marks call it.
    pub name: &'static str,
    /// How long it thinks.
    pub think: Think,
    /// Looks at the view before each move; else it moves by index.
    pub looks: bool,
    /// Games that it wants to play at the same time.
    pub games_wanted: usize,
    /// Its own plies after which it resigns; 0 for never.
    pub resigns_after: u32,
    /// Its own plies after which it only moves back and forth, so that positions repeat; 0 for never.
    pub shuffles_after: u32,
    /// Chance of an illegal move.
    pub illegal: u32,
    /// Illegal moves in a row once it begins.
    pub stubborn: u8,
    /// Chance to offer a draw with a move.
    pub offers: u32,
    /// Chance to accept a draw offer.
    pub accepts: u32,
    /// Chance to accept a draw that nobody offered.
    pub accepts_nothing: u32,
    /// Chance to ignore a turn until the deadline has passed.
    pub sleeps: u32,
    /// Chance to send a move as several copies at the same time.
    pub races: u32,
    /// The most copies.
    pub widest_race: u8,
    /// Chance to send the last signed request again.
    pub replays: u32,
    /// Whether it keeps its signed requests and sends any of them again, not only the last, for as long as it lives.
    pub hoards: bool,
    /// Chance to forge in one of the ways there are.
    pub forges: u32,
    /// Chance to move for a turn that is not the current one.
    pub early: u32,
    /// Chance to send a move for one of the next three turns, and the same move again when that turn has come.
    pub plans: u32,
    /// Chance to file another homologation while waiting.
    pub refiles: u32,
    /// Chance to leave the lobby while waiting.
    pub leaves: u32,
    /// Chance to post feedback when it looks around.
    pub posts: u32,
    /// Chance to comment a move.
    pub comments: u32,
    /// Whether it writes texts that exploit careless display or parsing, and joins games that are not offered.
    pub injects: bool,
    /// Chance to forget everything but its key.
    pub forgets: u32,
    /// Whether it asks as often as it can.
    pub floods: bool,
    /// Chance to ask for what belongs to another agent when it looks around: to be registered with an operator that it
    /// guesses, or to file for another agent.
    pub guesses: u32,
    /// Whether it and others of its kind, of other operators, make one of them win: half of them resign at their first
    /// turn.
    pub colludes: bool,
    /// Whether it shares its operator with others of its kind.
    pub rings: bool,
    /// Whether it has the key of the agent before it.
    pub shares_key: bool,
    /// Whether it waits in lobbies of all divisions.
    pub everywhere: bool,
    /// How often it looks around when nothing happens.
    pub looks_around: Span,
}

/// How long an agent thinks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Think {
    /// Between two times.
    Between(Span, Span),
    /// So that the move arrives so many milliseconds after the deadline; negative for before.
    AtDeadline(i64),
}

/// Every profile there is.
pub const MENU: [&str; 25] = [
    "swift", "slow", "marathon", "shuffler", "edge", "late", "illegal", "sleeper", "drawish", "racer",
    "replayer", "forger", "early", "refiler", "flooder", "ring", "crowd", "amnesiac", "injector", "sharer",
    "hoarder", "guesser", "colluder", "busy", "planner",
];

impl AgentProfile {
    /// An agent without faults, which answers fast and ends its games soon.
    #[must_use]
    pub const fn swift() -> Self {
        Self {
            name: "swift",
            think: Think::Between(Span::from_millis(50), Span::from_secs(2)),
            looks: true,
            games_wanted: 1,
            resigns_after: 12,
            shuffles_after: 0,
            illegal: 0,
            stubborn: 1,
            offers: 20,
            accepts: 300,
            accepts_nothing: 0,
            sleeps: 0,
            races: 0,
            widest_race: 8,
            replays: 0,
            hoards: false,
            forges: 0,
            early: 0,
            plans: 0,
            refiles: 0,
            leaves: 0,
            posts: 0,
            comments: 50,
            injects: false,
            forgets: 0,
            floods: false,
            guesses: 0,
            colludes: false,
            rings: false,
            shares_key: false,
            everywhere: false,
            looks_around: Span::from_secs(120),
        }
    }

    /// The profile with this name, with its numbers drawn.
    #[must_use]
    pub fn named(name: &'static str, dice: &mut Dice) -> Self {
        let mut profile = Self { name, ..Self::swift() };
        profile.resigns_after = u32::try_from(dice.between(1, 40)).unwrap_or(1);
        profile.comments = u32::try_from(dice.below(300)).unwrap_or(0);
        match name {
            "slow" => profile.think = Think::Between(Span::from_secs(2), Span::from_secs(55)),
            "marathon" => profile.resigns_after = 0,
            "shuffler" => (profile.resigns_after, profile.shuffles_after) = (0, 2),
            "edge" => profile.think = Think::AtDeadline(-1 + i64::try_from(dice.below(3)).unwrap_or(0)),
            "late" => profile.think = Think::Between(Span::from_secs(40), Span::from_secs(80)),
            "illegal" => {
                profile.illegal = 300;
                profile.stubborn = u8::try_from(dice.between(1, 5)).unwrap_or(1);
            }
            "sleeper" => profile.sleeps = 250,
            "drawish" => (profile.offers, profile.accepts, profile.accepts_nothing) = (400, 500, 100),
            "racer" => profile.races = 500,
            "replayer" => profile.replays = 300,
            "hoarder" => (profile.replays, profile.hoards) = (300, true),
            "guesser" => profile.guesses = 300,
            "colluder" => {
                profile.colludes = true;
                profile.looks_around = Span::from_secs(10);
            }
            "forger" => profile.forges = 300,
            "early" => profile.early = 300,
            "planner" => profile.plans = 300,
            "refiler" => {
                (profile.refiles, profile.leaves) = (300, 500);
                profile.looks_around = Span::from_secs(20);
            }
            "flooder" => (profile.floods, profile.posts, profile.games_wanted) = (true, 500, 25),
            "busy" => {
                (profile.everywhere, profile.games_wanted) = (true, 20);
                (profile.think, profile.resigns_after) =
                    (Think::Between(Span::from_secs(30), Span::from_secs(55)), 4);
                profile.looks_around = Span::from_secs(5);
            }
            "ring" => profile.rings = true,
            "sharer" => profile.shares_key = true,
            "crowd" => (profile.everywhere, profile.games_wanted) = (true, 20),
            "amnesiac" => profile.forgets = 100,
            "injector" => (profile.injects, profile.comments, profile.posts) = (true, 600, 500),
            _ => {}
        }
        profile
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_profile_but_the_first_differs_from_it_in_more_than_its_name() {
        let plain = AgentProfile::named("swift", &mut Dice::of(1, "profile", 0));
        for name in MENU.into_iter().skip(1) {
            let profile = AgentProfile::named(name, &mut Dice::of(1, "profile", 0));
            let renamed = AgentProfile { name: plain.name, ..profile };
            assert_ne!(renamed, plain, "{name}");
        }
    }
}
