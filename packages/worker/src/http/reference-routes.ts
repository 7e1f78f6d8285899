import { timingSafeEqual } from 'node:crypto';
import type { Adoption } from '../adoption.ts';
import { isRecord } from '../prompt/graph.ts';
import { type Route, sendJson } from './call.ts';
import { HttpError } from './http-error.ts';
import { requireLoopback } from './origin-guard.ts';
import { readJsonBody } from './request-body.ts';

const maxBytes = 64 * 1024;

/** Routes that a genuine ComfyUI does not have: identity, adoption, stop. They answer only to this machine. */
export function referenceRoutes({
  token,
  startedAt,
  adoption,
  stop,
}: {
  token: string;
  startedAt: string;
  adoption: Adoption;
  stop: () => void;
}): Route[] {
  const identity = () => ({ pid: process.pid, startedAt, adoptedBy: adoption.gateway });

  /** The token is in worker.json, which only the owner of the directory can read. */
  const guarded =
    (handle: Route['handle']): Route['handle'] =>
    (call) => {
      requireLoopback(call.request);
      if (!isToken(call.request.headers['x-reference-token'], token))
        throw new HttpError(403, 'Send the token of worker.json in x-reference-token.');
      return handle(call);
    };

  const adopt = guarded(async (call) => {
    const body = await readJsonBody(call.request, maxBytes);
    if (
      !isRecord(body) ||
      typeof body.gateway !== 'string' ||
      body.gateway === '' ||
      body.gateway.length > 200
    )
      throw new HttpError(400, 'Send { "gateway": "<who you are>" }.');
    adoption.heardFrom(body.gateway);
    sendJson(call, identity());
  });

  const end = guarded((call) => {
    sendJson(call, identity(), 202);
    stop();
  });

  return [
    { method: 'GET', path: '/reference/identity', handle: guarded((call) => sendJson(call, identity())) },
    { method: 'POST', path: '/reference/adopt', handle: adopt },
    { method: 'POST', path: '/reference/stop', handle: end },
  ];
}

function isToken(given: string | string[] | undefined, token: string): boolean {
  const left = Buffer.from(String(given ?? ''));
  const right = Buffer.from(token);
  return left.length === right.length && timingSafeEqual(left, right);
}
