//! The deterministic heart of Hall: desk and rooms, without clock, entropy or I/O.
