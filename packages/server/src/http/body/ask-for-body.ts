import type { Server } from 'node:http';
import type { preParsingHookHandler } from 'fastify';

/**
 * A client that sends `Expect: 100-continue` sends its body only after the server asks for it. The route asks when it
 * wants the body, so the client sends nothing for a request whose head is refused. By default the server would ask at
 * once. If a response comes without asking, the connection ends with it, because the body may come all the same.
 */
export function leaveAskingToRoutes(server: Server): void {
  server.on('checkContinue', (request, response) => {
    response.setHeader('connection', 'close');
    server.emit('request', request, response);
  });
}

/** The last step before the body is read. A body that is announced as too large is refused without asking for it. */
export function askForBody(maxBytes: number): preParsingHookHandler {
  return ({ headers }, reply, payload, done) => {
    const isAwaited = headers.expect?.toLowerCase() === '100-continue';
    const isTooLarge = Number(headers['content-length'] ?? 0) > maxBytes;
    if (isAwaited && !isTooLarge) {
      reply.raw.removeHeader('connection');
      reply.raw.writeContinue();
    }
    done(null, payload);
  };
}
