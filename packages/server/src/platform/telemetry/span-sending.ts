import {
  type Attributes,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { deadline } from '../../lib/async/deadline.ts';
import type { Log } from '../../lib/log.ts';
import type { TracePlace } from './trace-ids.ts';

export interface TraceSettings {
  /** The address that takes OTLP over HTTP. */
  endpoint: string;
  headers: Record<string, string>;
  /** Adds names of OpenTelemetry's conventions for generative AI. */
  genai: boolean;
  /** Adds questions and answers. */
  content: boolean;
  version: string;
}

export interface EndedSpan {
  name: string;
  spanId: string;
  place: TracePlace;
  kind?: 'server' | 'client';
  startMs: number;
  endMs: number;
  attributes: Attributes;
  failed: boolean;
}

const usualLimits = {
  /** Spans beyond this number are dropped while the receiver takes none: some 10 MB. */
  waitingSpans: 8_192,
  /** The time for one batch, with the repetitions that a busy receiver asks for. */
  exportMs: 10_000,
  /** The time for the last spans when the gateway stops. */
  closeMs: 2_000,
};
const maxBatch = 512;

export type TraceLimits = typeof usualLimits;

/** Stands apart, so that OpenTelemetry is loaded only by gateways that have a receiver. */
export function openSending(
  { endpoint, headers, version }: TraceSettings,
  { log, limits = usualLimits }: { log: Pick<Log, 'info' | 'warn'>; limits?: TraceLimits },
) {
  const { waitingSpans, exportMs, closeMs } = limits;
  const exporter = new OTLPTraceExporter({ url: endpoint, headers, timeoutMillis: exportMs });
  let isFailing = false;
  const processor = new BatchSpanProcessor({
    exporter: {
      export: (spans, done) =>
        exporter.export(spans, (result) => {
          const fails = result.code !== 0;
          if (fails && !isFailing) {
            const reason = result.error?.message.slice(0, 200) ?? 'no reason given';
            log.warn(
              { reason },
              'The receiver of traces takes no spans; the gateway goes on and drops what it cannot keep',
            );
          } else if (!fails && isFailing) log.info({}, 'The receiver of traces takes spans again');
          isFailing = fails;
          done(result);
        }),
      shutdown: () => exporter.shutdown(),
    },
    maxQueueSize: waitingSpans,
    maxExportBatchSize: maxBatch,
    scheduledDelayMillis: 1_000,
    exportTimeoutMillis: exportMs + 1_000,
  });
  const ids = { traceId: '', spanId: '' };
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'switchyard', 'service.version': version }),
    idGenerator: { generateTraceId: () => ids.traceId, generateSpanId: () => ids.spanId },
    spanProcessors: [processor],
  });
  const tracer: Tracer = provider.getTracer('switchyard', version);
  const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL };
  return {
    send({ name, spanId, place, kind, startMs, endMs, attributes, failed }: EndedSpan): void {
      const { traceId, parentId } = place;
      Object.assign(ids, { traceId, spanId });
      const within =
        parentId === null
          ? ROOT_CONTEXT
          : trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId: parentId, traceFlags: 1, isRemote: true });
      const options = { kind: kinds[kind ?? 'internal'], startTime: startMs, attributes };
      const span = tracer.startSpan(name, options, within);
      if (failed) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end(Math.max(startMs, endMs));
    },
    async close(before: Promise<void> | null): Promise<void> {
      const { signal, release } = deadline(closeMs);
      const tooLate = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      const sent = Promise.resolve(before).then(() => provider.shutdown());
      await Promise.race([sent.catch(() => undefined), tooLate]);
      release();
    },
  };
}
