/**
 * Checking a hall's public log: signed checkpoints, proofs, and the document of official addresses (decision 8).
 *
 * A checkpoint is a C2SP signed note, the tree is that of RFC 6962. The key of the log should come from somewhere else
 * than the answer that it is to check, for example from a first visit.
 */

import { concat, fromBase64, fromHex, hex, same, sha256, sha256Hex, utf8, verifies, type Bytes } from './bytes.js';
import { ProofProblem } from './errors.js';
import { canonical, JsonProblem, type Json } from './json.js';

const ED25519 = 0x01;
const DASH = '\u2014 ';

/** The verifier key of a log. */
export interface LogKey {
  readonly name: string;
  readonly keyId: Bytes;
  readonly key: Bytes;
}

/** Reads a verifier key, `NAME+ID+KEY` as /api/official names it. Throws `ProofProblem`. */
export async function parseLogKey(text: string): Promise<LogKey> {
  // Base64 holds plus signs, names and ids do not.
  const [, name = '', id = '', encoded = ''] = /^([^+]+)\+([0-9a-f]{8})\+(.+)$/.exec(text) ?? [];
  const typed = fromBase64(encoded);
  if (typed === null || typed.length !== 33 || typed[0] !== ED25519) {
    throw new ProofProblem('a verifier key is NAME+ID+KEY, the key an Ed25519 one in base64');
  }
  const keyId = (await sha256(concat(utf8(`${name}\n`), typed))).slice(0, 4);
  if (hex(keyId) !== id) throw new ProofProblem('the id of the verifier key does not belong to its name and key');
  return { name, keyId, key: typed.slice(1) };
}

/** What a checkpoint says: the log of this name had this many leaves and this root. */
export interface Checkpoint {
  readonly origin: string;
  readonly size: number;
  readonly root: Bytes;
}

/**
 * The checkpoint in a note that the key of the log has signed. Throws `ProofProblem`.
 *
 * Lines of other signers are passed over; one that bears the name and id of the log's key must hold.
 */
export async function openCheckpoint(note: string, logKey: string): Promise<Checkpoint> {
  const key = await parseLogKey(logKey);
  const gap = note.lastIndexOf('\n\n');
  if (gap < 0 || gap + 2 === note.length || !note.endsWith('\n')) {
    throw new ProofProblem('it is no signed note: an empty line must end its text, and a line feed its last line');
  }
  const text = note.slice(0, gap + 1);
  let found = false;
  for (const line of note.slice(gap + 2, -1).split('\n')) {
    const [, name, encoded] = /^\u2014 (.+) ([^ ]+)$/.exec(line) ?? [];
    const blob = encoded === undefined ? null : fromBase64(encoded);
    if (blob === null) throw new ProofProblem(`it is no signed note: a line is "${DASH}", a name and base64`);
    if (name !== key.name || !same(blob.slice(0, 4), key.keyId)) continue;
    if (!(await verifies(key.key, utf8(text), blob.slice(4)))) {
      throw new ProofProblem(`it bears a wrong signature of ${key.name}`);
    }
    found = true;
  }
  if (!found) throw new ProofProblem(`it bears no signature of ${key.name}`);
  const [origin, size = '', encodedRoot = ''] = text.split('\n');
  const root = fromBase64(encodedRoot);
  if (origin !== key.name) throw new ProofProblem('it is the checkpoint of another log');
  if (!/^(0|[1-9][0-9]{0,15})$/.test(size) || !Number.isSafeInteger(Number(size)) || root?.length !== 32) {
    throw new ProofProblem('it is no checkpoint: its size must be a plain number and its root a hash');
  }
  return { origin, size: Number(size), root };
}

/** The hash of a leaf, which is canonical JSON. */
export async function leafHash(leaf: string): Promise<Bytes> {
  return sha256(concat(Uint8Array.of(0x00), utf8(leaf)));
}

async function nodeHash(left: Bytes, right: Bytes): Promise<Bytes> {
  return sha256(concat(Uint8Array.of(0x01), left, right));
}

