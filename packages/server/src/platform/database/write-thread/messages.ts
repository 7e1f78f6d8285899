import type { Call } from '../procedure.ts';
import type { WireError } from './wire-error.ts';

/** What the thread is started with. */
export interface ThreadData {
  file: string;
}

/** A unit that is to be written. */
export interface UnitMessage {
  id: number;
  calls: readonly Call[];
}

/** What became of the units of a group. */
export type OutcomesMessage = WireOutcome[];

export interface WireOutcome {
  id: number;
  /** What the calls have answered. Beside a failure: the commit has failed. */
  result?: unknown;
  failure?: WireError;
}
