import { type Attributes, type HrTime, type SpanContext, SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, type ReadableSpan } from '@opentelemetry/sdk-trace';
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
  const shared = {
    resource: resourceFromAttributes({ 'service.name': 'switchyard', 'service.version': version }),
    instrumentationScope: { name: 'switchyard', version },
    links: [],
    events: [],
    ended: true,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
  return {
    /** The span has ended, so it goes to the processor as it is. A tracer would make one that is still open, for twice the time. */
    send(span: EndedSpan): void {
      processor.onEnd({ ...shared, ...readable(span) });
    },
    async close(before: Promise<void> | null): Promise<void> {
      const { signal, release } = deadline(closeMs);
      const tooLate = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      const sent = Promise.resolve(before).then(() => processor.shutdown());
      await Promise.race([sent.catch(() => undefined), tooLate]);
      release();
    },
  };
}

const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL };

function readable({ name, spanId, place, kind, startMs, endMs, attributes, failed }: EndedSpan) {
  const { traceId, parentId } = place;
  const own = { traceId, spanId, traceFlags: 1 };
  const tookMs = Math.max(endMs - startMs, 0);
  return {
    name,
    kind: kinds[kind ?? 'internal'],
    spanContext: (): SpanContext => own,
    ...(parentId !== null && {
      parentSpanContext: { traceId, spanId: parentId, traceFlags: 1, isRemote: true },
    }),
    startTime: hrTime(startMs),
    endTime: hrTime(startMs + tookMs),
    duration: hrTime(tookMs),
    status: { code: failed ? SpanStatusCode.ERROR : SpanStatusCode.UNSET },
    attributes,
  } satisfies Partial<ReadableSpan>;
}

/** Seconds and nanoseconds. */
function hrTime(ms: number): HrTime {
  const seconds = Math.floor(ms / 1_000);
  return [seconds, Math.round((ms - seconds * 1_000) * 1e6)];
}