/** The way from a leaf to the root: `at` is the place of a node in its row, `last` the place of the last one there. */
class Climb {
  constructor(
    private at: number,
    private last: number,
  ) {}

  get isAtTop(): boolean {
    return this.last === 0;
  }

  /** Goes one row up; whether the sibling stands to the left. */
  step(): boolean {
    if (this.isAtTop) throw new ProofProblem('the path is too long');
    const left = this.at % 2 === 1 || this.at === this.last;
    // At the right edge a node without a sibling rises unchanged.
    if (left) while (this.at % 2 === 0 && this.at > 0) this.up();
    this.up();
    return left;
  }

  /** Goes up as long as the node is a right one. */
  rise(): void {
    while (this.at % 2 === 1) this.up();
  }

  private up(): void {
    [this.at, this.last] = [Math.floor(this.at / 2), Math.floor(this.last / 2)];
  }
}

/**
 * Throws `ProofProblem` unless the path (hexadecimal hashes, leaf to root) proves that the leaf stands at `index` of the
 * tree with this size and root.
 */
export async function checkInclusion(
  leaf: string,
  index: number,
  size: number,
  path: readonly string[],
  root: Uint8Array,
): Promise<void> {
  if (!Number.isSafeInteger(index) || !Number.isSafeInteger(size) || index < 0 || index >= size) {
    throw new ProofProblem(`there is no leaf ${index} among ${size}`);
  }
  const climb = new Climb(index, size - 1);
  let node = await leafHash(leaf);
  for (const sibling of path.map(hash)) {
    node = climb.step() ? await nodeHash(sibling, node) : await nodeHash(node, sibling);
  }
  if (!climb.isAtTop || !same(node, root)) throw new ProofProblem('the path does not lead from the leaf to the root');
}

/** Throws `ProofProblem` unless the path proves that the larger tree begins with the smaller one. */
export async function checkConsistency(
  from: { readonly size: number; readonly root: Bytes },
  to: { readonly size: number; readonly root: Bytes },
  path: readonly string[],
): Promise<void> {
  if (!Number.isSafeInteger(from.size) || !Number.isSafeInteger(to.size) || from.size < 1 || from.size > to.size) {
    throw new ProofProblem(`a tree of ${from.size} leaves is no beginning of one of ${to.size}`);
  }
  const nodes = path.map(hash);
  if (from.size === to.size) {
    if (nodes.length > 0 || !same(from.root, to.root))
      throw new ProofProblem('two trees of one size are the same tree');
    return;
  }
  // A smaller tree that is perfect is a node of the larger one, and the path leaves it out.
  if (Number.isInteger(Math.log2(from.size))) nodes.unshift(from.root);
  const [first, ...others] = nodes;
  if (first === undefined) throw new ProofProblem('the path is too short');
  const climb = new Climb(from.size - 1, to.size - 1);
  climb.rise();
  let [old, grown] = [first, first];
  for (const node of others) {
    if (climb.step()) [old, grown] = [await nodeHash(node, old), await nodeHash(node, grown)];
    else grown = await nodeHash(grown, node);
  }
  if (!climb.isAtTop || !same(old, from.root) || !same(grown, to.root)) {
    throw new ProofProblem('the path does not lead from the one root to the other');
  }
}

/** Throws `ProofProblem` unless the hall's log key signed this document of official addresses (decision 3). */
export async function checkOfficial(official: Readonly<Record<string, unknown>>, logKey: string): Promise<void> {
  const { signature, ...unsigned } = official;
  const blob = typeof signature === 'string' ? fromHex(signature, 64) : null;
  const { key } = await parseLogKey(logKey);
  let held = false;
  try {
    const message = `svc.official.v1:${await sha256Hex(canonical(unsigned as Record<string, Json>))}`;
    held = blob !== null && (await verifies(key, utf8(message), blob));
  } catch (error) {
    if (!(error instanceof JsonProblem)) throw error;
  }
  if (!held) throw new ProofProblem('the document of official addresses is not signed by this log key');
}

function hash(text: string): Bytes {
  const digest = fromHex(text, 32);
  if (digest === null) throw new ProofProblem('a path consists of hashes in hexadecimal');
  return digest;
}
