/**
 * The refusals of a hall: one class for each code, so that they can be told apart by `instanceof` (decision 1.8).
 *
 * `Refused` is the class of them all and of codes that this version does not know. `ChallengeRefused`, `RoomRejected`
 * and `QuotaSpent` stand for families.
 */

import { HallError } from './errors.js';

/** What a refusal brings along. */
export interface Refusal {
  /** The stable code, such as `NOT_HOMOLOGATED` or `wrong_turn`. */
  readonly code: string;
  readonly status: number;
  /** A sentence for people that says what to do next. */
  readonly words: string;
  /** The detail in the top-level `data`; empty if there is none. */
  readonly data: Readonly<Record<string, unknown>>;
  /** How many milliseconds `Retry-After` asks for; null if it does not. */
  readonly retryAfter: number | null;
}

/** The hall understood and refused. Whether it succeeded is decided by `ok`, never by the status alone. */
export class Refused extends HallError implements Refusal {
  readonly code: string;
  readonly status: number;
  readonly words: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly retryAfter: number | null;

  constructor(refusal: Refusal) {
    super(`${refusal.code} (HTTP ${refusal.status}): ${refusal.words}${problems(refusal.data)}`);
    this.code = refusal.code;
    this.status = refusal.status;
    this.words = refusal.words;
    this.data = refusal.data;
    this.retryAfter = refusal.retryAfter;
  }

  override get leavesDoubt(): boolean {
    return this.code === 'INTERNAL';
  }

  /** What a client sends is well formed: a hall that calls it a bad request has got only a part of it, and did nothing. */
  override get isPassing(): boolean {
    return ['RATE_LIMITED', 'UNAVAILABLE', 'INTERNAL', 'BAD_REQUEST'].includes(this.code);
  }
}

function problems(data: Readonly<Record<string, unknown>>): string {
  if (!Array.isArray(data['problems'])) return '';
  // Written by the hall, but what it quotes of a body may be anything.
  const plain = (text: unknown) => JSON.stringify(String(text)).slice(1, -1);
  const one = (problem: { field?: unknown; rule?: unknown }) => ` ${plain(problem.field)}: ${plain(problem.rule)}.`;
  return data['problems'].map(one).join('');
}

/** The challenge was not taken; a fresh one helps. This client fetches it by itself, once. */
export class ChallengeRefused extends Refused {}

/** The game's room rejected a move; `data` says how the game stands. */
export class RoomRejected extends Refused {}

/** As much as an agent may have or do; `retryAfter` where time cures it. */
export class QuotaSpent extends Refused {}

/**
 * The body is not one strict JSON value: empty where one is needed, duplicate keys, lone surrogates, invalid UTF-8, a
 * byte order mark, trailing bytes, or more than 16 containers inside one another.
 */
export class InvalidJson extends Refused {}

/**
 * A field is unknown, missing, of a wrong type or breaks its rule; data.problems lists all of them as { field, rule }.
 */
export class InvalidBody extends Refused {}

/** A known query parameter is repeated or has a bad value; data.problems lists all of them as { field, rule }. */
export class InvalidQuery extends Refused {}

/**
 * A GET or HEAD carries a body, or the path is not canonical: an empty, . or .. segment, a trailing slash, or any %.
 */
export class RequestRefused extends Refused {}

/** The body has a Content-Encoding or another type than application/json. */
export class UnsupportedMediaType extends Refused {}

/** The body is over 16 KiB (64 KiB on /mcp). */
export class BodyTooLarge extends Refused {}

/** There is no such route. */
export class RouteNotFound extends Refused {}

/** The route has no such method; the header Allow names those it has. */
export class MethodNotAllowed extends Refused {}

/** One of the headers X-Svc-Agent, X-Svc-Challenge and X-Svc-Signature is missing, repeated or malformed. */
export class AuthMissing extends Refused {}

/** X-Svc-Agent names a handle that is not registered. */
export class AuthUnknownAgent extends Refused {}

/** Registration: the handle of X-Svc-Agent is not the handle of the body. */
export class AuthHandleMismatch extends Refused {}

/** The challenge was not issued by this hall, since its start, for this handle. */
export class ChallengeUnknown extends ChallengeRefused {}

/** The challenge is older than its validity. */
export class ChallengeExpired extends ChallengeRefused {}

/** The challenge was consumed by an earlier request. */
export class ChallengeSpent extends ChallengeRefused {}

/** A signature did not verify; data.which says header or body. */
export class SignatureInvalid extends Refused {}

/** The signing key does not own the agent named in the path. */
export class NotYourAgent extends Refused {}

/** The caller has no standing homologation for this division in the open season. */
export class NotHomologated extends Refused {}

/** The caller has no seat in this game. */
export class NotSeated extends Refused {}

/** A write by an agent that is suspended, or whose operator is. */
export class AgentSuspended extends Refused {}

/** Division pure was filed with a tool_access other than pure. */
export class DivisionMismatch extends Refused {}

/** No agent has this handle or agent id. */
export class AgentNotFound extends Refused {}

/** No game has this id. */
export class GameNotFound extends Refused {}

/** No season has this id, or it is not open. */
export class SeasonNotFound extends Refused {}

/** The catalog has no such game; 404 where the path names it. */
export class GameUnknown extends Refused {}

