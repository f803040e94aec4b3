/** The loop that plays: register or resume, homologate, join, wait, choose, move (specification 4, rule 3). */

import { byUrgency, isYourTurn, playerOf, type Agent } from './agent.js';
import type { EndedGame, Game, View, WaitingTurn } from './answers.js';
import { openEnvelope, post } from './calls.js';
import type { Choice } from './choice.js';
import { BadRequest, HallError, KeyProblem } from './errors.js';
import { outcomeFor, type Chooser, type Plan, type PlayEvent, type Standing, type Tally } from './plan.js';
import { backoff } from './patience.js';
import * as refusals from './refusals.js';

const LONGEST_WAIT_TO_ENTER = 60_000;
const LONGEST_PAUSE_IN_GAME = 3_000;
// The closing of a season or a changed homologation empties lobbies silently.
const QUEUE_CHECK = 300_000;
/** Between two seasons, and after a refusal that no rule here knows. */
const LONGER_JOIN_PAUSE = 60_000;
const TOO_MANY_GAMES = 30_000;
const LONGEST_JOIN_PAUSE = 3_600_000;
const DEFAULT_JOIN_PAUSE = 600_000;
/** Refusals of whatever the agent may ask; so are all codes that begin with `AUTH_` or `KEY_`. */
const OF_THE_AGENT = /^(AGENT_SUSPENDED|SIG_INVALID|NOT_YOUR_AGENT|HANDLE_TAKEN|AUTH_.*|KEY_.*)$/;

/**
 * Refusals after which there is more to play. Two fresh challenges are refused one after the other where nodes of a hall do not
 * know yet which of them leads.
 */
const NEVER_FINAL = [refusals.ChallengeRefused, refusals.GameNotFound, refusals.NotSeated];

/** What is known of a live game: the seat, and the last turn that is known to be resolved. */
interface Live {
  readonly you: string | null;
  resolved: number;
}

/** The runs that have begun and not ended. */
const running = new Set<Session>();

/** Takes the agents of all runs out of their lobbies: for a program that is about to stop. */
export async function leaveLobbies(): Promise<void> {
  await Promise.all([...running].map((session) => session.leave()));
}

/**
 * One run of the loop. Network errors, restarts of the hall and lost answers do not end it; one that lasts for a minute when
 * the run begins does.
 */
export class Session {
  readonly #live = new Map<string, Live>();
  readonly #tally = { wins: 0, losses: 0, draws: 0, aborted: 0 };
  #ended = 0;
  #queuedSince: number | null = null;
  /** Whether this run has filed its homologation, without which it does not join. */
  #filed = false;
  /** Whether a join was sent and is not known to have been refused or to have paired. */
  #joining = false;
  #isLeaving = false;
  #joinNotBefore = -Infinity;
  #gamesChanged = true;
  /**
   * The tag of a list of waiting turns that have all been dealt with: the next pulse is held until the list differs from
   * that one or a game ends.
   */
  #dealtWith: string | null = null;
  /** The games that the last answer told the end of; null before the first. */
  #toldEnded: ReadonlySet<string> | null = null;
  #failures = 0;

  constructor(
    private readonly agent: Agent,
    private readonly plan: Plan,
    private readonly chooser: Chooser,
    private readonly tell: (event: PlayEvent) => void,
    private readonly signal: AbortSignal | null,
  ) {}

  /** Plays until the plan is fulfilled. Throws what makes playing on impossible. */
  async run(): Promise<Tally> {
    running.add(this);
    try {
      return await this.#play();
    } catch (error) {
      await this.leave();
      throw error;
    } finally {
      running.delete(this);
    }
  }

