/** A world without sockets and without time passing: it answers requests from a script and notes what was asked. */

import assert from 'node:assert/strict';

import { Agent } from '../src/agent.js';
import { fromHex } from '../src/bytes.js';
import { Key } from '../src/key.js';
import { Origin } from '../src/origin.js';
import { DEFAULT_POLICY, type RetryPolicy, type World } from '../src/patience.js';

export type Outcome = (() => Response) | Error;

export const KEY = await Key.fromSeed(
  Origin.parse('https://hall.example'),
  fromHex('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60', 32) ?? assert.fail(),
  'not a secret',
);

/** An answer that says yes. */
export function ok(data: object, headers: Record<string, string> = {}): Outcome {
  return () => Response.json({ ok: true, data }, { headers });
}

/** An answer that says no. */
export function refused(
  status: number,
  code: string,
  data: object = {},
  headers: Record<string, string> = {},
): Outcome {
  return () => Response.json({ ok: false, error: { code, message: 'Do otherwise.' }, data }, { status, headers });
}

/** Whatever else may come. */
export function nonsense(status: number, body: string): Outcome {
  return () => new Response(body, { status });
}

/** A connection that broke; `ECONNREFUSED` if the request never left. */
export function broken(code: string): Error {
  return new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) });
}

interface Asked {
  readonly method: string;
  readonly target: string;
  readonly headers: Record<string, string>;
  readonly body: string | null;
}

/** Answers requests in the order of its script; challenges are given by themselves. */
export class ScriptedWorld implements World {
  readonly asked: Asked[] = [];
  readonly slept: number[] = [];
  time = 1000;
  challenges = 0;

  constructor(readonly script: Outcome[]) {}

  agent(policy: Partial<RetryPolicy> = {}): Agent {
    return new Agent(KEY, 'ada', { ...DEFAULT_POLICY, ...policy }, this);
  }

  /** What was asked, but for challenges. */
  get calls(): string[] {
    return this.asked
      .map(({ method, target }) => `${method} ${target}`)
      .filter((call) => !call.includes('/auth/challenge'));
  }

  readonly now = () => this.time;

  readonly random = () => 0;

  readonly sleep = async (milliseconds: number) => {
    this.slept.push(milliseconds);
    this.time += milliseconds;
  };

  readonly fetch = async (...[input, init]: Parameters<typeof fetch>): Promise<Response> => {
    const target = String(input).slice('https://hall.example'.length);
    const body = init?.body instanceof Uint8Array ? new TextDecoder().decode(init.body) : null;
    this.asked.push({ method: init?.method ?? '', target, headers: init?.headers as Record<string, string>, body });
    if (target.includes('/auth/challenge')) {
      this.challenges += 1;
      return Response.json({ ok: true, data: { challenge: String(this.challenges).padStart(64, '0') } });
    }
    const outcome = this.script.shift() ?? assert.fail(`nobody expected ${target}`);
    if (outcome instanceof Error) throw outcome;
    return outcome();
  };
}
