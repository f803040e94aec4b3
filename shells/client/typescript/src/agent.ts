/** What both the loop and the single calls ask of a hall. */

import type {
  EventPage,
  Filed,
  Game,
  GameEvent,
  Joined,
  MyGames,
  Profile,
  Pulse,
  Registered,
  View,
  WaitingTurn,
} from './answers.js';
import { Caller, get, post, query, segment } from './calls.js';
import { asChoice, Choice, type Choosable, type MoveOutcome } from './choice.js';
import { isOfLaterTurn, lookBack, sendMove } from './moves.js';
import type { Chooser, Plan, Standing } from './plan.js';
import { AgentNotFound, HandleTaken } from './refusals.js';
import { SHAPES } from './shape.js';
import { signMove } from './signing.js';

export const LONGEST_HOLD_SECONDS = 25;
/** The most events on one page. */
const MOST_EVENTS = 1000;

/** How long the hall shall hold an answer. */
export interface Wait {
  /** Up to so many seconds, at most 25. */
  readonly seconds?: number;
  /**
   * The `waiting_tag` of an earlier answer: hold until the set of waiting turns differs from that one, or another game of
   * the caller has ended since.
   */
  readonly after?: string | null;
}

/** What answers a turn; `fellBack` says why it is a random legal move. */
export interface Chosen {
  readonly choice: Choice;
  readonly fellBack: 'too late' | 'not legal' | null;
}

/** One agent at one hall. */
export class Agent extends Caller {
  #quietTag: string | null = null;
  /** The games that the last pulse told the end of; null before the first. */
  #toldEnded: ReadonlySet<string> | null = null;

  /**
   * The `waiting_tag` of the last answer in which no turn waited. A pulse that waits with it is answered as soon as a turn
   * waits or a game ends, even if the game ended before the pulse was sent.
   */
  get quietTag(): string | null {
    return this.#quietTag;
  }

  async register(plan: Plan): Promise<Registered> {
    const body = {
      handle: this.handle,
      model_id: plan.modelId,
      pubkey: this.key.publicKey,
      operator_token: this.key.operatorToken,
      adapter_kind: plan.adapterKind,
      ...(plan.operatorName === null ? {} : { operator_name: plan.operatorName }),
    };
    return this.read(post('/api/agents', body), SHAPES.registered);
  }

  async registerOrResume(plan: Plan): Promise<Standing> {
    // It looks before it registers, so that resuming costs no registration of the hall's hourly limit.
    let own = await this.#ownRegistration();
    if (own === null) {
      try {
        return { agentId: (await this.register(plan)).agent_id, resumed: false };
      } catch (error) {
        // Taken meanwhile, or by ourselves in an attempt whose answer was lost.
        if (!(error instanceof HandleTaken)) throw error;
        own = await this.#ownRegistration();
        const words =
          `The handle ${this.handle} belongs to another key: choose another handle, or use the key file it was ` +
          'registered with.';
        if (own === null) throw new HandleTaken({ ...error, words });
      }
    }
    return { agentId: own, resumed: true };
  }

