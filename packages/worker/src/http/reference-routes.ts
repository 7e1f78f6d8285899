import { timingSafeEqual } from 'node:crypto';
import type { Adoption } from '../adoption.ts';
import type { FaultSwitches, Faults } from '../faults.ts';
import { isRecord } from '../prompt/graph.ts';
import { type Call, type Route, sendJson } from './call.ts';
import { HttpError } from './http-error.ts';
import { isLoopbackAddress } from './origin-guard.ts';
import { readJson } from './request-body.ts';

const maxBytes = 64 * 1024;

interface Tools {
  token: string;
  startedAt: string;
  adoption: Adoption;
  stop: () => void;
  /** Absent: the switches cannot be reached over HTTP. */
  faults: Faults | undefined;
  refuseForMs: (durationMs: number) => void;
}

/** What a genuine ComfyUI does not have: identity, adoption, stop, and faults for tests. Loopback only. */
export function referenceRoutes({ token, startedAt, adoption, stop, faults, refuseForMs }: Tools): Route[] {
  const identity = () => ({ pid: process.pid, startedAt, adoptedBy: adoption.gateway });

  /** The token lies in worker.json, which only the owner of the directory can read. */
  const guarded =
    (handle: Route['handle']): Route['handle'] =>
    (call) => {
      requireLoopback(call);
      if (!isToken(call.request.headers['x-reference-token'], token))
        throw new HttpError(403, 'Send the token of worker.json in x-reference-token.');
      return handle(call);
    };

  const adopt = guarded(async (call) => {
    const body = await readJson(call.request, maxBytes);
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

  const faultRoutes: Route[] = faults === undefined ? [] : openFaultRoutes(faults, refuseForMs);
  return [
    { method: 'GET', path: '/reference/identity', handle: guarded((call) => sendJson(call, identity())) },
    { method: 'POST', path: '/reference/adopt', handle: adopt },
    { method: 'POST', path: '/reference/stop', handle: end },
    ...faultRoutes,
  ];
}

/** Without the token: these are for test programs that know no more than the address. */
function openFaultRoutes(faults: Faults, refuseForMs: (durationMs: number) => void): Route[] {
  const loopback =
    (handle: Route['handle']): Route['handle'] =>
    (call) => {
      requireLoopback(call);
      return handle(call);
    };

  const change = loopback(async (call) => {
    const body = await readJson(call.request, maxBytes);
    if (!isRecord(body)) throw new HttpError(400, 'Send an object of switches.');
    const { refuseForMs: durationMs, ...switches } = body;
    const unknown = Object.keys(switches).filter((name) => !(name in faults.switches));
    if (unknown.length > 0) throw new HttpError(400, `There is no switch ${unknown.join(', ')}.`);
    faults.set(switches as Partial<FaultSwitches>);
    sendJson(call, faults.switches);
    if (typeof durationMs === 'number') refuseForMs(durationMs);
  });

  const reset = loopback((call) => {
    faults.reset();
    sendJson(call, faults.switches);
  });

  return [
    { method: 'GET', path: '/reference/faults', handle: loopback((call) => sendJson(call, faults.switches)) },
    { method: 'POST', path: '/reference/faults', handle: change },
    { method: 'DELETE', path: '/reference/faults', handle: reset },
  ];
}

function requireLoopback({ request }: Call): void {
  if (!isLoopbackAddress(request.socket.remoteAddress)) throw new HttpError(403, 'Only from this machine.');
}

function isToken(given: string | string[] | undefined, token: string): boolean {
  const left = Buffer.from(String(given ?? ''));
  const right = Buffer.from(token);
  return left.length === right.length && timingSafeEqual(left, right);
}
