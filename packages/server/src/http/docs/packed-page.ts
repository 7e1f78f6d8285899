import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { chooseEncoding, type Encoding, varyByEncoding } from '../shell/compression.ts';

export type Compress = (encoding: Encoding, text: string) => Promise<Buffer>;

/**
 * A text that stays the same until the gateway is replaced. It is compressed once per encoding, however many clients
 * ask for it.
 */
export class PackedPage {
  readonly #type: string;
  readonly #text: string;
  readonly #compress: Compress;
  readonly #etag: string;
  readonly #packed = new Map<Encoding, Promise<Buffer>>();

  constructor({ type, text, compress }: { type: string; text: string; compress: Compress }) {
    this.#type = type;
    this.#text = text;
    this.#compress = compress;
    this.#etag = `W/"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;
  }

  /** Browsers ask again each time, and get 304 as long as it has not changed. */
  send(request: FastifyRequest, reply: FastifyReply): void {
    varyByEncoding(reply);
    reply.headers({ 'cache-control': 'no-cache', etag: this.#etag });
    if (request.headers['if-none-match'] === this.#etag) return void reply.code(304).send();
    const encoding = chooseEncoding(request.headers['accept-encoding']);
    if (encoding === undefined) return void reply.type(this.#type).send(this.#text);
    this.#packedAs(encoding).then(
      (packed) => reply.type(this.#type).header('content-encoding', encoding).send(packed),
      (error: unknown) => reply.send(error),
    );
  }

  #packedAs(encoding: Encoding): Promise<Buffer> {
    const known = this.#packed.get(encoding);
    if (known !== undefined) return known;
    const packed = this.#compress(encoding, this.#text);
    this.#packed.set(encoding, packed);
    // The next request tries again. The current one gets the error through the promise itself.
    packed.catch(() => this.#packed.delete(encoding));
    return packed;
  }
}
