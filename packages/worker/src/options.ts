/** The limits of a worker, each next to its reason. */
export interface WorkerLimits {
  /** The limit of every request body, like ComfyUI's `--max-upload-size` (100 MB there too). `/features` reports it. */
  maxUploadBytes: number;
  /** ComfyUI's MAX_RESOLUTION: the limit of every width, height and offset input. */
  maxSide: number;
  /** One frame: 64 megapixels are 192 MB of raw RGB. */
  maxFramePixels: number;
  /** The total of all frames of one value, counted as if none were shared. */
  maxBatchPixels: number;
  maxBatchFrames: number;
  /** The number of waiting prompts. ComfyUI has no limit and runs out of memory. */
  maxQueue: number;
  maxGraphNodes: number;
  /** The same number as in ComfyUI. Each entry keeps its whole graph, so the bytes have a limit too. */
  maxHistoryEntries: number;
  maxHistoryBytes: number;
  /** The outputs of unchanged nodes that are kept for the next prompt. */
  maxCacheBytes: number;
  maxSockets: number;
  /** A socket whose unread data exceeds this size is closed. */
  maxSocketBufferBytes: number;
}

export const defaultLimits: WorkerLimits = {
  maxUploadBytes: 100 * 1024 * 1024,
  maxSide: 16_384,
  maxFramePixels: 64_000_000,
  maxBatchPixels: 128_000_000,
  maxBatchFrames: 4096,
  maxQueue: 1000,
  maxGraphNodes: 2000,
  maxHistoryEntries: 10_000,
  maxHistoryBytes: 64 * 1024 * 1024,
  maxCacheBytes: 512 * 1024 * 1024,
  maxSockets: 256,
  maxSocketBufferBytes: 16 * 1024 * 1024,
};

export interface WorkerOptions {
  /** Everything that the worker writes is below it: input, output, temp, worker.json. */
  dir: string;
  /**
   * 0 takes any free port. When absent: the port of the last start in this directory, otherwise the first free one from
   * 8199.
   */
  port?: number;
  host?: string;
  /** The minimum time of each node, spread over its ticks, so that a person can watch a prompt. */
  paceMs?: number;
  /** Opens `/reference/faults`: lets a caller on loopback break this worker on purpose. For tests only. */
  faultRoutes?: boolean;
  /**
   * When absent, the worker never ends by itself. Otherwise it wants to end when no gateway has called it for this
   * long.
   */
  exitWhenOrphanedForMs?: number;
  /**
   * Called when the worker is orphaned, or stopped by `/reference/stop`. The code that started the worker closes it.
   */
  onEnd?: (reason: 'orphaned' | 'told') => void;
  limits?: Partial<WorkerLimits>;
  /** Receives internal failures; by default they are not written anywhere. */
  log?: (line: string) => void;
}
