/**
 * How a fake worker goes wrong. `garbage`: answers that are no JSON. `hang`: never an answer. `trickle`: an answer that
 * never ends. `lost_response`: it takes a prompt, runs it and cuts the connection instead of answering. `deaf`: the event
 * socket is open and silent. `zombie`: it takes prompts and never runs them. `refuse`: 400 for every prompt. `stubborn`:
 * it runs on when it is interrupted. `stuck_output`: an output begins to arrive and never ends. `silent_history`: it says
 * that a run is over and never how it ended. `silent_prompt`: it takes a prompt, runs it and tells nobody,
 * neither in answer nor by an event. `silent_object_info`: it never says what it can run.
 * `password`: 401 for everything.
 */
export type FakeTrouble =
  | 'garbage'
  | 'hang'
  | 'trickle'
  | 'lost_response'
  | 'deaf'
  | 'zombie'
  | 'refuse'
  | 'stubborn'
  | 'stuck_output'
  | 'silent_history'
  | 'silent_prompt'
  | 'silent_object_info'
  | 'password';

export interface FakeBehaviour {
  /** From taking a run up to its end. */
  runMs: number;
  /** Of the one output file of each run; 0 for runs without outputs. */
  outputBytes: number;
  /** What the worker calls that file; null for a name of its own per run. */
  outputName: string | null;
  trouble: FakeTrouble | null;
  /** Its history forgets a run at once, as when somebody clears it. */
  forgetsRuns?: boolean;
  /** Somebody else's prompt comes in just before each prompt, and runs first. */
  hasRival?: boolean;
}

export interface FakeStats {
  port: number;
  accepted: number;
  /** How often somebody wanted to know what it can run. */
  objectInfoAsked: number;
  /** How often its queue was read. */
  asked: number;
  finished: number;
  duplicateIds: number;
  /** Most runs held at once, waiting or running; 1 for a dispatcher that keeps to depth 1. */
  mostHeld: number;
  /** When each prompt came in, in nanoseconds of the machine's monotonic clock; kept only while `keepsArrivals`. */
  arrivals: Record<string, string>;
}
