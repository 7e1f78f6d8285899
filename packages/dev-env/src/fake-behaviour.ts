/**
 * How a fake worker goes wrong. `garbage`: answers that are not JSON. `hang`: never an answer. `trickle`: an answer
 * that never ends. `lost_response`: it takes a prompt, runs it and cuts the connection instead of answering. `deaf`:
 * the event socket is open and silent. `zombie`: it takes prompts and never runs them. `refuse`: 400 for every prompt.
 * `gateway_timeout`: it takes a prompt, runs it, and a proxy in front of it answers 504. `bad_gateway`: a proxy answers 502
 * for everything.
 * `stubborn`: it runs on when it is interrupted. `stuck_upload`: it takes an input file and
 * never answers. `stuck_output`: an output begins to arrive and never ends.
 * `silent_history`: it reports the end of a run and never its result. `silent_prompt`: it takes a prompt and runs it,
 * but sends no answer and no event. `silent_object_info`: it never says what it can run. `password`: 401 for
 * everything.
 */
export type FakeTrouble =
  | 'garbage'
  | 'hang'
  | 'trickle'
  | 'lost_response'
  | 'gateway_timeout'
  | 'bad_gateway'
  | 'deaf'
  | 'zombie'
  | 'refuse'
  | 'stubborn'
  | 'stuck_upload'
  | 'stuck_output'
  | 'silent_history'
  | 'silent_prompt'
  | 'silent_object_info'
  | 'password';

export interface FakeBehaviour {
  /** The time from the start of a run to its end. */
  runMs: number;
  /** The size of the one output file of each run; 0 for runs without outputs. */
  outputBytes: number;
  /** The name of that file; null for a different name in each run. */
  outputName: string | null;
  trouble: FakeTrouble | null;
  /** Larger input files and prompts are refused with 413. */
  maxUploadBytes?: number;
  /** `/features` does not name that limit, as on an older server. */
  hidesUploadLimit?: boolean;
  /** Its history forgets a run at once, as when somebody clears it. */
  forgetsRuns?: boolean;
  /** Another client's prompt arrives just before each prompt, and runs first. */
  hasRival?: boolean;
  /** Sends the frames of a genuine server: the state of all nodes at each step, the steps of a sampler, previews. */
  isLifelike?: boolean;
}

export interface FakeStats {
  port: number;
  accepted: number;
  /** The number of times that clients asked for its node classes. */
  objectInfoAsked: number;
  /** The number of prompts that it was sent, with those that it has refused. */
  prompts: number;
  /** The number of input files that it was sent. */
  uploads: number;
  /** The number of times that its queue was read. */
  asked: number;
  finished: number;
  duplicateIds: number;
  /** The maximum number of runs held at once, waiting or running; 1 for a dispatcher that keeps to depth 1. */
  maxHeld: number;
  /** When each prompt came in, in nanoseconds of the machine's monotonic clock; kept only while `keepsArrivals`. */
  arrivals: Record<string, string>;
}
