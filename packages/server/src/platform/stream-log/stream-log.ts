import type { StreamFrame } from './stream-frame.ts';

/**
 * The live frames of runs: ordered, bounded, and replayable while they are retained. Each key has one writer and any
 * number of readers. The log holds nothing that is not stored elsewhere; a reader that misses frames reloads the stored
 * state.
 */
export interface StreamLog {
  /**
   * Opens the stream of a key; ids continue from `base + 1`. A key that is open or ended continues after its existing
   * frames: `base` must not be below the last id.
   */
  begin(key: string, options: { base: number }): void;
  /** Takes a frame without waiting and returns its id. `data` is JSON text in one line. */
  append(key: string, event: string, data: string): number;
  /** The run is over: readers get the remaining frames, then the end. It may be called for a key that never began. */
  end(key: string): void;
  /** The run is not over, but its writer stops: readers are disconnected and retained frames are dropped. */
  abandon(key: string): void;
  /**
   * Returns whether a read would find a stream (open, or ended and still retained) instead of waiting for its
   * beginning.
   */
  has(key: string): Promise<boolean>;
  /** Returns whether the stream is there and has its end. */
  isEnded(key: string): Promise<boolean>;
  /** The keys of streams that readers of this process follow and that it does not write itself. */
  readonly followed: readonly string[];
  /**
   * Yields the frames after the id `after` (0: all of them), retained ones first, then live ones. It waits for a key
   * that has not begun. It returns at the end of the stream and when the signal aborts. It throws `StreamBroken` when
   * the stream stops before its run is over, or when the reader was so slow that frames which it needs were evicted.
   */
  read(key: string, options: ReadOptions): AsyncGenerator<StreamPart, void, undefined>;
  /**
   * Yields the frames that are retained now, after a gap if earlier ones are gone, and returns where `read` would wait. Frames that are
   * evicted meanwhile are left out. A log that has no connection has nothing.
   */
  retained(key: string): AsyncGenerator<StreamPart, void, undefined>;
  /** Disconnects every reader. */
  close(): Promise<void>;
}

export interface ReadOptions {
  after: number;
  signal: AbortSignal;
}

export type StreamPart =
  /** Contains at least one frame; together at most `partBytes`, unless it is a single frame. */
  | { type: 'frames'; frames: readonly StreamFrame[] }
  /**
   * Frames after `requested` are gone; the available ones begin at `earliest`. This is the first part of a read, or the
   * last one, before `StreamBroken`, when a reader is overtaken. The reader may continue after `earliest - 1`.
   */
  | { type: 'gap'; requested: number; earliest: number; latest: number };

/** Says why a stream stopped although its run continues. The reader may come back with the last id. */
export class StreamBroken extends Error {
  readonly reason: 'abandoned' | 'overtaken' | 'closed' | 'lost';

  constructor(reason: StreamBroken['reason']) {
    super(explanations[reason]);
    this.name = 'StreamBroken';
    this.reason = reason;
  }
}

const explanations = {
  abandoned: 'The stream was given up by its writer.',
  overtaken: 'The reader was too slow: frames that it needs are gone.',
  closed: 'The stream log has closed.',
  lost: 'The connection to the frames of another replica was lost.',
} as const;

export interface StreamLogLimits {
  framesPerRun: number;
  bytesPerRun: number;
  /** For all runs together. */
  bytes: number;
  /** The time for which the frames of a finished run are kept, for clients that reconnect. */
  retentionMs: number;
}

export const defaultStreamLogLimits: StreamLogLimits = {
  framesPerRun: 10_000,
  bytesPerRun: 16 * 1024 * 1024,
  bytes: 64 * 1024 * 1024,
  retentionMs: 120_000,
};

/**
 * A run may produce more in a moment than its limits hold. A reader that had everything until a moment ago is not slow.
 * The frames that it still needs are kept beyond the limits of the run, up to this many times, but never beyond the
 * limit of all runs.
 */
export const readerGrace = { forMs: 2_000, times: 4 } as const;

/** Maximum size of what one reader gets at once. */
export const partBytes = 64 * 1024;