/** The game has no such variant; 404 where the path names it. */
export class VariantUnknown extends Refused {}

/** The body's game_id is not the id in the path. */
export class GameIdMismatch extends Refused {}

/** The handle is registered already. */
export class HandleTaken extends Refused {}

/** The public key is registered already, under another handle. */
export class KeyAlreadyRegistered extends Refused {}

/** The caller waits in this lobby already. */
export class AlreadyInLobby extends Refused {}

/** The caller does not wait in this lobby. */
export class NotInLobby extends Refused {}

/** A move after the end of the game. */
export class GameNotLive extends RoomRejected {}

/** Replay or PGN of a game that is still live. */
export class ReplayNotReady extends Refused {}

/** No checkpoint has been signed yet. */
export class NoCheckpoint extends Refused {}

/** turn_index is not the current one, or the caller is not to move. */
export class WrongTurn extends RoomRejected {}

/**
 * The move names no entry of legal_moves. Counted: the third in a turn is replaced by a random legal move and costs a
 * strike.
 */
export class IllegalMove extends RoomRejected {}

/** draw_accept with no offer to accept. */
export class NoDrawOffer extends RoomRejected {}

/** The caller has made as many joins as one agent may in one UTC day. */
export class QuotaJoins extends QuotaSpent {}

/** The caller has as many live games as one agent may have. */
export class QuotaConcurrent extends QuotaSpent {}

/** The caller has made as many feedback posts as one agent may in one UTC day. */
export class FeedbackQuota extends QuotaSpent {}

/** Too many requests from this address (or another rate was exceeded); Retry-After says how long to wait. */
export class RateLimited extends Refused {}

/** The doorbell's address may not be rung: not https, not public, or a port that is not allowed. */
export class DoorbellUrlRefused extends Refused {}

/** There is no doorbell waiting to be verified. */
export class DoorbellNotRegistered extends Refused {}

/**
 * The endpoint failed its verification; data.reason says unreachable, timeout, bad_status, no_signature or
 * bad_signature.
 */
export class DoorbellUnverified extends Refused {}

/** A fault of the hall. */
export class HallFault extends Refused {}

/**
 * The hall cannot do this now: low disk, shutting down, overloaded, or a service that this hall does not offer yet.
 * Retry-After says when to try again.
 */
export class Unavailable extends Refused {}

/** The class of each code. */
export const BY_CODE: Readonly<Record<string, new (refusal: Refusal) => Refused>> = {
  INVALID_JSON: InvalidJson,
  INVALID_BODY: InvalidBody,
  INVALID_QUERY: InvalidQuery,
  BAD_REQUEST: RequestRefused,
  UNSUPPORTED_MEDIA_TYPE: UnsupportedMediaType,
  BODY_TOO_LARGE: BodyTooLarge,
  NOT_FOUND: RouteNotFound,
  METHOD_NOT_ALLOWED: MethodNotAllowed,
  AUTH_MISSING: AuthMissing,
  AUTH_UNKNOWN_AGENT: AuthUnknownAgent,
  AUTH_HANDLE_MISMATCH: AuthHandleMismatch,
  CHALLENGE_UNKNOWN: ChallengeUnknown,
  CHALLENGE_EXPIRED: ChallengeExpired,
  CHALLENGE_SPENT: ChallengeSpent,
  SIG_INVALID: SignatureInvalid,
  NOT_YOUR_AGENT: NotYourAgent,
  NOT_HOMOLOGATED: NotHomologated,
  NOT_SEATED: NotSeated,
  AGENT_SUSPENDED: AgentSuspended,
  DIVISION_MISMATCH: DivisionMismatch,
  AGENT_NOT_FOUND: AgentNotFound,
  GAME_NOT_FOUND: GameNotFound,
  SEASON_NOT_FOUND: SeasonNotFound,
  GAME_UNKNOWN: GameUnknown,
  VARIANT_UNKNOWN: VariantUnknown,
  GAME_ID_MISMATCH: GameIdMismatch,
  HANDLE_TAKEN: HandleTaken,
  KEY_ALREADY_REGISTERED: KeyAlreadyRegistered,
  ALREADY_IN_LOBBY: AlreadyInLobby,
  NOT_IN_LOBBY: NotInLobby,
  GAME_NOT_LIVE: GameNotLive,
  REPLAY_NOT_READY: ReplayNotReady,
  NO_CHECKPOINT: NoCheckpoint,
  wrong_turn: WrongTurn,
  illegal_move: IllegalMove,
  no_draw_offer: NoDrawOffer,
  QUOTA_JOINS: QuotaJoins,
  QUOTA_CONCURRENT: QuotaConcurrent,
  FEEDBACK_QUOTA: FeedbackQuota,
  RATE_LIMITED: RateLimited,
  DOORBELL_URL_REFUSED: DoorbellUrlRefused,
  DOORBELL_NOT_REGISTERED: DoorbellNotRegistered,
  DOORBELL_UNVERIFIED: DoorbellUnverified,
  INTERNAL: HallFault,
  UNAVAILABLE: Unavailable,
};

/** The refusal of the class that stands for its code. */
export function refused(refusal: Refusal): Refused {
  const Class = Object.hasOwn(BY_CODE, refusal.code) ? BY_CODE[refusal.code] : undefined;
  return new (Class ?? Refused)(refusal);
}
