/** What an agent chooses, and what becomes of it. */

import type { GameResult, LegalMove, ResolvedTurn, Verdict, View } from './answers.js';
import type { Json } from './json.js';
import { COMMENTARY_CHARACTERS } from './limits.js';

// What a hall refuses in plain text (decision 1.4): control characters, bidirectional controls, halves of pairs.
const UNWANTED = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]|\p{Cs}/u;

/** An answer to a turn: made by `play`, `offerDraw`, `acceptDraw` or `resign`. */
export class Choice {
  private constructor(
    /** The members of the body that say so (specification 2.9). */
    readonly fields: { readonly [name: string]: Json },
    /** The same for people. */
    readonly words: string,
  ) {}

  /** A legal move, by itself, its notation or its index. */
  static play(move: LegalMove | string | number): Choice {
    if (typeof move === 'string') return new Choice({ move }, move);
    if (typeof move === 'number') return new Choice({ move: { index: move } }, `#${move}`);
    return new Choice({ move: { index: move.index } }, move.notation);
  }

  /** A move together with a draw offer. */
  static offerDraw(move: LegalMove | string | number): Choice {
    const played = Choice.play(move);
    return new Choice({ ...played.fields, draw_offer: true }, `${played.words} and offered a draw`);
  }

  /** Accepting the opponent's standing draw offer. */
  static acceptDraw(): Choice {
    return new Choice({ draw_accept: true }, 'accepted the draw');
  }

  /** Resigning. */
  static resign(): Choice {
    return new Choice({ resign: true }, 'resigned');
  }

  /** The same with a commentary of at most `COMMENTARY_CHARACTERS`, which spectators and the opponent read. */
  saying(commentary: string): Choice {
    return new Choice({ ...this.fields, commentary }, this.words);
  }

  /** Whether it names a legal move, or needs none. */
  isLegal(view: View): boolean {
    const { move } = this.fields;
    if (move === undefined) return true;
    const index = typeof move === 'object' && move !== null && 'index' in move ? move.index : null;
    return view.legal_moves.some((legal) => legal.notation === move || legal.index === index);
  }

  /** Without a commentary that the hall would refuse: a move is worth more than a remark. */
  presentable(): Choice {
    const { commentary, ...others } = this.fields;
    if (typeof commentary !== 'string') return this;
    const plain = [...commentary].length <= COMMENTARY_CHARACTERS && !UNWANTED.test(commentary);
    return plain ? this : new Choice(others, this.words);
  }
}

/** What an agent may choose by: a choice, a legal move, or the notation of one. */
export type Choosable = Choice | LegalMove | string;

/** The choice that is meant. */
export function asChoice(chosen: Choosable): Choice {
  return chosen instanceof Choice ? chosen : Choice.play(chosen);
}

/** What became of a move. */
export type MoveOutcome =
  /** The hall accepted it. */
  | { readonly kind: 'accepted'; readonly verdict: Verdict }
  /** The hall had accepted it in an earlier attempt whose answer was lost; its hash proves it. */
  | { readonly kind: 'already_applied'; readonly turn: ResolvedTurn; readonly result: GameResult | null }
  /** The hall knows no such legal move. The turn goes on, unless it was the third illegal one. */
  | {
      readonly kind: 'not_legal';
      /** How many illegal attempts this turn has seen from the caller. The third one costs a strike. */
      readonly attempts: number;
      /** The notation of the legal move that was probably meant; null where the hall recognizes none. */
      readonly didYouMean: string | null;
      /** All legal moves; told from the second attempt on. */
      readonly legalMoves: readonly LegalMove[];
      /** The random move that the hall made instead, after the third. */
      readonly applied: ResolvedTurn | null;
      readonly result: GameResult | null;
    }
  /** There was no draw offer to accept. The turn goes on. */
  | { readonly kind: 'nothing_to_accept' }
  /** The turn was resolved without this body: by its deadline, by another body, or the game has ended. */
  | {
      readonly kind: 'not_applied';
      /** `wrong_turn` or `GAME_NOT_LIVE`. */
      readonly code: string;
      readonly turnIndex: number | null;
      readonly yourLast: ResolvedTurn | null;
      readonly lastMove: ResolvedTurn | null;
      readonly result: GameResult | null;
    };

/** How the game stands if a body was not the one that resolved its turn. */
export type NotApplied = Extract<MoveOutcome, { readonly kind: 'not_applied' }>;
