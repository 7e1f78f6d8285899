import type { StreamFrame } from './stream-frame.ts';

/**
 * The live frames of runs: ordered, replayable while they are retained, bounded. One writer a key, any number of
 * readers. It holds nothing that is not stored elsewhere; who misses frames reloads the stored state.
 */
export interface StreamLog {
  /**
   * Opens the stream of a key; ids go on from `base + 1`. On a key that is open or ended it goes on after what is there:
   * `base` is then not below the last id.
   */
  begin(key: string, options: { base: number }): void;
  /** Takes a frame without waiting and answers its id. `data` is JSON text in one line. */
  append(key: string, event: string, data: string): number;
  /** The run is over: readers get what is left, then the end. Also right for a key that never began. */
  end(key: string): void;
  /** The run is not over, but its writer stops here: readers are broken off and what was retained is dropped. */
  abandon(key: string): void;
  /** Whether a read would find something (open, or ended and still retained) instead of waiting for the beginning. */
  has(key: string): Promise<boolean>;
  /**
   * The frames after the id `after` (0: all of them), retained ones first, then live ones. A key that has not begun is
   * waited for. Returns at the end of the stream and when the signal aborts; throws `StreamBroken` when the stream stops
   * before its run is over, or when the reader was so slow that frames which it needs were evicted.
   */
  read(key: string, options: ReadOptions): AsyncGenerator<StreamPart, void, undefined>;
  /** Breaks every reader off. */
  close(): Promise<void>;
}

export interface ReadOptions {
  after: number;
  signal: AbortSignal;
}

export type StreamPart =
  /** At least one; together at most `partBytes`, unless it is a single frame. */
  | { type: 'frames'; frames: readonly StreamFrame[] }
  /**
   * Frames after `requested` are gone; what is there begins at `earliest`. Comes as the first part of a read, and as the
   * last one, before `StreamBroken`, when a reader is overtaken. Who has seen it goes on after `earliest - 1`.
   */
  | { type: 'gap'; requested: number; earliest: number; latest: number };

/** Why a stream stopped although its run goes on. Whoever read it may come back with the last id. */
export class StreamBroken extends Error {
  readonly reason: 'abandoned' | 'overtaken' | 'closed';

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
} as const;

export interface StreamLogLimits {
  framesPerRun: number;
  bytesPerRun: number;
  /** In all runs together. */
  bytes: number;
  /** Frames of a finished run are kept as long, for clients that reconnect. */
  retentionMs: number;
}

export const defaultStreamLogLimits: StreamLogLimits = {
  framesPerRun: 10_000,
  bytesPerRun: 16 * 1024 * 1024,
  bytes: 128 * 1024 * 1024,
  retentionMs: 120_000,
};

/**
 * A run may make more in a moment than its limits hold. A reader that had everything up to a moment ago is no slow one: what
 * it still needs is kept beyond the limits of the run, up to this many times, but never beyond that of all runs.
 */
export const readerGrace = { forMs: 2_000, times: 4 } as const;

/** What one reader is handed at once. */
export const partBytes = 64 * 1024;
