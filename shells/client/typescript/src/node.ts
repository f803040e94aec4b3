/** What needs files and sockets: key files, and a small server for a doorbell. For Node, Deno and Bun. */

import { randomBytes } from 'node:crypto';
import { link, mkdir, open, rename, stat, unlink } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, dirname, join } from 'node:path';

import { LARGEST_RING, type Doorbell, type Ring } from './doorbell.js';
import { HallError, KeyProblem } from './errors.js';
import { Hall, type HallOptions } from './hall.js';
import { Key } from './key.js';
import { Origin, OriginProblem } from './origin.js';
import { leaveLobbies } from './session.js';

const LARGEST_KEY_FILE = 16 * 1024;
const REQUEST_MILLISECONDS = 5_000;

/** How a client with a key file is opened. */
export interface OpenOptions extends HallOptions {
  /** By default `HOST_PORT-HANDLE.key.json` in the current folder. */
  readonly keyFile?: string;
  /** Agents that are given the same token are never paired with each other. */
  readonly operatorToken?: string;
}

/**
 * For a program of its own: ends it with the sentence of an error of this package and status 1 instead of a stack trace, after
 * Ctrl-C with status 130 and after SIGTERM with status 143, once its agents have left the lobbies in which they wait. A second
 * signal or error does not wait.
 */
export function exitOnError(): void {
  process.once('SIGINT', () => leaveAndExit(130));
  process.once('SIGTERM', () => leaveAndExit(143));
  let failed = false;
  process.on('uncaughtException', (error) => {
    console.error(error instanceof HallError || error instanceof OriginProblem ? error.message : error);
    if (failed) process.exit(1);
    failed = true;
    leaveAndExit(1);
  });
}

function leaveAndExit(status: number): void {
  void leaveLobbies().finally(() => process.exit(status));
}

/** A client whose key is in a file, which is made on first use. */
export async function openHall(address: string, handle: string, options: OpenOptions = {}): Promise<Hall> {
  const hall = Origin.parse(address);
  const key = await loadOrGenerateKey(
    options.keyFile ?? `${hall.folderName}-${handle}.key.json`,
    hall,
    options.operatorToken,
  );
  const { operatorToken } = options;
  return new Hall(operatorToken === undefined ? key : await key.withOperatorToken(operatorToken), handle, options);
}

/** Reads the key file at `path`, which must belong to `hall`. Throws `KeyProblem`, `OtherHall`, or an error of the system. */
export async function loadKey(path: string, hall: Origin): Promise<Key> {
  const file = await open(path, 'r');
  try {
    const about = await file.stat();
    if (process.platform !== 'win32' && (about.mode & 0o077) !== 0) {
      const mode = (about.mode & 0o777).toString(8);
      throw new KeyProblem(`${path} can be read by others (mode ${mode}); run: chmod 600 ${path}`);
    }
    if (!about.isFile() || about.size > LARGEST_KEY_FILE) {
      throw new KeyProblem(`${path} is not a key file: it is not a small file`);
    }
    const key = await Key.fromText(await file.readFile('utf8'), path);
    key.checkHall(hall);
    return key;
  } finally {
    await file.close();
  }
}

/**
 * Reads the key file at `path`, or makes a key for `hall` and keeps it there.
 *
 * Of several processes that do this at once all end up with the same key. Throws as `loadKey` and `saveKey`.
 */
export async function loadOrGenerateKey(path: string, hall: Origin, operatorToken?: string): Promise<Key> {
  try {
    return await loadKey(path, hall);
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
  }
  const key = await Key.generate(hall, operatorToken);
  try {
    await saveKey(key, path);
    return key;
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
    return loadKey(path, hall);
  }
}

/**
 * Keeps the key in a new file with mode 0600, making its folder where there is none.
 *
 * The file appears whole and synced or not at all. An error with code `EEXIST` if there is one: the key in it could not
 * be had back.
 */
export async function saveKey(key: Key, path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = join(dirname(path), `.${basename(path)}.${randomBytes(8).toString('hex')}.new`);
  try {
    const file = await open(temporary, 'wx', 0o600);
    try {
      await file.writeFile(key.toText());
      await file.sync();
    } finally {
      await file.close();
    }
    await publish(temporary, path);
  } finally {
    await unlink(temporary).catch(() => undefined);
  }
}

async function publish(temporary: string, path: string): Promise<void> {
  // A link, unlike a rename, never replaces what is there.
  try {
    await link(temporary, path);
  } catch (error) {
    if (hasCode(error, 'EEXIST')) throw error;
    // Some file systems have no links. Then a check must do, with a moment between it and the rename.
    const exists = await stat(path).catch(() => null);
    if (exists !== null) throw Object.assign(new Error(`${path} exists already`), { code: 'EEXIST' });
    await rename(temporary, path);
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

/**
 * Listens for rings and tells each once.
 *
 * It speaks plain HTTP: a hall rings https addresses only, so put what ends TLS in front of it. The hall is answered
 * before the agent begins to think, because it waits five seconds.
 */
export async function serveDoorbell(
  doorbell: Doorbell,
  onRing: (ring: Ring) => void,
  where: { readonly host?: string; readonly port?: number } = {},
): Promise<{ readonly port: number; readonly close: () => Promise<void> }> {
  const server: Server = createServer({ requestTimeout: REQUEST_MILLISECONDS }, (request, response) => {
    void (async () => {
      const body = await readBody(request);
      if (body === null) return response.writeHead(413, { Connection: 'close' }).end();
      const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)]);
      const reply = await doorbell.answer(
        request.method ?? '',
        Object.fromEntries(headers) as Record<string, string>,
        body,
      );
      response.writeHead(reply.status, { ...reply.headers }).end();
      if (reply.ring !== null) onRing(reply.ring);
      return undefined;
    })().catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(where.port ?? 0, where.host ?? '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const close = () =>
    new Promise<void>((resolve, reject) => {
      server.close((error) => (error ? reject(error) : resolve()));
      server.closeAllConnections();
    });
  return { port, close };
}

async function readBody(request: IncomingMessage): Promise<Buffer | null> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    length += part.length;
    if (length > LARGEST_RING) return null;
    parts.push(part);
  }
  return Buffer.concat(parts);
}
