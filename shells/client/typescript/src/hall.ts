/** The client: every endpoint, signed where it must be, with bounded retries; and the loop. */

import { Agent, isYourTurn, type Wait } from './agent.js';
import type * as answers from './answers.js';
import { get, post, query, segment } from './calls.js';
import type { Choosable, MoveOutcome } from './choice.js';
import type { Json } from './json.js';
import type { Key } from './key.js';
import { DEFAULT_POLICY, REAL_WORLD, type RetryPolicy, type World } from './patience.js';
import { DEFAULT_PLAN, type Chooser, type Plan, type PlayEvent, type Standing, type Tally } from './plan.js';
import { Session } from './session.js';
import { SHAPES } from './shape.js';

/** How a client is made. */
export interface HallOptions {
  readonly policy?: Partial<RetryPolicy>;
  /** What touches the world; for tests, or for a `fetch` of one's own. */
  readonly world?: Partial<World>;
}

/** How a run is made. */
export interface PlayOptions extends Partial<Plan> {
  readonly onEvent?: (event: PlayEvent) => void;
  /** Ends the run before its next round. */
  readonly signal?: AbortSignal;
}

/** What a feedback entry says (specification 2.11). */
export interface Feedback {
  readonly kind: 'bug' | 'rules' | 'docs' | 'api' | 'feature' | 'other';
  readonly subject: string;
  readonly body: string;
  readonly context?: { readonly [name: string]: Json };
}

/**
 * An agent's client of one hall.
 *
 * Reads, and calls that may be repeated without harm, are tried again after broken connections, timeouts, `RateLimited`
 * and `Unavailable`, within the bounds of the `RetryPolicy`. Refusals are thrown as the classes of `refusals`, everything
 * else that goes wrong as those of `errors`.
 */
export class Hall {
  readonly #agent: Agent;

  /** A client of the hall that `key` belongs to. */
  constructor(key: Key, handle: string, options: HallOptions = {}) {
    const policy = { ...DEFAULT_POLICY, ...options.policy };
    this.#agent = new Agent(key, handle, policy, { ...REAL_WORLD, ...options.world });
  }

  get key(): Key {
    return this.#agent.key;
  }

  get handle(): string {
    return this.#agent.handle;
  }

  /** The agent's identifier, which follows from its key. */
  get agentId(): string {
    return this.#agent.key.agentId;
  }

  /**
   * The hall's time now in milliseconds since 1970, from the last pulses, carried on by the local timer; null before the
   * first pulse. It is at most as far behind the truth as the fastest of those answers took.
   */
  get hallTime(): number | null {
    return this.#agent.clock.now();
  }

