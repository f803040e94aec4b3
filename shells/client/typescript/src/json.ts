/**
 * JSON that every parser reads alike, and its canonical form (RFC 8785; decision 1.5 and 2.5).
 *
 * What is signed or hashed holds no numbers but integers within ±(2^53 - 1), which every language keeps exactly. So the
 * canonical form needs no rules for fractions, and nothing here knows them.
 */

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** How many containers may stand inside one another. */
export const DEEPEST = 16;

const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;
const TOKEN = /"(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*|[{}[\],:]/gs;

/** A text or value that is no JSON as halls take it. */
export class JsonProblem extends Error {
  override readonly name = 'JsonProblem';
}

/**
 * The canonical form of a value: no space, names ordered by UTF-16 units, shortest escapes.
 *
 * Throws `JsonProblem` for what has none here: fractions, integers beyond ±(2^53 - 1), lone surrogates, undefined.
 */
export function canonical(value: Json, depth = 0): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'number') {
    if (!Number.isSafeInteger(value) || Object.is(value, -0)) throw new JsonProblem(`${value} is no plain integer`);
    return String(value);
  }
  if (typeof value === 'string') {
    if (LONE_SURROGATE.test(value)) throw new JsonProblem('half of a surrogate pair stands in a text');
    return JSON.stringify(value);
  }
  if (typeof value !== 'object') throw new JsonProblem(`${typeof value} has no canonical form`);
  if (depth === DEEPEST) throw new JsonProblem(`more than ${DEEPEST} containers stand inside one another`);
  if (isList(value)) return `[${Array.from(value, (item) => canonical(item, depth + 1)).join(',')}]`;
  if (![Object.prototype, null].includes(Object.getPrototypeOf(value))) {
    throw new JsonProblem('only plain objects have a canonical form');
  }
  // Texts compare by UTF-16 units here, which is the order that is asked for.
  const names = Object.keys(value).sort((left, right) => (left < right ? -1 : 1));
  return `{${names.map((name) => `${canonical(name)}:${canonical(value[name] as Json, depth + 1)}`).join(',')}}`;
}

function isList(value: object): value is readonly Json[] {
  return Array.isArray(value);
}

/**
 * Reads exactly one JSON value that every parser reads alike.
 *
 * Throws `JsonProblem` for invalid UTF-8, a byte order mark, a name that stands twice, lone surrogates, more than 16
 * containers inside one another, and numbers that are not plain integers within ±(2^53 - 1).
 */
export function parseStrict(bytes: Uint8Array): Json {
  let text: string;
  let value: Json;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    value = JSON.parse(text) as Json;
  } catch (error) {
    throw new JsonProblem(error instanceof Error ? error.message : 'it is no JSON');
  }
  checkTokens(text);
  // A lone surrogate or too deep a value would have no canonical form either.
  canonical(value);
  return value;
}

/** What JSON.parse passes over in silence: names that stand twice, and how numbers are written. */
function checkTokens(text: string): void {
  const open: (Set<string> | null)[] = [];
  const tokens = text.match(TOKEN) ?? [];
  tokens.forEach((token, place) => {
    if (token === '{') open.push(new Set());
    else if (token === '[') open.push(null);
    else if (token === '}' || token === ']') open.pop();
    else if (token.startsWith('"') && tokens[place + 1] === ':') {
      const names = open.at(-1);
      const name = JSON.parse(token) as string;
      if (names?.has(name)) throw new JsonProblem('a name stands twice in one object');
      names?.add(name);
    } else if (
      /^[-0-9]/.test(token) &&
      (!/^(0|-?[1-9][0-9]{0,15})$/.test(token) || !Number.isSafeInteger(Number(token)))
    ) {
      throw new JsonProblem(`${token.slice(0, 20)} is no plain integer within ±(2^53 - 1)`);
    }
    if (open.length > DEEPEST) throw new JsonProblem(`more than ${DEEPEST} containers stand inside one another`);
  });
}
