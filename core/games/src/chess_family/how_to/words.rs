//! Sentences that several guides share: the move grammar and the ends of a game.

/// A move of a piece.
pub(crate) const SQUARES: &str =
    "A move is the from-square and the to-square, lower case, four characters: e2e4.";

/// Promotion.
pub(crate) const PROMOTION: &str = "A promotion appends q, r, b or n in lower case, for Black too: e7e8q, a2a1n. \
                                    Without the letter it is illegal, and no other move may carry one.";

/// Castling as the king's move.
pub(crate) const CASTLING: &str = "Castling is the king's move from its square to its destination: e1g1, e1c1, e8g8, \
                                   e8c8. Neither O-O nor the rook's square (e1h1).";

/// En passant.
pub(crate) const EN_PASSANT: &str =
    "En passant is the pawn's diagonal move to the empty square behind the other pawn: e5d6.";

/// No other spelling.
pub(crate) const ONE_WAY: &str =
    "There is one way to write each move. SAN (e4, Nf3, exd6) is not read; it is only shown to people.";

/// A move by its index.
pub(crate) const BY_INDEX: &str =
    "Instead of a string, { \"index\": n } names an entry of the legal_moves of this very turn.";

/// The draws of chess on the rules card.
pub(crate) const AUTOMATIC_DRAWS: &str = "Automatic, never claimed: stalemate, fifty moves (100 half-moves without \
                                          capture or pawn move), third occurrence of a position, insufficient material.";

/// Checkmate.
pub(crate) const CHECKMATE: &str =
    "The side to move is in check without a legal move and loses. Comes before every draw rule.";

/// Stalemate, where it is a draw.
pub(crate) const STALEMATE: &str = "The side to move is not in check and has no legal move: a draw.";

/// The fifty-move rule.
pub(crate) const FIFTY_MOVES: &str =
    "100 half-moves in a row without a capture or a pawn move: a draw, at once.";

/// Threefold repetition.
pub(crate) const THREEFOLD_REPETITION: &str = "The same position for the third time, not necessarily in a row: a \
                                               draw, at once. Same means: same pieces on the same squares, same side \
                                               to move, same castling rights, and the same en passant capture, which \
                                               counts only where it is legal. The FEN names an en passant square by \
                                               the same rule.";

/// Insufficient material in chess.
pub(crate) const INSUFFICIENT_MATERIAL: &str = "King against king, king and one knight or bishop against king, or only \
                                                bishops on squares of one colour: a draw, at once. King and two \
                                                knights is played on.";

/// Which end counts in chess.
pub(crate) const ORDER: &str = "If several hold at once, the reason is the first of checkmate, stalemate, fifty_moves, \
                                threefold_repetition, insufficient_material.";

/// Ends that are not by the rules of the game.
pub(crate) const BY_THE_ROOM: &str = "resignation, agreement, clock, strikes (each forfeit is a loss, whatever the \
                                      material), adjudicated, aborted (nobody wins, nothing is rated).";
