//! The program `hall`.
fn main() {}
