import type { Server } from 'node:http';
import type { preParsingHookHandler } from 'fastify';

/**
 * A client that says `Expect: 100-continue` sends its body once it is asked to. It is asked when the body is wanted, and so
 * sends nothing for a request whose head is refused; by itself the server would ask at once. A connection ends with an answer
 * that came without asking: nobody knows whether the body comes all the same.
 */
export function leaveAskingToRoutes(server: Server): void {
  server.on('checkContinue', (request, response) => {
    response.setHeader('connection', 'close');
    server.emit('request', request, response);
  });
}

/** The last step before the body is read. What is announced larger than it may be is refused without asking. */
export function askForBody(mostBytes: number): preParsingHookHandler {
  return ({ headers }, reply, payload, done) => {
    const isAwaited = headers.expect?.toLowerCase() === '100-continue';
    const isTooLarge = Number(headers['content-length'] ?? 0) > mostBytes;
    if (isAwaited && !isTooLarge) {
      reply.raw.removeHeader('connection');
      reply.raw.writeContinue();
    }
    done(null, payload);
  };
}