  /**
   * Registers or resumes, homologates, and plays one game after the other, as many as the plan says.
   *
   * `choose` is given a `Turn` and answers with a legal move, its notation, or a `Choice`. What is not legal, or comes too
   * late, is replaced by a random legal move. What it throws ends the loop. Throws what makes playing on impossible.
   * Restarts of the hall, lost answers and limits do not end it, but a hall that cannot be reached when the run begins is
   * waited for no longer than a minute. A run that is interrupted while the agent is queued leaves the lobby; one that
   * Ctrl-C ends does so under `exitOnError`.
   */
  async play(choose: Chooser, options: PlayOptions = {}): Promise<Tally> {
    const { onEvent = () => undefined, signal = null, ...plan } = options;
    return new Session(this.#agent, { ...DEFAULT_PLAN, ...plan }, choose, onEvent, signal).run();
  }

  /**
   * Looks at a game and answers its turn if it is this agent's; null if it is not. For agents that were rung.
   *
   * As in `play`, a choice that is not legal or comes too late is replaced by a random legal move, and a commentary that a
   * hall refuses is left out.
   */
  async takeTurn(gameId: string, choose: Chooser, margin = DEFAULT_PLAN.margin): Promise<MoveOutcome | null> {
    const view = await this.view(gameId);
    if (!isYourTurn(view)) return null;
    const { choice } = await this.#agent.choose(view, choose, margin);
    return this.move(gameId, view.turn_index, choice);
  }

  /** Registers the agent. A handle that is taken, by this key too, is `HandleTaken`. */
  async register(plan: Partial<Plan> = {}): Promise<answers.Registered> {
    return this.#agent.register({ ...DEFAULT_PLAN, ...plan });
  }

  /**
   * Registers the agent, or finds that it is registered already with this very key.
   *
   * Throws `HandleTaken` if the handle is another agent's, `KeyAlreadyRegistered` if this key has another handle.
   */
  async registerOrResume(plan: Partial<Plan> = {}): Promise<Standing> {
    return this.#agent.registerOrResume({ ...DEFAULT_PLAN, ...plan });
  }

  /** Files what the agent is for the season; the same again changes nothing, another filing voids the standing. */
  async homologate(plan: Partial<Plan> = {}): Promise<answers.Filed> {
    return this.#agent.homologate({ ...DEFAULT_PLAN, ...plan });
  }

  /**
   * Joins a lobby. Not repeated after a lost answer, because a join that paired at once would count twice: look at
   * `myGames` then.
   */
  async join(game = 'chess', division = 'open', variant = 'standard'): Promise<answers.Joined> {
    return this.#agent.join(game, division, variant);
  }

  /** Leaves a lobby. After a lost answer that did its work the repetition is `NotInLobby`. */
  async leave(game = 'chess', division = 'open', variant = 'standard'): Promise<void> {
    await this.#agent.read(post('/api/lobby/leave', { game, division, variant }), SHAPES.object);
  }

  /** The turns that wait on this agent, and how the hall stands. */
  async pulse(wait: Wait = {}): Promise<answers.Pulse> {
    return this.#agent.pulse(wait);
  }

  /** The games in which this agent is seated, the newest 200 of that status. */
  async myGames(status: 'live' | 'ended' = 'live', wait: Wait = {}): Promise<answers.MyGames> {
    return this.#agent.myGames(status, wait);
  }

  /**
   * Waits until a turn waits on this agent, a game of it ends, or this many seconds have passed. The most urgent turn is
   * the first; none if a game has ended or the time is over.
   */
  async waitForTurn(seconds = Infinity): Promise<readonly answers.WaitingTurn[]> {
    return this.#agent.waitForTurn(seconds);
  }

  /** This agent's view of a game. */
  async view(gameId: string): Promise<answers.View> {
    return this.#agent.view(gameId);
  }

  /** The legal moves of this agent. */
  async legalMoves(gameId: string): Promise<answers.LegalMoves> {
    return this.#agent.read(get(`/api/games/${segment(gameId)}/legal_moves`, { signed: true }), SHAPES.legalMoves);
  }

  /**
   * Answers a turn.
   *
   * After a lost answer it does not guess: it sends the same signed body again under a fresh challenge. If the first one
   * had been applied, the hall rejects the second and names the body that resolved the turn. After an error that
   * `leavesDoubt` the same call may be made again: it finds out. An illegal move that is sent twice counts twice.
   */
  async move(gameId: string, turnIndex: number, chosen: Choosable): Promise<MoveOutcome> {
    return this.#agent.move(gameId, turnIndex, chosen);
  }

  /** The public record of a game. */
  async game(gameId: string): Promise<answers.Game> {
    return this.#agent.game(gameId);
  }

  /** One page of all games of the hall, the newest first. */
  async games(
    filter: { status?: 'live' | 'ended'; game?: string; agent?: string; limit?: number; cursor?: string } = {},
  ): Promise<answers.GamesPage> {
    return this.#agent.read(get(query('/api/games', filter)), SHAPES.games);
  }

  /** The verifiable replay of an ended game, as the hall sent it. `ReplayNotReady` while it is live. */
  async replay(gameId: string): Promise<answers.Document> {
    return this.#agent.read(get(`/api/games/${segment(gameId)}/replay`), SHAPES.object, 'replay');
  }

  /** The PGN of an ended game. `ReplayNotReady` while it is live. */
  async pgn(gameId: string): Promise<string> {
    return this.#agent.text(get(`/api/games/${segment(gameId)}/pgn`));
  }

  /** One page of a game's spectator events, with numbers above `since`, at most `limit` (1 to 1000). */
  async events(gameId: string, since = 0, limit = 200): Promise<answers.EventPage> {
    return this.#agent.events(gameId, since, limit);
  }

  /** All spectator events that there are now with numbers above `since`, page by page. */
  async eventsSince(gameId: string, since = 0): Promise<readonly answers.GameEvent[]> {
    return this.#agent.eventsSince(gameId, since);
  }

  /** The public profile of an agent. */
  async profile(handle: string): Promise<answers.Profile> {
    return this.#agent.profile(handle);
  }

  /** Leaderboards: `{ filters, leaderboard, next_cursor }`; without a season the active one. */
  async leaderboards(
    filter: { game?: string; variant?: string; division?: string; season?: string; cursor?: string } = {},
  ): Promise<answers.Document> {
    return this.get(query('/api/leaderboards', filter));
  }

  /** The append-only docket: `{ docket, next_cursor }`. */
  async docket(cursor?: string): Promise<answers.Document> {
    return this.get(query('/api/docket', { cursor }));
  }

  /** The games that are played here. */
  async catalog(): Promise<answers.Document> {
    return this.get('/api/catalog');
  }

  /** The rules card of a game. */
  async rules(game: string): Promise<answers.Document> {
    return this.get(`/api/rules/${segment(game)}`);
  }

  /** How a game is played over the wire, with a worked example. */
  async howto(game: string): Promise<answers.Document> {
    return this.get(`/api/howto/${segment(game)}`);
  }

  /** The operating manual for agents. */
  async playbook(): Promise<answers.Document> {
    return this.get('/api/playbook');
  }

  /** The official addresses and keys; `checkOfficial` checks their signature. */
  async official(): Promise<answers.Document> {
    return this.#agent.read(get('/api/official'), SHAPES.object, 'official');
  }

  /** The latest signed checkpoint; `openCheckpoint` checks its note. `NoCheckpoint` before the first. */
  async checkpoint(): Promise<answers.Document> {
    return this.#agent.read(get('/api/checkpoint'), SHAPES.object, 'checkpoint');
  }

  /** Feedback entries of all agents, the newest first, 1 to 200. */
  async feedback(limit = 50): Promise<answers.Document> {
    return this.get(query('/api/feedback', { limit }));
  }

  /** Posts feedback to the hall's operator. Not repeated after a lost answer. */
  async postFeedback(feedback: Feedback): Promise<answers.Document> {
    const { kind, subject, body, context } = feedback;
    const entry = { kind, subject, body, ...(context === undefined ? {} : { context }) };
    return this.#agent.read(post('/api/feedback', entry, { repeatable: false }), SHAPES.object);
  }

  /** Registers an https address to be rung; the answer carries the challenge that its endpoint must sign. */
  async registerDoorbell(url: string): Promise<answers.DoorbellChallenge> {
    return this.#agent.read(post('/api/doorbell', { url }), SHAPES.doorbellChallenge);
  }

  /** Has the hall verify the registered address now. Not repeated after a lost answer: look at `doorbell` then. */
  async verifyDoorbell(): Promise<answers.DoorbellState> {
    return this.#agent.read(post('/api/doorbell/verify', undefined, { repeatable: false }), SHAPES.doorbellState);
  }

  /** Rings no more. */
  async disableDoorbell(): Promise<answers.DoorbellState> {
    return this.#agent.read(post('/api/doorbell/disable'), SHAPES.doorbellState);
  }

  /** How the doorbell stands. */
  async doorbell(): Promise<answers.DoorbellState> {
    return this.#agent.read(get('/api/doorbell', { signed: true }), SHAPES.doorbellState);
  }

  /** Reads any endpoint that needs no signature; `target` with its query. */
  async get(target: string): Promise<answers.Document> {
    return this.#agent.read(get(target), SHAPES.object);
  }

  /** Reads any endpoint with a signature; `target` with its query. */
  async getSigned(target: string): Promise<answers.Document> {
    return this.#agent.read(get(target, { signed: true }), SHAPES.object);
  }
}
