import type { Attributes, Tracer } from '@opentelemetry/api';
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
/** Ends of tasks and runs whose rows are still to be read. */
const maxBacklog = 1_000;

/** Sends spans to a receiver. What is traced never waits for it, and a fault of it is one line in the log until it answers again. */
export class Traces {
  readonly settings: TraceSettings;
  readonly #log: Pick<Log, 'warn'>;
  readonly #sending: Awaited<ReturnType<typeof openSending>>;
  readonly #backlog: (() => Promise<void>)[] = [];
  #isReading = false;

  private constructor(
    settings: TraceSettings,
    { log, sending }: { log: Pick<Log, 'warn'>; sending: Awaited<ReturnType<typeof openSending>> },
  ) {
    this.settings = settings;
    this.#log = log;
    this.#sending = sending;
  }

  /** OpenTelemetry is loaded here, and so only by gateways that have a receiver. */
  static async open(
    settings: TraceSettings,
    log: Pick<Log, 'info' | 'warn'>,
    limits = usualLimits,
  ): Promise<Traces> {
    return new Traces(settings, { log, sending: await openSending(settings, { log, limits }) });
  }

  emit(span: EndedSpan): void {
    this.#sending.send(span);
  }

  /** Emits a span around some work, however it ends. */
  async around<Value>(
    span: Omit<EndedSpan, 'startMs' | 'endMs' | 'failed'>,
    work: () => Promise<Value>,
  ): Promise<Value> {
    const startMs = Date.now();
    let failed = true;
    try {
      const value = await work();
      failed = false;
      return value;
    } finally {
      this.emit({ ...span, startMs, endMs: Date.now(), failed });
    }
  }

  /** Reads the rows of something that has ended, one after the other. Beyond a thousand in line they are left out. */
  later(read: () => Promise<void>): void {
    if (this.#backlog.length >= maxBacklog) return;
    this.#backlog.push(read);
    if (!this.#isReading) void this.#readAll();
  }

  async close(): Promise<void> {
    await this.#sending.close();
  }

  async #readAll(): Promise<void> {
    this.#isReading = true;
    for (let read = this.#backlog.shift(); read; read = this.#backlog.shift()) {
      await read().catch((err) => this.#log.warn({ err }, 'A trace could not be read from the database'));
    }
    this.#isReading = false;
  }
}

async function openSending(
  { endpoint, headers, version }: TraceSettings,
  { log, limits }: { log: Pick<Log, 'info' | 'warn'>; limits: typeof usualLimits },
) {
  const { waitingSpans, exportMs, closeMs } = limits;
  const { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } = await import('@opentelemetry/api');
  const { TracerProvider, BatchSpanProcessor } = await import('@opentelemetry/sdk-trace');
  const { resourceFromAttributes } = await import('@opentelemetry/resources');
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http');
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
    async close(): Promise<void> {
      const { signal, release } = deadline(closeMs);
      const tooLate = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      await Promise.race([provider.shutdown().catch(() => undefined), tooLate]);
      release();
    },
  };
}
