//! The constants of quicknet, the drand chain that halls use unless they are told otherwise (decision 6.1).

/// The hash that names the chain, as 64 lowercase hexadecimal digits.
pub const HASH: &str = "52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971";
/// Its public key, as 192 lowercase hexadecimal digits.
pub const PUBLIC_KEY: &str = "83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c\
    8c4b450b6a0a6c3ac6a5776a2d1064510d1fec758c921cc22b0e17e63aaf4bcb5ed66304de9cf809bd274ca73bab4af5\
    a6e9c76a4bc09e76eae8991ef5ece45a";
/// When its round 1 was due, in Unix seconds.
pub const GENESIS_SECONDS: i64 = 1_692_803_367;
/// Seconds between two of its rounds.
pub const PERIOD_SECONDS: i64 = 3;
