"""Verifies the replay of an ended game as a stranger would; written from the published pages, not from the hall.

    from verify_replay.verifier import verify
    claims = verify(replay, log_keys=[NoteKey("…")])   # raises verify_replay.claims.Difference

Each module holds one kind of claim: `shape` what the document looks like, `identity` keys, ids and signatures,
`turns`, `turn` and `ending` the walk through the game (`bodies` what was signed, `clocks` its times, `draws` random
numbers, `table` who sits there and results, `rules` the games), `events` and `pgn` the other two accounts of it, `beacon`
public randomness, `log_proof` the log.
"""
