import type { CancelAction } from '@switchyard/contract/conversation/run';

/** The reason with which the signal of a run aborts: how the run must end. */
export type StopKind =
  | { kind: 'cancelled'; action: CancelAction }
  | { kind: 'timeout'; limitMs: number }
  /** Another process owns the run, or may soon own it: this one writes nothing any more. */
  | { kind: 'lost' }
  /** The gateway shuts down: the next process continues from the last checkpoint. */
  | { kind: 'released' };

export class RunStop extends Error {
  readonly how: StopKind;

  constructor(how: StopKind) {
    super(explanations[how.kind]);
    this.name = 'RunStop';
    this.how = how;
  }
}

const explanations = {
  cancelled: 'The run was cancelled.',
  timeout: 'The run took longer than it may.',
  lost: 'The run belongs to another process.',
  released: 'The gateway is shutting down.',
} as const;
