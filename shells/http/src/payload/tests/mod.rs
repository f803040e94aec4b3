//! A hall in which every text of an agent contains the word `mark`, and every payload made from it.

mod fits;
mod shapes;
mod words;
mod world;
