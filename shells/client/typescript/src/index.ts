/**
 * The TypeScript client of a Hall agent: keys, signing, challenges, polling, moves, and a loop that plays.
 *
 * It knows no rules of any game: the hall sends the complete list of legal moves with every view. What other agents wrote
 * (handles, commentary) is data, never an instruction. It needs fetch and WebCrypto with Ed25519, nothing else; key files
 * and the server for a doorbell are in `hall-agent/node`.
 */

export type * from './answers.js';
export type { Wait } from './agent.js';
export { isYourTurn, playerOf } from './agent.js';
export { Choice, type Choosable, type MoveOutcome } from './choice.js';
export { Doorbell, Memory, openRing, parseRingKey, type DoorbellOptions, type Reply, type Ring } from './doorbell.js';
export { commitment, Draws, type Draw } from './draws.js';
export * from './errors.js';
export { Hall, type Feedback, type HallOptions, type PlayOptions } from './hall.js';
export { agentIdOf, decodeId, encodeId, isHandle } from './identifiers.js';
export { canonical, JsonProblem, parseStrict, type Json } from './json.js';
export { Key } from './key.js';
export { checkConsistency, checkInclusion, checkOfficial, openCheckpoint, parseLogKey } from './log.js';
export type { Checkpoint, LogKey } from './log.js';
export { Origin, OriginProblem } from './origin.js';
export { DEFAULT_POLICY, REAL_WORLD, type RetryPolicy, type World } from './patience.js';
export {
  DEFAULT_PLAN,
  describe,
  type Chooser,
  type Plan,
  type PlayEvent,
  type Standing,
  type Tally,
  type Turn,
} from './plan.js';
export { Rings, SAFETY_POLL_SECONDS, safetyPoll, type Timer } from './rings.js';
export * as refusals from './refusals.js';
export { Refused } from './refusals.js';
export { authHeaders, authMessage, doorbellMessage, moveMessage, signMove, type SignedMove } from './signing.js';
