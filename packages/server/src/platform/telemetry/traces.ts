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
  #isReading = false;

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