  async #ownRegistration(): Promise<string | null> {
    try {
      const { agent } = await this.profile(this.handle);
      return agent.pubkey_ed25519 === this.key.publicKey ? agent.id : null;
    } catch (error) {
      if (error instanceof AgentNotFound) return null;
      throw error;
    }
  }

  async homologate(plan: Plan): Promise<Filed> {
    const body = {
      season_id: plan.seasonId,
      division: plan.division,
      model_id: plan.modelId,
      adapter_kind: plan.adapterKind,
      endpoint_url: plan.endpointUrl,
      system_prompt_sha256: plan.systemPromptSha256,
      config_sha256: plan.configSha256,
      tool_access: plan.toolAccess,
    };
    return this.read(post(`/api/agents/${this.key.agentId}/homologate`, body), SHAPES.filed);
  }

  async join(game: string, division: string, variant: string): Promise<Joined> {
    return this.read(post('/api/lobby/join', { game, division, variant }, { repeatable: false }), SHAPES.joined);
  }

  async pulse(wait: Wait): Promise<Pulse> {
    const pulse = await this.read<Pulse>(waiting('/api/pulse', {}, wait), SHAPES.pulse);
    this.clock.heard(pulse.time_utc);
    if (pulse.waiting_on_you.length === 0) this.#quietTag = pulse.waiting_tag ?? null;
    this.#toldEnded = new Set(pulse.recently_ended?.map((game) => game.game_id));
    return pulse;
  }

  async myGames(status: string, wait: Wait): Promise<MyGames> {
    const mine = await this.read<MyGames>(waiting('/api/my/games', { status, limit: 200 }, wait), SHAPES.games);
    const whole = status === 'live' && (mine.next_cursor ?? null) === null;
    if (whole && mine.games.every((game) => game.your_turn === false)) this.#quietTag = mine.waiting_tag ?? null;
    return mine;
  }

  async waitForTurn(seconds: number): Promise<readonly WaitingTurn[]> {
    const until = this.world.now() + seconds * 1000;
    for (;;) {
      const left = Math.floor(Math.max(0, Math.min(until - this.world.now(), LONGEST_HOLD_SECONDS * 1000)) / 1000);
      // Only what was told before can be told apart from news: the first look does not wait.
      const known = this.#toldEnded;
      const pulse = await this.pulse({ seconds: known === null ? 0 : left, after: this.#quietTag });
      const news = known !== null && pulse.recently_ended?.some((game) => !known.has(game.game_id));
      if (pulse.waiting_on_you.length > 0 || news || left === 0) return [...pulse.waiting_on_you].sort(byUrgency);
    }
  }

  async view(gameId: string): Promise<View> {
    return this.read(get(`/api/games/${segment(gameId)}/view`, { signed: true }), SHAPES.view, 'view');
  }

  async move(gameId: string, turnIndex: number, chosen: Choosable): Promise<MoveOutcome> {
    const signed = await signMove(this.key, gameId, turnIndex, asChoice(chosen).fields);
    const outcome = await sendMove(this, signed);
    if (outcome.kind !== 'not_applied' || !isOfLaterTurn(outcome, signed)) return outcome;
    return lookBack(outcome, signed, await this.eventsSince(gameId, 0));
  }

  async events(gameId: string, since: number, limit: number): Promise<EventPage> {
    return this.read(get(query(`/api/games/${segment(gameId)}/events`, { since, limit })), SHAPES.events);
  }

  async eventsSince(gameId: string, since: number): Promise<readonly GameEvent[]> {
    const found: GameEvent[] = [];
    for (;;) {
      const from = found.at(-1)?.seq ?? since;
      const page = await this.events(gameId, from, MOST_EVENTS);
      // Pages must ascend, or a faulty hall would keep the client in this loop.
      const ascends = page.events.every((event, place) => event.seq > (page.events[place - 1]?.seq ?? from));
      found.push(...page.events);
      if (page.events.length === 0 || !ascends || (found.at(-1)?.seq ?? 0) >= page.last_seq) return found;
    }
  }

  async game(gameId: string): Promise<Game> {
    return this.read(get(`/api/games/${segment(gameId)}`), SHAPES.game, 'game');
  }

  async profile(handle: string): Promise<Profile> {
    return this.read(get(`/api/agents/${segment(handle)}`), SHAPES.profile);
  }

  /** What to answer to a turn, as a hall takes it, and why it is a random legal move if the agent chose none. */
  async choose(view: View, chooser: Chooser, margin: number): Promise<Chosen> {
    const chosen = await this.#think(view, chooser, margin);
    if (chosen === null) return { choice: this.anyMove(view), fellBack: 'too late' };
    const choice = asChoice(chosen).presentable();
    if (!choice.isLegal(view)) return { choice: this.anyMove(view), fellBack: 'not legal' };
    return { choice, fellBack: null };
  }

  /** Lets the agent think; null if it took longer than there is time. */
  async #think(view: View, chooser: Chooser, margin: number): Promise<Choosable | null> {
    const now = this.clock.now();
    const known = now !== null && view.deadline_utc !== null;
    const millisecondsLeft = known ? Math.max(0, Date.parse(view.deadline_utc) - now - margin) : null;
    const thought = (async () => chooser({ view, millisecondsLeft }))();
    if (millisecondsLeft === null) return thought;
    // What comes too late may still fail, and nobody will be there to hear it.
    thought.catch(() => undefined);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<null>((resolve) => {
      timer = setTimeout(resolve, millisecondsLeft, null);
    });
    return Promise.race([thought, late]).finally(() => clearTimeout(timer));
  }

  /** A random legal move. */
  anyMove(view: View): Choice {
    const legal = view.legal_moves[Math.floor(this.world.random() * view.legal_moves.length)];
    return Choice.play(legal ?? 0);
  }
}

/** Whether the caller is to move. */
export function isYourTurn(view: View): boolean {
  return view.to_move.includes(view.you.player) && view.legal_moves.length > 0;
}

/** The player that this agent is in a game, if it is seated. */
export function playerOf(game: Game, agentId: string): string | null {
  return game.seats.find((seat) => seat.agent_id === agentId)?.player ?? null;
}

/** By what turns are ordered: the most urgent first. */
export function byUrgency(left: WaitingTurn, right: WaitingTurn): number {
  const due = (turn: WaitingTurn) => (turn.deadline_utc === null ? 0 : Date.parse(turn.deadline_utc));
  return due(left) - due(right);
}

function waiting(path: string, parameters: Record<string, string | number>, wait: Wait) {
  const seconds = Math.max(0, Math.min(Math.floor(wait.seconds ?? 0), LONGEST_HOLD_SECONDS));
  const asked = seconds === 0 ? {} : { wait: seconds, after: wait.after };
  return get(query(path, { ...parameters, ...asked }), { signed: true, held: seconds * 1000 });
}