  /**
   * Leaves the lobby in which the agent may wait, for a run that is broken off: the next one to come would be paired with an
   * agent that is gone. It is tried once, whatever comes of it.
   */
  async leave(): Promise<void> {
    this.#isLeaving = true;
    if (!this.#joining && this.#queuedSince === null) return;
    const { game, division, variant } = this.plan;
    const call = post('/api/lobby/leave', { game, division, variant });
    await this.agent.attempt(call, openEnvelope).catch(() => undefined);
  }

  async #play(): Promise<Tally> {
    this.tell({ kind: 'entered', standing: await this.#enter() });
    let entered = false;
    while (!this.#isDone()) {
      this.signal?.throwIfAborted();
      const limit = this.agent.newsOfLimit();
      if (limit !== null) this.tell({ kind: 'limited', limit });
      try {
        await (entered ? this.#round() : this.#begin());
        [entered, this.#failures] = [true, 0];
      } catch (error) {
        if (!(error instanceof HallError) || this.#isFinal(error)) throw error;
        await this.#recover(error);
      }
    }
    return this.#tally;
  }

  /** Registers or resumes. A hall that is away, as while it is restarted, is waited for a minute. */
  async #enter(): Promise<Standing> {
    const until = this.agent.world.now() + LONGEST_WAIT_TO_ENTER;
    for (;;) {
      this.signal?.throwIfAborted();
      try {
        const standing = await this.agent.registerOrResume(this.plan);
        this.#failures = 0;
        return standing;
      } catch (error) {
        const asked = error instanceof refusals.Refused ? (error.retryAfter ?? 0) : 0;
        const waits = error instanceof HallError && error.isPassing && this.agent.world.now() + asked < until;
        if (!waits) throw error;
        await this.#recover(error);
      }
    }
  }

  #isDone(): boolean {
    return this.#live.size === 0 && this.plan.games !== null && this.#ended >= this.plan.games;
  }

  /**
   * Catches up with the games, joins if there is room, waits for turns and answers them.
   *
   * While a game is live no failure but a final one keeps it from looking for turns and answering them: what failed is
   * told at the end.
   */
  async #round(): Promise<void> {
    const failures: HallError[] = [];
    const putOff = (error: unknown) => {
      if (!(error instanceof HallError)) throw error;
      failures.push(error);
    };
    try {
      if (this.#gamesChanged) await this.#catchUp();
      if (this.#isDone()) return;
      await this.#joinIfWanted();
    } catch (error) {
      if (this.#live.size === 0 || (error instanceof HallError && this.#isFinal(error))) throw error;
      putOff(error);
    }
    const after = this.#dealtWith ?? this.agent.quietTag;
    const pulse = await this.agent.pulse({ seconds: failures.length > 0 ? 0 : this.plan.wait, after });
    this.#dealtWith = null;
    const turns = [...pulse.waiting_on_you].sort(byUrgency);
    this.#noteEnded(pulse.recently_ended);
    if (turns.length === 0) this.#gamesChanged = true;
    if (turns.some((turn) => !this.#live.has(turn.game_id))) await this.#catchUp().catch(putOff);
    let progress = false;
    for (const turn of turns) {
      // One game's trouble must not cost another one its turn.
      try {
        progress = (await this.#answer(turn)) || progress;
      } catch (error) {
        putOff(error);
      }
    }
    if (failures[0] !== undefined) throw failures[0];
    if (turns.length > 0 && !progress) {
      // The hall lists turns that there is nothing to do about: hold until the list changes.
      [this.#dealtWith, this.#gamesChanged] = [pulse.waiting_tag, true];
    } else if (this.agent.quietTag === null) {
      this.#dealtWith = pulse.waiting_tag;
    }
  }

  /**
   * Takes in which games have ended. One that began and ended between two looks counts as live until the next list of games
   * shows that it is not.
   */
  #noteEnded(ended: readonly EndedGame[] | null | undefined): void {
    if (ended === null || ended === undefined) return;
    const ids = new Set(ended.map((game) => game.game_id));
    const known = this.#toldEnded ?? ids;
    for (const id of ids) {
      if (known.has(id) || this.#live.has(id)) continue;
      this.#live.set(id, { you: null, resolved: -1 });
      this.#queuedSince = null;
    }
    this.#toldEnded = ids;
    this.#gamesChanged ||= [...ids].some((id) => this.#live.has(id));
  }

  /** Answers one waiting turn; false if there is nothing to answer. */
  async #answer(turn: WaitingTurn): Promise<boolean> {
    if ((this.#live.get(turn.game_id)?.resolved ?? -1) >= turn.turn_index) return false;
    const view = await this.agent.view(turn.game_id);
    if (!isYourTurn(view)) return false;
    const { choice, fellBack } = await this.agent.choose(view, this.chooser, this.plan.margin);
    if (fellBack !== null) this.#fellBack(view, fellBack);
    const refused = await this.#send(view, choice).catch((error: unknown) => {
      // Where this holds, another move would be refused as well.
      const hopeless = !(error instanceof refusals.Refused) || isNeverFinal(error) || isOfTheAgent(error);
      if (hopeless) throw error;
      return error.code;
    });
    if (refused !== null) {
      this.#fellBack(view, refused);
      await this.#send(view, this.agent.anyMove(view));
    }
    return true;
  }

  #fellBack(view: View, why: string): void {
    this.tell({ kind: 'fell_back', gameId: view.game_id, why });
  }

  /** Sends a choice and notes what became of it; a code if the turn still waits for another answer. */
  async #send(view: View, choice: Choice): Promise<string | null> {
    const outcome = await this.agent.move(view.game_id, view.turn_index, choice);
    this.tell({ kind: 'answered', view, choice, outcome });
    let over = true;
    switch (outcome.kind) {
      case 'accepted':
        over = outcome.verdict.game_over;
        break;
      case 'already_applied':
        over = outcome.result !== null;
        break;
      case 'not_legal':
        if (outcome.applied === null && outcome.result === null) return 'illegal_move';
        break;
      case 'nothing_to_accept':
        return 'no_draw_offer';
      case 'not_applied':
        break;
    }
    this.#gamesChanged ||= over;
    const live = this.#live.get(view.game_id) ?? { you: view.you.player, resolved: -1 };
    live.resolved = view.turn_index;
    this.#live.set(view.game_id, live);
    return null;
  }

  /**
   * Files the homologation. Where it is refused, as between two seasons, the games that are live go on, and it is filed
   * before the next join.
   */
  async #begin(): Promise<void> {
    try {
      await this.#homologate();
    } catch (error) {
      const mayPlayOn = isOfJoining(error);
      if (mayPlayOn) await this.#catchUp();
      if (!mayPlayOn || this.#live.size === 0) throw error;
      this.#putOffJoining(error, LONGER_JOIN_PAUSE);
    }
  }

  async #homologate(): Promise<void> {
    const filed = await this.agent.homologate(this.plan);
    this.#filed = true;
    this.tell({ kind: 'homologated', filed });
  }

  /** Compares the games that are known with those that are live. */
  async #catchUp(): Promise<void> {
    const { games, recently_ended } = await this.agent.myGames('live', {});
    this.#noteEnded(recently_ended);
    for (const game of games) {
      if (this.#live.has(game.id)) continue;
      const you = game.your_player ?? playerOf(game, this.agent.key.agentId);
      this.#live.set(game.id, { you, resolved: -1 });
      this.#queuedSince = null;
      this.tell({ kind: 'seated', game, you });
    }
    const listed = new Set(games.map((game) => game.id));
    for (const [gameId, live] of [...this.#live].filter(([gameId]) => !listed.has(gameId))) {
      const game = await this.#gameOrGone(gameId);
      if (game === null) continue;
      // A live one lies beyond the longest page of live games.
      if (game.status === 'live') continue;
      this.#live.delete(gameId);
      const you = live.you ?? playerOf(game, this.agent.key.agentId);
      this.#tally[outcomeFor(game.result, you)] += 1;
      this.#ended += 1;
      this.tell({ kind: 'ended', game, you });
    }
    this.#gamesChanged = false;
  }

  /** The record of a live game; null if the hall was restored from a backup that is older than the game. */
  async #gameOrGone(gameId: string): Promise<Game | null> {
    try {
      return await this.agent.game(gameId);
    } catch (error) {
      if (!(error instanceof refusals.GameNotFound)) throw error;
      this.#live.delete(gameId);
      this.tell({ kind: 'trouble', error, againIn: 0 });
      return null;
    }
  }

  async #joinIfWanted(): Promise<void> {
    const { plan } = this;
    const now = this.agent.world.now();
    const wanted = plan.games === null || this.#ended + this.#live.size < plan.games;
    const queued = this.#queuedSince !== null && now - this.#queuedSince < QUEUE_CHECK;
    if (this.#isLeaving || !wanted || queued || this.#live.size >= plan.concurrent || now < this.#joinNotBefore) return;
    try {
      if (!this.#filed) await this.#homologate();
      this.#joining = true;
      const joined = await this.agent.join(plan.game, plan.division, plan.variant);
      this.#joining = false;
      if (!joined.paired) return this.#noteQueued(now);
    } catch (error) {
      this.#joining = error instanceof HallError && error.leavesDoubt;
      return this.#joinRefused(error, now);
    }
    await this.#catchUp();
  }

  #noteQueued(now: number): void {
    const isNews = this.#queuedSince === null;
    this.#queuedSince = now;
    if (isNews) this.tell({ kind: 'queued' });
  }

  /** Deals with a join that was refused, or whose answer was lost. */
  async #joinRefused(error: unknown, now: number): Promise<void> {
    // If the answer was lost, perhaps it paired; the list of games will tell before the next attempt.
    if (!(error instanceof HallError) || error.leavesDoubt) {
      this.#gamesChanged = true;
      throw error;
    }
    if (error instanceof refusals.AlreadyInLobby) return this.#noteQueued(now);
    let refusal: unknown = error;
    if (error instanceof refusals.NotHomologated) {
      try {
        return await this.#homologate();
      } catch (another) {
        refusal = another;
      }
    }
    const pause = this.#joinPause(refusal);
    if (pause === null || !(refusal instanceof HallError)) throw refusal;
    this.#putOffJoining(refusal, pause);
  }

  /** How long to wait before the next join; null if the refusal of this one concerns more than joining. */
  #joinPause(error: unknown): number | null {
    if (error instanceof refusals.SeasonNotFound) return LONGER_JOIN_PAUSE;
    if (error instanceof refusals.QuotaConcurrent) return TOO_MANY_GAMES;
    if (error instanceof refusals.QuotaJoins) {
      return Math.min(error.retryAfter ?? DEFAULT_JOIN_PAUSE, LONGEST_JOIN_PAUSE);
    }
    if (error instanceof refusals.Unavailable && !error.leavesDoubt) {
      // A hall that begins no new games now: those that are live go on.
      return Math.min(error.retryAfter ?? LONGER_JOIN_PAUSE, LONGEST_JOIN_PAUSE);
    }
    return isOfJoining(error) && this.#live.size > 0 ? LONGER_JOIN_PAUSE : null;
  }

  #putOffJoining(error: HallError, pause: number): void {
    [this.#queuedSince, this.#joinNotBefore] = [null, this.agent.world.now() + pause];
    this.tell({ kind: 'trouble', error, againIn: pause });
  }

  /**
   * Whether playing on is impossible. Whatever may pass, nonsense from a failing proxy included, is not final; while a game is
   * live, neither is a refusal that may concern less than the agent.
   */
  #isFinal(error: HallError): boolean {
    if (error instanceof refusals.Refused) {
      return !isNeverFinal(error) && (this.#live.size === 0 || isOfTheAgent(error));
    }
    return error instanceof KeyProblem || error instanceof BadRequest;
  }

  /** Waits a little after a failure, and then reads everything again. */
  async #recover(error: HallError): Promise<void> {
    this.#failures += 1;
    const { policy, world } = this.agent;
    const own = backoff(policy, this.#failures, world.random);
    const asked = error instanceof refusals.Refused ? (error.retryAfter ?? 0) : 0;
    const againIn = Math.min(
      Math.max(own, asked),
      this.#live.size > 0 ? LONGEST_PAUSE_IN_GAME : policy.longestRetryAfter,
    );
    this.tell({ kind: 'trouble', error, againIn });
    [this.#gamesChanged, this.#dealtWith] = [true, null];
    await world.sleep(againIn);
  }
}

function isOfTheAgent(refusal: refusals.Refused): boolean {
  return OF_THE_AGENT.test(refusal.code);
}

/** Whether there is more to play after a refusal, whatever was refused. */
function isNeverFinal(refusal: refusals.Refused): boolean {
  return refusal.isPassing || NEVER_FINAL.some((one) => refusal instanceof one);
}

/** Whether a homologation or a join was refused for a reason that may concern nothing else. */
function isOfJoining(error: unknown): error is refusals.Refused {
  return error instanceof refusals.Refused && !isNeverFinal(error) && !isOfTheAgent(error);
}
