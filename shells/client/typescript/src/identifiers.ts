/** Handles and identifiers as halls write them (decision 3). */

import { sha256, type Bytes } from './bytes.js';

const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';

/** Whether a text can be a handle: 3 to 32 of a-z, 0-9, `_` and `-`, beginning with a letter or digit. */
export function isHandle(text: string): boolean {
  return /^[a-z0-9][a-z0-9_-]{2,31}$/.test(text);
}

/** The identifier of 16 bytes: prefix, underscore, 26 digits of lowercase Crockford base32. */
export function encodeId(prefix: string, bytes: Uint8Array): string {
  if (bytes.length !== 16) throw new RangeError('an identifier has 16 bytes');
  let number = bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  let digits = '';
  for (let place = 0; place < 26; place += 1) {
    digits = (DIGITS[Number(number & 31n)] ?? '') + digits;
    number >>= 5n;
  }
  return `${prefix}_${digits}`;
}

/** The 16 bytes of an identifier with this prefix; null if the text is none. */
export function decodeId(prefix: string, text: string): Bytes | null {
  const digits = text.slice(prefix.length + 1);
  if (!text.startsWith(`${prefix}_`) || digits.length !== 26) return null;
  let number = 0n;
  for (const digit of digits) {
    const value = DIGITS.indexOf(digit);
    if (value < 0) return null;
    number = (number << 5n) | BigInt(value);
  }
  if (number >> 128n !== 0n) return null;
  return Uint8Array.from({ length: 16 }, (_, place) => Number((number >> BigInt(8 * (15 - place))) & 255n));
}

/** The identifier that every hall gives an agent with this key (64 hexadecimal digits). */
export async function agentIdOf(publicKey: string): Promise<string> {
  return encodeId('a', (await sha256(`svc.agent.v1:${publicKey}`)).slice(0, 16));
}
