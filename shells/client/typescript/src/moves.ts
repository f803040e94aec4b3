/** Moves, and finding out what became of one whose answer was lost. */

import type { GameEvent, GameResult, LegalMove, ResolvedTurn, Verdict } from './answers.js';
import { openEnvelope, post, segment, shaped, type Caller } from './calls.js';
import type { MoveOutcome, NotApplied } from './choice.js';
import { GameNotLive, IllegalMove, NoDrawOffer, WrongTurn } from './refusals.js';
import { SHAPES } from './shape.js';
import type { SignedMove } from './signing.js';

/**
 * For how many milliseconds a hall may hold the answer to a move: the third illegal one in a turn waits for the round of the
 * beacon that replaces it. A hall waits for a round for 10 s at most; with the usual time for an attempt this makes 15 s.
 */
const MOVE_HELD = 5_000;

/** What the room tells with a rejection (decision 1.8). */
interface Rejection {
  readonly turn_index?: number;
  readonly illegal_attempts?: number;
  readonly did_you_mean?: string | null;
  readonly last_move?: ResolvedTurn | null;
  readonly your_last?: ResolvedTurn | null;
  readonly result?: GameResult | null;
  readonly legal_moves?: readonly LegalMove[] | null;
  readonly applied?: ResolvedTurn | null;
}

/**
 * Sends a signed body, and sends it again under a fresh challenge until it is known what became of it. If the first one had
 * been applied, the hall rejects the second and names the body that resolved the caller's last turn.
 */
export async function sendMove(caller: Caller, signed: SignedMove): Promise<MoveOutcome> {
  const call = post(`/api/games/${segment(signed.gameId)}/moves`, {}, { body: signed.body, held: MOVE_HELD });
  for (let failed = 1; ; failed += 1) {
    try {
      const data = await caller.attempt(call, openEnvelope);
      return { kind: 'accepted', verdict: shaped<Verdict>(data, SHAPES.verdict, 'verdict') };
    } catch (error) {
      const outcome = settled(signed, error);
      if (outcome !== null) return outcome;
      const pause = caller.pause(error, failed);
      if (pause === null) throw error;
      await caller.world.sleep(pause);
    }
  }
}

/** Whether the caller has had another turn since, so that the hall tells of that one. */
export function isOfLaterTurn(told: NotApplied, signed: SignedMove): boolean {
  return (told.yourLast?.turn_index ?? -1) > signed.turnIndex;
}

/** What became of a move, by the events of its game; `told` if no event of the caller has its body. */
export function lookBack(told: NotApplied, signed: SignedMove, events: readonly GameEvent[]): MoveOutcome {
  const moves = events.filter(({ event }) => event.type === 'move');
  const turns = moves.map(({ event }) => shaped<ResolvedTurn>(event.data, SHAPES.turn));
  const turn = turns.find((turn) => turn.player === told.yourLast?.player && isBy(turn, signed));
  return turn ? { kind: 'already_applied', turn, result: told.result } : told;
}

/** Whether this body resolved it. Players of a shared turn may sign the same body. */
function isBy(turn: ResolvedTurn, signed: SignedMove): boolean {
  return turn.turn_index === signed.turnIndex && turn.body_sha256 === signed.bodySha256;
}

/** Reads from a room's rejection what became of the move; null if it is no such rejection. */
function settled(signed: SignedMove, error: unknown): MoveOutcome | null {
  if (error instanceof NoDrawOffer) return { kind: 'nothing_to_accept' };
  if (!(error instanceof WrongTurn || error instanceof GameNotLive || error instanceof IllegalMove)) return null;
  const told = shaped<Rejection>(error.data, SHAPES.rejection);
  const result = told.result ?? null;
  if (error instanceof IllegalMove) {
    return {
      kind: 'not_legal',
      attempts: told.illegal_attempts ?? 0,
      didYouMean: told.did_you_mean ?? null,
      legalMoves: told.legal_moves ?? [],
      applied: told.applied ?? null,
      result,
    };
  }
  const [yourLast, lastMove] = [told.your_last ?? null, told.last_move ?? null];
  if (yourLast && isBy(yourLast, signed)) return { kind: 'already_applied', turn: yourLast, result };
  return { kind: 'not_applied', code: error.code, turnIndex: told.turn_index ?? null, yourLast, lastMove, result };
}
