/** What a worker may take before it says no. Each figure stands next to its reason. */
export interface WorkerLimits {
  /** Every request body, as ComfyUI's `--max-upload-size` (100 MB there too); `/features` reports it. */
  maxUploadBytes: number;
  /** ComfyUI's MAX_RESOLUTION: the bound of every width, height and offset input. */
  maxSide: number;
  /** One frame: 64 megapixels are 192 MB of raw RGB. */
  maxFramePixels: number;
  /** All frames of one value together, counted as if none were shared. */
  maxBatchPixels: number;
  maxBatchFrames: number;
  /** Prompts waiting. ComfyUI has no bound and dies of it. */
  maxQueue: number;
  maxGraphNodes: number;
  /** As ComfyUI; each entry keeps its whole graph, so bytes are bounded too. */
  maxHistoryEntries: number;
  maxHistoryBytes: number;
  /** Outputs of unchanged nodes that are kept for the next prompt. */
  maxCacheBytes: number;
  maxSockets: number;
  /** A socket that reads slower than this much is cut. */
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
  /** Everything that the worker writes lies below it: input, output, temp, worker.json. */
  dir: string;
  /** 0 takes any free port. Absent: the port of the last start in this directory, else the first free one from 8199. */
  port?: number;
  host?: string;
  /** Least time that each node takes, spread over its ticks, so that a run can be watched. */
  paceMs?: number;
  /** Opens `/reference/faults`: lets a caller on loopback break this worker on purpose. For tests only. */
  faultRoutes?: boolean;
  /** Absent: the worker never ends by itself. Otherwise it wants to after not having heard of a gateway for this long. */
  exitWhenOrphanedForMs?: number;
  /** Orphaned, or told to end by `/reference/stop`: whoever started the worker closes it. */
  onEnd?: (reason: 'orphaned' | 'told') => void;
  limits?: Partial<WorkerLimits>;
  /** What an internal failure is told to; by default nothing is written anywhere. */
  log?: (line: string) => void;
}
