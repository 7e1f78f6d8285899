import type { FastifyRequest } from 'fastify';
import { newSpanId, readTraceparent, traceIdOf, traceparentOf } from '../../platform/telemetry/trace-ids.ts';
import type { Traces } from '../../platform/telemetry/traces.ts';

const traced = new WeakMap<FastifyRequest, string>();

/** Returns the `traceparent` for what a request begins: the span of the request is around it. Null while nothing is traced. */
export function traceOf(request: FastifyRequest): string | null {
  return traced.get(request) ?? null;
}

/** The id of a request is that of its trace, unless the caller has one. */
export function beginTrace(request: FastifyRequest): void {
  const { traceId } = readTraceparent(request.headers.traceparent) ?? { traceId: traceIdOf(request.id) };
  traced.set(request, traceparentOf(traceId, newSpanId()));
}

export function endTrace(
  traces: Traces,
  request: FastifyRequest,
  { route, status, tookMs }: { route: string; status: number; tookMs: number },
): void {
  const own = readTraceparent(traced.get(request));
  if (!own) return;
  const endMs = Date.now();
  const { method } = request;
  traces.emit({
    name: `${method} ${route}`,
    spanId: own.parentId,
    place: { traceId: own.traceId, parentId: readTraceparent(request.headers.traceparent)?.parentId ?? null },
    kind: 'server',
    startMs: endMs - tookMs,
    endMs,
    attributes: {
      'http.request.method': method,
      'http.route': route,
      'http.response.status_code': status,
      'switchyard.request_id': request.id,
    },
    failed: status >= 500,
  });
}
