import type { Timer } from '../../lib/async/timer.ts';
import { dayMs } from '../../lib/time-units.ts';
import type { RedisClient, RedisServer } from '../redis/redis-server.ts';
import type { RunStream, StreamTap } from './run-stream.ts';
import { frameFields, markScript, readId } from './stream-entries.ts';
import { readerGrace, type StreamLogLimits } from './stream-log.ts';

/** A stream that this process writes. Its frames are taken from the buffer for local readers. */
interface Written {
  stream: RunStream;
  tap: StreamTap;
  /** The first of its ids, until Redis knows it. */
  beginsAt: number | null;
  /** The place in Redis is unknown, after a fault. */
  isUnsure: boolean;
  /** Another process writes it now. */
  isStale: boolean;
  isEndSent: boolean;
  /** Frames up to this id are trimmed in Redis, or will be. */
  trimmedTo: number;
  bytesSinceTrim: number;
}

type Reply = [error: Error | null, result: unknown];
type Step = { written: Written | null; done: (result: unknown) => void };

/** The number of bytes that one pipeline takes of one stream. */
const pipelineBytes = 256 * 1024;
/** The stream of a run that never ends here. Longer than a run may take. */
const openMs = 8 * dayMs;
/** The shortest life of an ended stream, so that waiting readers still find its end. */
const minEndedMs = 1_000;
const retryMs = 1_000;

const stale = /equal or smaller than the target stream top item/;

/**
 * Copies the streams of this process to Redis, one pipeline at a time. What Redis does not take stays in the local buffer
 * and is sent when Redis is back; what has left the buffer by then is a gap for readers elsewhere.
 */
export class FramesToRedis {
  readonly #options;
  readonly #client: RedisClient;
  readonly #written = new Map<string, Written>();
  readonly #gone = new Map<string, number>();
  readonly #removed = new Set<string>();
  readonly #changed = new Set<string>();
  readonly #trims = new Map<string, { to: number; isDue: boolean }>();
  #sending: Promise<void> | undefined;
  #cancelTrim: (() => void) | undefined;
  #cancelRetry: (() => void) | undefined;
  #isClosed = false;

  constructor(options: {
    redis: RedisServer;
    limits: StreamLogLimits;
    timer: Timer;
    /** Returns the stream of a key as long as the local log holds it. */
    find: (key: string) => RunStream | undefined;
    /** Redis has frames of this key, so the local log may drop what is beyond its limits. */
    onCopied: (key: string) => void;
  }) {
    this.#options = options;
    this.#client = options.redis.connect('frames');
    this.#client.on('ready', () => this.#lookAgain());
  }

  untilReady(): Promise<void> {
    return this.#options.redis.untilReady(this.#client);
  }

