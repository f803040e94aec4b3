//! The single writer: gathers commands, decides, applies, makes durable, then releases.
