/** Which hall: scheme, host and port. */

const ADDRESS = /^(https?):\/\/(\[[0-9a-f:.]+\]|[a-z0-9._~-]+)(?::([0-9]{1,5}))?\/?$/i;
const DEFAULT_PORTS: Readonly<Record<string, number>> = { https: 443, http: 80 };

/** A text that is not an address of a hall. */
export class OriginProblem extends Error {
  override readonly name = 'OriginProblem';
}

/**
 * The address of a hall, written in one way only, because keys are bound to it (decision 2.10).
 *
 * Plain http is accepted for any host: many halls run on a machine or network of one's own. Over the internet use https,
 * or the operator token of a registration can be read on the way.
 */
export class Origin {
  private constructor(
    readonly scheme: string,
    readonly host: string,
    readonly port: number,
  ) {}

  /** Reads an address such as `https://hall.example` or `http://127.0.0.1:8080/`. Throws `OriginProblem`. */
  static parse(text: string): Origin {
    const [, scheme = '', host = '', digits] = ADDRESS.exec(text) ?? [];
    const port = digits === undefined ? (DEFAULT_PORTS[scheme.toLowerCase()] ?? 0) : Number(digits);
    if (host === '' || port > 65535) {
      throw new OriginProblem(`${JSON.stringify(text)} is not an address of a hall; write it as https://hall.example`);
    }
    return new Origin(scheme.toLowerCase(), host.toLowerCase(), port);
  }

  /** A name for files that belong to this hall: host and port, without what file systems dislike. */
  get folderName(): string {
    return `${this.host.replace(/[^A-Za-z0-9.-]/g, '_')}_${this.port}`;
  }

  /** The one written form. */
  toString(): string {
    return `${this.scheme}://${this.host}${this.port === DEFAULT_PORTS[this.scheme] ? '' : `:${this.port}`}`;
  }
}
