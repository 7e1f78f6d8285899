import type { FastifyReply, FastifyRequest } from 'fastify';
import { sourceOf, type TrustedProxies } from './client-ip.ts';
import { expiredSessionCookies, sessionCookies } from './cookie.ts';
import { isHttps } from './origin.ts';

interface BegunSession {
  token: string;
  csrf: string;
  expiresInSeconds: number;
}

/** Writes the cookies of a session into a response. */
export class SessionReplies {
  readonly #proxies: TrustedProxies;

  constructor(proxies: TrustedProxies) {
    this.#proxies = proxies;
  }

  /** Without `remember` the cookies end with the browser. The lifetime of the session itself does not change. */
  begin(
    request: FastifyRequest,
    reply: FastifyReply,
    { session, remember }: { session: BegunSession; remember: boolean },
  ): void {
    const { token, csrf, expiresInSeconds } = session;
    const maxAgeSeconds = remember ? expiresInSeconds : undefined;
    reply.header(
      'set-cookie',
      sessionCookies({ token, csrf, maxAgeSeconds, secure: this.#isHttps(request) }),
    );
  }

  end(request: FastifyRequest, reply: FastifyReply): void {
    reply.header('set-cookie', expiredSessionCookies(this.#isHttps(request)));
  }

  #isHttps(request: FastifyRequest): boolean {
    return isHttps({ headers: request.headers, ...sourceOf(request.raw, this.#proxies) });
  }
}
