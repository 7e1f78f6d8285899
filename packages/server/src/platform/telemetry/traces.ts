import type { Log } from '../../lib/log.ts';
import type { EndedSpan, openSending, TraceLimits, TraceSettings } from './span-sending.ts';

/** Ends of tasks and runs whose rows are still to be read. */
const maxBacklog = 1_000;

/** Sends spans to a receiver. What is traced never waits for it, and a fault of it is one line in the log until it answers again. */
export class Traces {
  readonly settings: TraceSettings;
  readonly #log: Pick<Log, 'warn'>;
  readonly #sending: ReturnType<typeof openSending>;
  readonly #backlog: (() => Promise<void>)[] = [];
  #reading: Promise<void> | null = null;

  private constructor(
    settings: TraceSettings,
    { log, sending }: { log: Pick<Log, 'warn'>; sending: ReturnType<typeof openSending> },
  ) {
    this.settings = settings;
    this.#log = log;
    this.#sending = sending;
  }

  /** OpenTelemetry is loaded here, and so only by gateways that have a receiver. */
  static async open(
    settings: TraceSettings,
    log: Pick<Log, 'info' | 'warn'>,
    limits?: TraceLimits,
  ): Promise<Traces> {
    const sender = await import('./span-sending.ts');
    return new Traces(settings, {
      log,
      sending: sender.openSending(settings, { log, ...(limits && { limits }) }),
    });
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

  /** Reads the rows of something that has ended, one after the other. Returns false for one that is left out, because a thousand are in line. */
  later(read: () => Promise<void>): boolean {
    if (this.#backlog.length >= maxBacklog) return false;
    this.#backlog.push(read);
    this.#reading ??= this.#readAll();
    return true;
  }

  /** What has ended is read and sent before, for two seconds at most. */
  async close(): Promise<void> {
    await this.#sending.close(this.#reading);
  }

  async #readAll(): Promise<void> {
    for (let read = this.#backlog.shift(); read; read = this.#backlog.shift()) {
      await read().catch((err) => this.#log.warn({ err }, 'A trace could not be read from the database'));
    }
    this.#reading = null;
  }
}
