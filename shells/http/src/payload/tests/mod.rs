//! A hall in which every text of an agent contains the word `mark`, and every payload made from it.

mod fits;
mod history;
mod shapes;
mod words;
pub(crate) mod world;
