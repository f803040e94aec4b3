/** What an agent intends to play and as what, the turns it is asked for, and what a run tells. */

import type { Filed, Game, GameResult, View } from './answers.js';
import type { Choice, Choosable, MoveOutcome } from './choice.js';
import type { HallError } from './errors.js';
import type { RequestLimit } from './patience.js';

/** The sha256 of no text: what is filed for an agent without a system prompt or configuration. */
export const NO_TEXT_SHA256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/** What to play, and as what. An agent that has a system prompt or a configuration should file their hashes. */
export interface Plan {
  readonly game: string;
  readonly division: 'pure' | 'open';
  readonly variant: string;
  /** What the agent runs on: 1 to 128 characters, public. */
  readonly modelId: string;
  readonly adapterKind: 'api' | 'scaffold' | 'other';
  /** The division pure needs pure. */
  readonly toolAccess: 'pure' | 'engine-assisted';
  readonly seasonId: string;
  readonly endpointUrl: string | null;
  readonly systemPromptSha256: string;
  readonly configSha256: string;
  readonly operatorName: string | null;
  /** After how many ended games to stop; null for never. */
  readonly games: number | null;
  /** How many games to be in at once. Turns are answered one after the other, the most urgent first. */
  readonly concurrent: number;
  /**
   * For how many seconds to ask the hall to hold a pulse, at most 25. A hall answers at once when a game ends; at one that
   * does not (it sends no `recently_ended`), an end is noticed after at most so long.
   */
  readonly wait: number;
  /** How many milliseconds of the time to move are kept back for the way to the hall. */
  readonly margin: number;
}

export const DEFAULT_PLAN: Plan = {
  game: 'chess',
  division: 'open',
  variant: 'standard',
  modelId: 'hall-agent-typescript',
  adapterKind: 'scaffold',
  toolAccess: 'pure',
  seasonId: 'current',
  endpointUrl: null,
  systemPromptSha256: NO_TEXT_SHA256,
  configSha256: NO_TEXT_SHA256,
  operatorName: null,
  games: null,
  concurrent: 1,
  wait: 25,
  margin: 3_000,
};

/** A turn to be answered: the agent is to move, and the list of legal moves is not empty. */
export interface Turn {
  readonly view: View;
  /** How long there is to think, with the plan's margin taken off; null if the hall's clock is not known. */
  readonly millisecondsLeft: number | null;
}

/** Chooses an answer to a turn. What it throws ends the loop; what comes too late is replaced by a random legal move. */
export type Chooser = (turn: Turn) => Choosable | Promise<Choosable>;

/** How the agent was found: `resumed` if it had been registered before with the same key. */
export interface Standing {
  readonly agentId: string;
  readonly resumed: boolean;
}

/** What a run tells; `describe` makes a line for people of it. */
export type PlayEvent =
  | { readonly kind: 'entered'; readonly standing: Standing }
  | { readonly kind: 'homologated'; readonly filed: Filed }
  | { readonly kind: 'queued' }
  /** Newly paired, or live from before. */
  | { readonly kind: 'seated'; readonly game: Game; readonly you: string | null }
  | { readonly kind: 'answered'; readonly view: View; readonly choice: Choice; readonly outcome: MoveOutcome }
  /** A random legal move was made instead; `why` is `too late`, `not legal`, or the code of the refusal. */
  | { readonly kind: 'fell_back'; readonly gameId: string; readonly why: string }
  | { readonly kind: 'ended'; readonly game: Game; readonly you: string | null }
  /** The hall's request limit slows the agent down. Told once. */
  | { readonly kind: 'limited'; readonly limit: RequestLimit }
  /**
   * Something failed and will be tried again in so many milliseconds, or, with 0, a game is gone that the hall no longer
   * knows.
   */
  | { readonly kind: 'trouble'; readonly error: HallError; readonly againIn: number };

/** How the games of a run ended. */
export interface Tally {
  readonly wins: number;
  readonly losses: number;
  readonly draws: number;
  readonly aborted: number;
}

/** The member of a tally that a result counts in for this player. */
export function outcomeFor(result: GameResult | null, you: string | null): keyof Tally {
  if (result?.draw === true) return 'draws';
  if (result === null || result.winners.length === 0) return 'aborted';
  return you !== null && result.winners.includes(you) ? 'wins' : 'losses';
}

/** A line for people. */
export function describe(event: PlayEvent): string {
  switch (event.kind) {
    case 'entered':
      return event.standing.resumed
        ? `already registered as ${event.standing.agentId}: going on`
        : `registered as ${event.standing.agentId}`;
    case 'homologated': {
      const note = event.filed.voided_previous ? ', voiding the standing before' : '';
      return `homologated for season ${event.filed.season_id} (${event.filed.homologation_id})${note}`;
    }
    case 'queued':
      return 'queued; waiting for an opponent';
    case 'seated':
      return `${event.game.id}: seated as ${event.you ?? 'a player'} against ${opponents(event.game, event.you)}`;
    case 'answered':
      return `${event.view.game_id} turn ${event.view.turn_index}: ${event.choice.words}${outcome(event.outcome)}`;
    case 'fell_back':
      return `${event.gameId}: ${event.why}; a random legal move instead`;
    case 'ended': {
      const words = { wins: 'won', losses: 'lost', draws: 'drawn', aborted: 'ended without a result' };
      const end = words[outcomeFor(event.game.result, event.you)];
      const reason = event.game.result?.reason.replaceAll('_', ' ') ?? 'nothing known';
      return `${event.game.id}: ${end} against ${opponents(event.game, event.you)} by ${reason}`;
    }
    case 'limited':
      return (
        `slowed down by the hall's limit of ${event.limit.quota} requests in ${event.limit.window} s, ` +
        'which all agents at this address share'
      );
    case 'trouble':
      return `${event.error.message}; ${event.againIn > 0 ? `trying again in ${(event.againIn / 1000).toFixed(1)} s` : 'going on'}`;
  }
}

function opponents(game: Game, you: string | null): string {
  const others = game.seats.filter((seat) => seat.player !== you);
  // Handles are words of other agents; what no handle holds is shown as ?, so that a line stays a line.
  return others.map((seat) => seat.handle.replace(/[^a-z0-9_-]/g, '?')).join(', ');
}

function outcome(outcome: MoveOutcome): string {
  switch (outcome.kind) {
    case 'accepted':
      return '';
    case 'already_applied':
      return ' (was applied although its answer got lost)';
    case 'not_legal': {
      const hint = outcome.didYouMean === null ? '' : `; did you mean ${outcome.didYouMean}?`;
      return ` was illegal (attempt ${outcome.attempts})${hint}`;
    }
    case 'nothing_to_accept':
      return ': there was no offer';
    case 'not_applied':
      return ` came too late (${outcome.code})`;
  }
}
