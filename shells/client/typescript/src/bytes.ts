/** Bytes and their written forms. */

export type Bytes = Uint8Array<ArrayBuffer>;

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Text in UTF-8. */
export function utf8(text: string): Bytes {
  return new TextEncoder().encode(text);
}

/** Lowercase hexadecimal digits. */
export function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Reads lowercase hexadecimal digits of `length` bytes; null if the text is something else. */
export function fromHex(text: string, length: number): Bytes | null {
  if (text.length !== 2 * length || !/^[0-9a-f]*$/.test(text)) return null;
  return Uint8Array.from({ length }, (_, place) => Number.parseInt(text.slice(2 * place, 2 * place + 2), 16));
}

/** Standard base64 with padding. */
export function base64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}

/** Reads standard base64 with padding; null if the text is something else. */
export function fromBase64(text: string): Bytes | null {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  const digits = text.slice(0, text.length - padding);
  if (text.length % 4 !== 0 || [...digits].some((letter) => !LETTERS.includes(letter))) return null;
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  // One text for each value: what stands in the last digit beyond the bytes must be nothing.
  return base64(bytes) === text ? bytes : null;
}

/** One after the other. */
export function concat(...parts: readonly Uint8Array[]): Bytes {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Whether both hold the same bytes. */
export function same(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && left.every((byte, place) => byte === right[place]);
}

/** The sha256 of bytes, or of text in UTF-8. */
export async function sha256(data: Bytes | string): Promise<Bytes> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', typeof data === 'string' ? utf8(data) : data));
}

/** The same as hexadecimal digits. */
export async function sha256Hex(data: Bytes | string): Promise<string> {
  return hex(await sha256(data));
}

/** Whether an Ed25519 signature holds. */
export async function verifies(publicKey: Bytes, message: Bytes, signature: Bytes): Promise<boolean> {
  if (publicKey.length !== 32 || signature.length !== 64) return false;
  try {
    const key = await crypto.subtle.importKey('raw', publicKey, { name: 'Ed25519' }, false, ['verify']);
    return await crypto.subtle.verify({ name: 'Ed25519' }, key, signature, message);
  } catch {
    // Bytes that are no point of the curve.
    return false;
  }
}
