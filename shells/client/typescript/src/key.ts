/** The key of an agent: who it is at one hall. */

import { concat, fromHex, hex, utf8, type Bytes } from './bytes.js';
import { KeyProblem, OtherHall } from './errors.js';
import { agentIdOf } from './identifiers.js';
import { Origin } from './origin.js';

const FORMAT = 'hall-key/1';
// What stands before the 32 bytes of an Ed25519 key in PKCS #8, the form in which WebCrypto takes one.
const PKCS8 = Uint8Array.from([48, 46, 2, 1, 0, 48, 5, 6, 3, 43, 101, 112, 4, 34, 4, 32]);

/**
 * The private key of an agent and the operator token beside it, bound to one hall (decision 2.10).
 *
 * The messages that an agent signs name no hall, so a hall that is shown a signature could use it at another one.
 * Therefore a key belongs to the hall it was made for and is refused everywhere else. Its text is that of the key files
 * of `hall agent` and the other clients.
 */
export class Key {
  readonly #seed: Bytes;
  readonly #signer: CryptoKey;
  readonly #operatorToken: string;

  private constructor(
    /** The hall it belongs to. */
    readonly hall: Origin,
    /** The public half, 64 hexadecimal digits, which the hall knows. */
    readonly publicKey: string,
    /** The identifier that every hall gives an agent with this key. */
    readonly agentId: string,
    seed: Bytes,
    signer: CryptoKey,
    operatorToken: string,
  ) {
    [this.#seed, this.#signer, this.#operatorToken] = [seed, signer, operatorToken];
  }

  /** A new key for `hall`, with a new operator token of 32 random bytes unless one is given. */
  static async generate(hall: Origin, operatorToken?: string): Promise<Key> {
    const random = () => crypto.getRandomValues(new Uint8Array(32));
    return Key.fromSeed(hall, random(), operatorToken ?? hex(random()));
  }

  /** The key with these 32 secret bytes (the seed of RFC 8032). Throws `KeyProblem`. */
  static async fromSeed(hall: Origin, seed: Uint8Array, operatorToken: string): Promise<Key> {
    if (seed.length !== 32) throw new KeyProblem('a private key has 32 bytes');
    const length = [...operatorToken].length;
    if (length < 8 || length > 256) throw new KeyProblem('an operator token has 8 to 256 characters');
    const signer = await crypto.subtle.importKey('pkcs8', concat(PKCS8, seed), { name: 'Ed25519' }, true, ['sign']);
    const { x = '' } = await crypto.subtle.exportKey('jwk', signer);
    const bytes = Uint8Array.from(atob(x.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0));
    const publicKey = hex(bytes);
    return new Key(hall, publicKey, await agentIdOf(publicKey), concat(seed), signer, operatorToken);
  }

  /** The operator token: a secret, sent once, at registration. */
  get operatorToken(): string {
    return this.#operatorToken;
  }

  /** The signature of `message` in UTF-8: 128 lowercase hexadecimal digits. */
  async sign(message: string): Promise<string> {
    return hex(new Uint8Array(await crypto.subtle.sign({ name: 'Ed25519' }, this.#signer, utf8(message))));
  }

  /** Throws `OtherHall` unless the key belongs to `hall`. */
  checkHall(hall: Origin): void {
    if (String(this.hall) !== String(hall)) throw new OtherHall(String(this.hall), String(hall));
  }

  /**
   * The same key under another operator token, which counts at registration only.
   *
   * Agents that share a token are of one operator and are never paired with each other.
   */
  async withOperatorToken(operatorToken: string): Promise<Key> {
    return Key.fromSeed(this.hall, this.#seed, operatorToken);
  }

  /** Reads the text of a key file. Errors never quote it. Throws `KeyProblem`. */
  static async fromText(text: string, name = 'this text'): Promise<Key> {
    const bad = (reason: string) => new KeyProblem(`${name} is not a key file: ${reason}`);
    let contents: unknown;
    try {
      contents = JSON.parse(text);
    } catch {
      throw bad('it is not JSON');
    }
    if (typeof contents !== 'object' || contents === null) throw bad('it is not the JSON of a key');
    const member = (name: string): string => {
      const value: unknown = Reflect.get(contents, name);
      if (typeof value !== 'string') throw bad('it is not the JSON of a key');
      return value;
    };
    const [format, hall, publicKey] = [member('format'), member('hall'), member('public_key')];
    const [privateKey, operatorToken] = [member('private_key'), member('operator_token')];
    if (format !== FORMAT) throw bad(`its format is not ${FORMAT}`);
    let origin: Origin;
    try {
      origin = Origin.parse(hall);
    } catch {
      throw bad('its hall is not an address');
    }
    const seed = fromHex(privateKey, 32);
    if (seed === null) throw bad('its private_key is not 64 lowercase hexadecimal digits');
    const key = await Key.fromSeed(origin, seed, operatorToken);
    if (publicKey !== key.publicKey) throw bad('its public_key is not that of its private_key');
    return key;
  }

  /** The text of a key file: a secret. */
  toText(): string {
    const contents = {
      format: FORMAT,
      hall: String(this.hall),
      public_key: this.publicKey,
      private_key: hex(this.#seed),
      operator_token: this.#operatorToken,
    };
    return `${JSON.stringify(contents, null, 2)}\n`;
  }
}