  /** `base` is null for a stream that only ends here. */
  begin(key: string, { stream, base }: { stream: RunStream; base: number | null }): void {
    const known = this.#written.get(key);
    if (known?.stream === stream) {
      known.beginsAt = base;
      known.isEndSent = false;
    } else {
      const tap = stream.tap(() => this.#change(key));
      this.#written.set(key, {
        stream,
        tap,
        beginsAt: base,
        isUnsure: false,
        isStale: false,
        isEndSent: false,
        trimmedTo: 0,
        bytesSinceTrim: 0,
      });
    }
    this.#change(key);
  }

  abandon(key: string): void {
    const written = this.#written.get(key);
    if (!written) return;
    this.#written.delete(key);
    if (!written.isStale) this.#gone.set(key, written.stream.lastId);
    this.#change(key);
  }

  /** The local buffer had to give frames up for other streams. */
  makeRoom(key: string, isDropped: boolean): void {
    const written = this.#written.get(key);
    if (isDropped) this.#written.delete(key);
    if (isDropped && written?.isStale !== true) this.#removed.add(key);
    else if (written) this.#planTrim(key, written);
    this.#change(key);
  }

  /** Resolves once Redis has everything that was written until now, or cannot take it. */
  async settled(): Promise<void> {
    // Frames of this turn are taken at its end.
    await new Promise((resolve) => setImmediate(resolve));
    while (!this.#isClosed && (this.#changed.size > 0 || this.#sending !== undefined))
      await (this.#sending ?? this.#send());
  }

  /** Trims what is due in any case, without waiting for readers that might still need it. */
  trimNow(): void {
    this.#cancelTrim?.();
    this.#cancelTrim = undefined;
    for (const [key, trim] of this.#trims) {
      trim.isDue = true;
      this.#change(key);
    }
  }

  async close(): Promise<void> {
    await this.settled();
    this.#isClosed = true;
    this.#cancelTrim?.();
    this.#cancelRetry?.();
    this.#options.redis.release(this.#client);
  }

  #change(key: string): void {
    this.#changed.add(key);
    // Later in this turn, so that all streams that it changed share one pipeline.
    if (this.#sending === undefined) queueMicrotask(() => void this.#send());
  }

  #send(): Promise<void> {
    if (this.#isClosed || this.#changed.size === 0) return Promise.resolve();
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined;
      if (this.#changed.size > 0) queueMicrotask(() => void this.#send());
    });
    return this.#sending;
  }

  async #sendAll(): Promise<void> {
    while (this.#changed.size > 0 && this.#client.status === 'ready') {
      const keys = [...this.#changed];
      this.#changed.clear();
      await this.#findPlaces(keys);
      const pipeline = this.#client.pipeline();
      const steps: Step[] = [];
      for (const key of keys) this.#plan(key, { pipeline, steps });
      if (steps.length > 0) this.#note(keys, steps, await replies(() => pipeline.exec()));
    }
    // Nothing is sent before the connection is back, which looks at every stream again.
    if (this.#client.status !== 'ready') this.#changed.clear();
  }

  #plan(
    key: string,
    { pipeline, steps }: { pipeline: ReturnType<RedisClient['pipeline']>; steps: Step[] },
  ): void {
    const name = this.#nameOf(key);
    const written = this.#heldNow(key);
    const goneAt = this.#gone.get(key);
    const mark = (at: number, what: 'begin' | 'end' | 'gone', lifeMs: number, done: () => void): void => {
      pipeline.eval(markScript, 1, name, at, what, lifeMs);
      steps.push({
        written: written ?? null,
        done: (result) => {
          if (result === 0 && written) written.isStale = true;
          else done();
        },
      });
    };
    if (this.#removed.delete(key) && !written) {
      pipeline.del(name);
      steps.push({ written: null, done: () => undefined });
    }
    if (goneAt !== undefined) {
      this.#gone.delete(key);
      mark(goneAt, 'gone', openMs, () => undefined);
    }
    if (!written || written.isStale || written.isUnsure) return;
    if (written.beginsAt !== null) {
      const base = written.beginsAt;
      mark(base, 'begin', openMs, () => {
        if (written.beginsAt === base) written.beginsAt = null;
      });
    }
    const frames = written.tap.take(pipelineBytes);
    for (const frame of frames) {
      const max = readerGrace.times * this.#options.limits.framesPerRun;
      pipeline.xadd(name, 'MAXLEN', '~', max, `${frame.id}-0`, ...frameFields(frame));
      steps.push({ written, done: () => undefined });
      written.bytesSinceTrim += frame.sizeBytes;
    }
    const last = steps.at(-1);
    if (frames.length === 0) written.tap.confirm();
    else if (last) last.done = () => this.#confirm(key, written);
    if (!written.tap.hasAll()) this.#changed.add(key);
    else if (written.stream.state === 'ended' && !written.isEndSent) {
      written.isEndSent = true;
      mark(-1, 'end', Math.max(this.#options.limits.retentionMs, minEndedMs), () => undefined);
    }
    this.#planTrim(key, written);
    const trimTo = this.#dueTrim(key, written);
    if (trimTo === undefined) return;
    pipeline.xtrim(name, 'MINID', trimTo + 1);
    steps.push({ written, done: () => undefined });
  }

  /** When the local log drops an ended stream after its retention, Redis forgets it as well. */
  #heldNow(key: string): Written | undefined {
    const written = this.#written.get(key);
    if (written && this.#options.find(key) === written.stream) return written;
    if (this.#written.delete(key) && written?.isStale === false) this.#removed.add(key);
    this.#trims.delete(key);
    return undefined;
  }

  #confirm(key: string, written: Written): void {
    if (written.isUnsure || written.isStale) return;
    written.tap.confirm();
    this.#options.onCopied(key);
    this.#planTrim(key, written);
  }

  /** Readers elsewhere get the same time as readers here before frames beyond the limits go. */
  #planTrim(key: string, written: Written): void {
    const { missingUpTo } = written.stream;
    if (missingUpTo <= written.trimmedTo) return;
    written.trimmedTo = missingUpTo;
    this.#trims.set(key, { to: missingUpTo, isDue: this.#trims.get(key)?.isDue ?? false });
    this.#cancelTrim ??= this.#options.timer(() => this.trimNow(), readerGrace.forMs);
  }

  #dueTrim(key: string, written: Written): number | undefined {
    const trim = this.#trims.get(key);
    const isOver = written.bytesSinceTrim > readerGrace.times * this.#options.limits.bytesPerRun;
    if (!trim || !(trim.isDue || isOver)) return undefined;
    this.#trims.delete(key);
    written.bytesSinceTrim = 0;
    return trim.to;
  }

  #note(keys: readonly string[], steps: readonly Step[], answers: readonly Reply[] | Error): void {
    let fault: Error | undefined;
    for (const [index, { written, done }] of steps.entries()) {
      const [error, result] = Array.isArray(answers)
        ? (answers[index] ?? [null, null])
        : [answers as Error, null];
      if (!error) done(result);
      else if (stale.test(error.message) && written) written.isStale = true;
      else {
        fault = error;
        if (written) written.isUnsure = true;
      }
    }
    if (fault) this.#tryLater(keys, fault);
  }

  /** Asks for the newest entry of streams whose place is unknown, and goes on behind it. */
  async #findPlaces(keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      const written = this.#written.get(key);
      if (!written?.isUnsure) continue;
      const info = await this.#client.xinfo('STREAM', this.#nameOf(key)).catch((error: unknown) => error);
      if (info instanceof Error && !/no such key/.test(info.message)) this.#tryLater([key], info);
      else this.#goOn(written, info instanceof Error ? null : lastIdOf(info as unknown[]));
    }
  }

  #goOn(written: Written, lastId: number | null): void {
    const { stream, tap } = written;
    written.isUnsure = false;
    written.isEndSent = false;
    if (lastId === null) {
      // Redis was emptied. It gets what is here, which begins behind what is gone.
      written.beginsAt = stream.missingUpTo;
      tap.goBackTo(0);
    } else if (lastId > stream.lastId) written.isStale = true;
    else tap.goBackTo(lastId);
  }

  /** The connection is back: what Redis has of each stream has to be looked up. */
  #lookAgain(): void {
    for (const [key, written] of this.#written) {
      written.isUnsure = true;
      this.#change(key);
    }
  }

  #tryLater(keys: readonly string[], fault: Error): void {
    this.#options.redis.noteFault(fault);
    this.#cancelRetry ??= this.#options.timer(() => {
      this.#cancelRetry = undefined;
      for (const key of keys) this.#change(key);
      this.#lookAgain();
    }, retryMs);
  }

  #nameOf(key: string): string {
    return this.#options.redis.key('run', key);
  }
}

function lastIdOf(info: unknown[]): number {
  return readId(String(info[info.indexOf('last-generated-id') + 1])).frame;
}

async function replies(exec: () => Promise<Reply[] | null>): Promise<readonly Reply[] | Error> {
  try {
    return (await exec()) ?? new Error('The pipeline was dropped.');
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
