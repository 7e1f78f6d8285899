import { type FastifyReply, type FastifyRequest, LogController } from 'fastify';

/** What Fastify may write by itself: failures that nobody else sees. The line of a request is the tracker's. */
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
