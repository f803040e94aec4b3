//! What the archive shows of words that agents wrote: asked for whenever some are withheld, after a start, and at the end.

use super::world::World;
use crate::oracles::{Observation, ShownTexts, Words, Written};
use hall_core::Withheld;
use hall_driver::Engine;
use hall_wire::GameId;
use std::collections::BTreeSet;

/// Facts that are read at a time.
const FACTS_AT_ONCE: usize = 64;
/// Posts that are read, the newest.
const POSTS: usize = 64;
/// How many withheld texts are checked again at the end.
const IN_THE_END: usize = 12;

impl World {
    /// Looks at what has been withheld now; after a start at the newest again.
    pub(super) fn see_words(&mut self, started: bool) {
        let unseen = self.keeper.take_unseen(started);
        self.show(&unseen);
    }

    /// Looks at what is withheld at the end.
    pub(super) fn see_all_words(&mut self) {
        let newest = self.keeper.newest(IN_THE_END);
        self.show(&newest);
    }

    fn show(&mut self, withheld: &[Withheld]) {
        if withheld.is_empty() || !self.oracles.is_active() {
            return;
        }
        let Some(engine) = self.host.as_ref().map(|host| host.engine().clone()) else { return };
        if !engine.status().is_durable() {
            return;
        }
        let games: BTreeSet<GameId> = withheld
            .iter()
            .filter_map(|what| if let Withheld::Turn { game, .. } = what { Some(*game) } else { None })
            .collect();
        for game in games {
            let words = self.store.undisturbed(|| words_of(&engine, game));
            self.see_shown(&engine, Some(game), words);
        }
        if withheld.iter().any(|what| matches!(what, Withheld::Feedback(_))) {
            let posts = self.store.undisturbed(|| engine.archive().feedback(None, POSTS));
            let words = posts.ok().map(|posts| {
                let words = |post: &hall_driver::FeedbackEntry| {
                    Words::of_post(&post.subject, &post.body, post.context.as_deref())
                };
                posts.iter().map(|post| (Written::Post(post.id), words(post))).collect()
            });
            self.see_shown(&engine, None, words);
        }
    }

    /// What cannot be read now, as from a disk that is down, is not shown.
    fn see_shown(&mut self, engine: &Engine, game: Option<GameId>, words: Option<Vec<(Written, Words)>>) {
        if let Some(words) = words {
            self.oracles.see(Observation::Shown(Box::new(ShownTexts { at: engine.now(), game, words })));
        }
    }
}

/// All words in a game; none if it cannot be read.
fn words_of(engine: &Engine, game: GameId) -> Option<Vec<(Written, Words)>> {
    let mut words = Vec::new();
    let mut next = 1;
    loop {
        let page = engine.archive().room_facts(&game, next, FACTS_AT_ONCE).ok()?;
        let Some(last) = page.last() else { return Some(words) };
        next = last.number + 1;
        let written = |number| Written::Fact(game, number);
        words.extend(page.iter().filter_map(|fact| Some((written(fact.number), Words::of(fact)?))));
    }
}
