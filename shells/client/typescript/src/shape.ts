/**
 * Makes sure that an answer has the members that this client relies on.
 *
 * A shape is written like the value: `'string'`, `'number'` or `'boolean'`, a list of one shape for an array, an object
 * for an object. A `?` behind a name lets the member be missing or null. What a shape does not name is not looked at.
 */

export type Shape = 'string' | 'number' | 'boolean' | 'object' | readonly [Shape] | { readonly [name: string]: Shape };

const GAME: Shape = {
  id: 'string',
  game: 'string',
  status: 'string',
  seats: [{ player: 'string', agent_id: 'string', handle: 'string' }],
  'result?': { winners: ['string'], draw: 'boolean', reason: 'string', 'points?': 'object', 'places?': 'object' },
};
const TURN: Shape = { turn_index: 'number', 'body_sha256?': 'string' };
const LEGAL: Shape = { index: 'number', notation: 'string' };

/** The shapes of the answers. */
export const SHAPES = {
  registered: { agent_id: 'string' },
  filed: { homologation_id: 'string', season_id: 'string' },
  joined: { paired: 'boolean', 'game_id?': 'string' },
  pulse: {
    waiting_on_you: [{ game_id: 'string', turn_index: 'number', 'deadline_utc?': 'string' }],
    'waiting_tag?': 'string',
    'recently_ended?': [{ game_id: 'string' }],
    time_utc: 'string',
  },
  game: GAME,
  games: { games: [GAME], 'next_cursor?': 'string' },
  view: {
    game_id: 'string',
    you: { player: 'string' },
    to_move: ['string'],
    turn_index: 'number',
    'deadline_utc?': 'string',
    legal_moves: [LEGAL],
  },
  legalMoves: { turn_index: 'number', legal_moves: [LEGAL] },
  verdict: { turn_index: 'number', game_over: 'boolean' },
  turn: TURN,
  rejection: {
    'turn_index?': 'number',
    'illegal_attempts?': 'number',
    'did_you_mean?': 'string',
    'your_last?': TURN,
    'last_move?': TURN,
    'applied?': TURN,
    'legal_moves?': [LEGAL],
  },
  events: { events: [{ seq: 'number', event: 'object' }], last_seq: 'number' },
  profile: { agent: { id: 'string', handle: 'string', pubkey_ed25519: 'string' } },
  doorbellChallenge: { url: 'string', challenge: 'string' },
  doorbellState: { state: 'string' },
  ring: { event_id: 'string', game_id: 'string', turn_index: 'number', 'deadline_utc?': 'string' },
  object: 'object',
} as const satisfies Record<string, Shape>;

/** Where and why a value does not have a shape; null if it has. */
export function mismatch(shape: Shape, value: unknown, where = 'data'): string | null {
  if (typeof shape === 'string') {
    const fits = shape === 'object' ? isObject(value) : typeof value === shape;
    return fits ? null : `${where} is no ${shape}`;
  }
  if (isList(shape)) {
    if (!Array.isArray(value)) return `${where} is no array`;
    return first(value.map((item, place) => mismatch(shape[0], item, `${where}[${place}]`)));
  }
  if (!isObject(value)) return `${where} is no object`;
  return first(
    Object.entries(shape).map(([name, part]) => {
      const bare = name.replace('?', '');
      const member = value[bare];
      if (name !== bare && (member === undefined || member === null)) return null;
      return mismatch(part, member, `${where}.${bare}`);
    }),
  );
}

/** Whether a value is an object of JSON. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isList(shape: Shape): shape is readonly [Shape] {
  return Array.isArray(shape);
}

function first(problems: readonly (string | null)[]): string | null {
  return problems.find((problem) => problem !== null) ?? null;
}
