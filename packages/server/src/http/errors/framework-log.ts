import { type FastifyReply, type FastifyRequest, LogController } from 'fastify';

/** Lets Fastify log itself only failures that no other code sees. The tracker writes the line of a request. */
export class FrameworkLog extends LogController {
  constructor() {
    super({ requestIdLogLabel: 'requestId' });
  }

  override incomingRequest(): void {}
  override requestCompleted(): void {}
  override defaultErrorLog(): void {}
  override routeNotFound(): void {}

  override streamError(error: Error, request: FastifyRequest, reply: FastifyReply): void {
    const hasClientLeft = 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';
    if (!hasClientLeft) super.streamError(error, request, reply);
  }
}
