import type { IncomingMessage } from 'node:http';
import { AppError } from '../../lib/app-error.ts';

/** Aborts when the client disconnects before it has sent everything. */
export function watchUpload(request: IncomingMessage): { lost: AbortSignal; release: () => void } {
  const lost = new AbortController();
  const onClose = (): void => {
    if (!request.complete) lost.abort(new AppError('body_malformed', { message: 'The upload was cut off.' }));
  };
  request.once('close', onClose);
  return { lost: lost.signal, release: () => request.off('close', onClose) };
}
