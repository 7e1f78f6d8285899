import type { FaultSwitches, Faults } from '../faults.ts';
import { isRecord } from '../prompt/graph.ts';
import { type Route, sendJson } from './call.ts';
import { HttpError } from './http-error.ts';
import { requireLoopback } from './origin-guard.ts';
import { readJsonBody } from './request-body.ts';

const maxBytes = 64 * 1024;

/**
 * Sets the fault switches over HTTP, from this machine only and without the token: for test programs that know only the
 * address.
 */
export function faultRoutes(faults: Faults, refuseForMs: (durationMs: number) => void): Route[] {
  const local =
    (handle: Route['handle']): Route['handle'] =>
    (call) => {
      requireLoopback(call.request);
      return handle(call);
    };

  const change = local(async (call) => {
    const body = await readJsonBody(call.request, maxBytes);
    if (!isRecord(body)) throw new HttpError(400, 'Send an object of switches.');
    const { refuseForMs: durationMs, ...switches } = body;
    const unknown = Object.keys(switches).filter((name) => !(name in faults.switches));
    if (unknown.length > 0) throw new HttpError(400, `There is no switch ${unknown.join(', ')}.`);
    faults.set(switches as Partial<FaultSwitches>);
    sendJson(call, faults.switches);
    if (typeof durationMs === 'number') refuseForMs(durationMs);
  });

  const reset = local((call) => {
    faults.reset();
    sendJson(call, faults.switches);
  });

  return [
    { method: 'GET', path: '/reference/faults', handle: local((call) => sendJson(call, faults.switches)) },
    { method: 'POST', path: '/reference/faults', handle: change },
    { method: 'DELETE', path: '/reference/faults', handle: reset },
  ];
}
