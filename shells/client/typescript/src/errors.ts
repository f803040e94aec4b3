/**
 * What can go wrong with a call, told apart by what one can do about it.
 *
 * Refusals, one class for each code of a hall, are in `refusals`.
 */

/** Anything that this package throws by itself. */
export class HallError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }

  /** Whether the hall may have carried out the request although there is no usable answer. */
  get leavesDoubt(): boolean {
    return false;
  }

  /** Whether the same request may well pass a little later. */
  get isPassing(): boolean {
    return false;
  }
}

/** No connection, or it broke before the whole answer was here; `unsent` if the request never left. */
export class TransportError extends HallError {
  constructor(
    reason: string,
    readonly unsent: boolean,
    options?: ErrorOptions,
  ) {
    super(`the hall cannot be reached: ${reason}`, options);
  }

  override get leavesDoubt(): boolean {
    return !this.unsent;
  }

  override get isPassing(): boolean {
    return true;
  }
}

/** No whole answer within the time of a call. The request may have been carried out. */
export class NoAnswer extends HallError {
  constructor(readonly milliseconds: number) {
    super(`no answer within ${milliseconds} ms`);
  }

  override get leavesDoubt(): boolean {
    return true;
  }

  override get isPassing(): boolean {
    return true;
  }
}

/** The answer is larger than this client reads, in bytes. */
export class AnswerTooLarge extends HallError {
  constructor(readonly limit: number) {
    super(`the answer is larger than ${limit} bytes`);
  }

  override get leavesDoubt(): boolean {
    return true;
  }
}

/** An answer came, but it is not the hall's envelope, or not what the specification says of this endpoint. */
export class NotAHall extends HallError {
  constructor(
    readonly status: number,
    reason: string,
    body: string,
  ) {
    super(`not an answer of a hall (HTTP ${status}): ${reason}; it begins ${JSON.stringify(body.slice(0, 120))}`);
  }

  // A proxy in front of the hall answers for it when it fails half-way.
  override get leavesDoubt(): boolean {
    return this.status >= 500;
  }

  override get isPassing(): boolean {
    return this.status >= 500;
  }
}

/** The request cannot be made at all; nothing was sent. */
export class BadRequest extends HallError {}

/** A key that cannot be read, kept or used. */
export class KeyProblem extends HallError {}

/** The key was made for another hall and is never used at this one. */
export class OtherHall extends KeyProblem {
  constructor(
    readonly belongsTo: string,
    readonly askedFor: string,
  ) {
    super(`this key belongs to ${belongsTo} and is never used at ${askedFor}; make another key for that hall`);
  }
}

/** A signature, note or proof that does not hold. */
export class ProofProblem extends HallError {}
