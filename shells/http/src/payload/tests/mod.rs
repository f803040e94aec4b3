//! A hall in which every text that an agent can write holds the word `mark`, and every payload made from it.

mod fits;
mod shapes;
mod words;
mod world;
