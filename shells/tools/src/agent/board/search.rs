//! A Monte Carlo tree search: games are tried from the position on, the more often the better a move has turned out.
//!
//! A tree of moves grows from the position of the turn. Each trial follows it by the moves that promise most, adds one
//! node where it leaves the tree, plays on from there ([`play_on`]), and counts what came of it for every move on the way.
//! Nature acts anew in each trial, and what it does leads to nodes of its own. Where a move means the same later in a game
//! (a stone on a point of the board), trials in which a player made it later count for it too, so that few trials suffice
//! for many moves.

use super::greedy::after;
use super::outlook::{Outlook, for_player, result};
use super::playout::{nature_acts, play_on};
use super::rebuilt::{Rebuilt, mover};
use crate::agent::dice::{Dice, Rolls};
use hall_client::answer::{LegalMove, View};
use hall_games::Position;
use hall_wire::{Notation, Player};
use std::collections::BTreeMap;
use std::time::Instant;

/// How strongly moves are tried that were tried seldom.
const CURIOSITY: f64 = 0.7;

/// When a search ends.
#[derive(Clone, Copy, Debug)]
pub(in crate::agent) struct Bounds {
    /// After so many moves of all trials together. It ends every search on a machine of ordinary speed, so that the
    /// choice depends on the seed alone.
    pub(in crate::agent) moves: u32,
    /// At this time, if that is earlier.
    pub(in crate::agent) until: Option<Instant>,
}

/// The best of the legal moves as far as the search goes; any move where the position is not known, `None` if there is
/// no legal move.
pub(in crate::agent) fn choose(view: &View, dice: Dice, bounds: Bounds) -> Option<&LegalMove> {
    if view.legal_moves.len() <= 1 {
        return view.legal_moves.first();
    }
    let Some(Rebuilt { game, position }) = Rebuilt::of(view) else { return dice.any(view) };
    let mut rolls = dice.rolls(view);
    if let Some(wins) = winning(view, &*position, &mut rolls) {
        return Some(wins);
    }
    let mut search = Search {
        outlook: Outlook::of(game, view.legal_moves.len()),
        rolls,
        nodes: vec![Node::default()],
        left: bounds.moves,
    };
    while search.left > 0 && bounds.until.is_none_or(|until| Instant::now() < until) {
        search.try_once(position.clone_box());
    }
    let best = search.nodes.first()?.most_tried()?;
    view.legal_moves.iter().find(|legal| legal.notation == best.as_str()).or_else(|| dice.any(view))
}

/// A move that ends the game as a win.
fn winning<'a>(view: &'a View, position: &dyn Position, rolls: &mut Rolls) -> Option<&'a LegalMove> {
    let player = view.you.player;
    view.legal_moves.iter().find(|legal| {
        let won = after(position, player, &legal.notation, rolls).and_then(|after| result(&*after));
        won.is_some_and(|value| for_player(value, player) > 0.0)
    })
}

struct Search {
    outlook: Outlook,
    rolls: Rolls,
    /// The first is the position of the turn.
    nodes: Vec<Node>,
    /// How many moves may still be made.
    left: u32,
}

/// A position in the tree.
#[derive(Debug, Default)]
struct Node {
    player: Option<Player>,
    visits: u32,
    branches: Vec<Branch>,
}

/// A legal move in the tree.
#[derive(Debug)]
struct Branch {
    notation: Notation,
    tried: Tally,
    /// Trials in which the same player made this move here or later.
    later: Tally,
    /// Where it leads, by what nature does after it.
    leads: BTreeMap<String, usize>,
}

/// What came of some trials for the player who moved.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    count: f64,
    sum: f64,
}

impl Tally {
    fn add(&mut self, value: f64) {
        self.count += 1.0;
        self.sum += value;
    }

    fn mean(self) -> f64 {
        if self.count > 0.0 { self.sum / self.count } else { 0.0 }
    }
}

impl Branch {
    const fn new(notation: Notation) -> Self {
        let none = Tally { count: 0.0, sum: 0.0 };
        Self { notation, tried: none, later: none, leads: BTreeMap::new() }
    }

    /// What the move is worth by its own trials, and by later ones the less the more it has of its own.
    fn worth(&self, transfer: f64) -> f64 {
        if self.later.count == 0.0 || transfer == 0.0 {
            return self.tried.mean();
        }
        let trust = (transfer / (3.0 * self.tried.count + transfer)).sqrt();
        trust * self.later.mean() + (1.0 - trust) * self.tried.mean()
    }
}

