import type { DueJob } from './job-store.ts';

/** What one look at the rows has found for all kinds. */
export interface Swept {
  /** Jobs are due earlier than they were. */
  hasMoved: boolean;
  /** The jobs of this kind that are due soon; undefined when there were too many for one look. */
  dueSoon: readonly DueJob[] | undefined;
}

/** All jobs of one kind in this process, and the way in which it learns that one is due. */
export interface JobLane {
  start(): Promise<void>;
  /** The job is part of a unit that may be committed. */
  remember(id: string): void;
  /** A job may be due. */
  wake(): void;
  /** Looks for what no wake leads to. Never rejects. */
  sweep(found: Swept): Promise<void>;
  /** Takes no new jobs, and resolves when the running ones have ended. */
  stop(): Promise<void>;
  abort(): void;
  /** Resolves when others know what this process has done. */
  settled(): Promise<void>;
  /** Leaves behind what still runs. */
  close(): Promise<void>;
}
