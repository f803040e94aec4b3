//! The reference beside the real core: every decision is followed, every state compared.

mod falsified;
mod random;
mod scripts;
mod spelled;
mod world;