impl Node {
    /// The place of the branch to try next: what was never tried first, unless later trials say what it is worth.
    fn next(&self, transfer: f64) -> Option<usize> {
        let spread = f64::from(self.visits.max(1)).ln();
        let promise = |branch: &Branch| {
            if branch.tried.count == 0.0 && (transfer == 0.0 || branch.later.count == 0.0) {
                return f64::INFINITY;
            }
            branch.worth(transfer) + CURIOSITY * (spread / (branch.tried.count + 1.0)).sqrt()
        };
        let promises = self.branches.iter().map(promise).enumerate();
        promises.reduce(|best, other| if other.1 > best.1 { other } else { best }).map(|(place, _)| place)
    }

    /// The move that was tried most, of several the one that is worth most.
    fn most_tried(&self) -> Option<Notation> {
        let order = |branch: &Branch| (branch.tried.count, branch.worth(0.0));
        let better = |one: &Branch, other: &Branch| {
            let ((one_count, one_worth), (count, worth)) = (order(one), order(other));
            one_count.total_cmp(&count).then(one_worth.total_cmp(&worth))
        };
        self.branches.iter().max_by(|one, other| better(one, other)).map(|branch| branch.notation)
    }
}

impl Search {
    /// One trial from the position of the turn.
    fn try_once(&mut self, mut position: Box<dyn Position>) {
        let (mut node, mut path, mut played) = (0, Vec::new(), Vec::new());
        // Cloning costs too.
        self.left = self.left.saturating_sub(1);
        while let Some(player) = mover(&*position) {
            let Some(place) = self.enter(node, &*position, player) else { break };
            let Some(branch) = self.nodes.get(node).and_then(|node| node.branches.get(place)) else { break };
            let notation = branch.notation;
            if position.play(player, &notation, &mut self.rolls).is_err() {
                break;
            }
            self.left = self.left.saturating_sub(1);
            path.push((node, place));
            played.push((player, notation));
            let outcome = nature_acts(&mut *position, &mut self.rolls);
            let (next, is_new) = self.follow(node, place, outcome);
            node = next;
            if is_new {
                break;
            }
        }
        let value = play_on(&mut *position, self.outlook, &mut self.rolls, &mut played, &mut self.left);
        self.count(&path, &played, value);
    }

    /// The branch to try at a node, whose branches are made at its first visit.
    fn enter(&mut self, node: usize, position: &dyn Position, player: Player) -> Option<usize> {
        let found = self.nodes.get_mut(node)?;
        found.visits += 1;
        if found.branches.is_empty() {
            found.player = Some(player);
            found.branches = position.notations(player).into_iter().map(Branch::new).collect();
            // In random order, because the first of equal ones is tried first.
            for place in (1..found.branches.len()).rev() {
                found.branches.swap(place, self.rolls.place(place + 1));
            }
        }
        found.next(self.outlook.transfer)
    }

    /// The node behind a branch and what nature did, and whether it is new.
    fn follow(&mut self, node: usize, place: usize, outcome: String) -> (usize, bool) {
        let fresh = self.nodes.len();
        let branch = self.nodes.get_mut(node).and_then(|node| node.branches.get_mut(place));
        let Some(branch) = branch else { return (node, true) };
        let next = *branch.leads.entry(outcome).or_insert(fresh);
        if next == fresh {
            self.nodes.push(Node::default());
        }
        (next, next == fresh)
    }

    /// Counts what came of a trial: for each move of the path, and for the moves that were made later in it.
    fn count(&mut self, path: &[(usize, usize)], played: &[(Player, Notation)], value: f64) {
        for (depth, (node, place)) in path.iter().enumerate() {
            let Some(node) = self.nodes.get_mut(*node) else { continue };
            let Some(player) = node.player else { continue };
            let own = for_player(value, player);
            if let Some(branch) = node.branches.get_mut(*place) {
                branch.tried.add(own);
            }
            if self.outlook.transfer == 0.0 {
                continue;
            }
            let mut later: Vec<&Notation> = played
                .iter()
                .skip(depth)
                .filter(|(mover, _)| *mover == player)
                .map(|(_, notation)| notation)
                .collect();
            later.sort_unstable();
            for branch in &mut node.branches {
                if later.binary_search(&&branch.notation).is_ok() {
                    branch.later.add(own);
                }
            }
        }
    }
}
