import type { Instance } from '@switchyard/contract/dispatch/instance';
import type { Settings } from '@switchyard/contract/dispatch/settings';
import type { TaskRow } from './task-store.ts';

/** Everything that happens in the area, announced after it is on disk. */
export type DispatchEvent =
  | { type: 'task_created'; task: TaskRow }
  | { type: 'task_started'; task: TaskRow }
  | { type: 'task_progress'; taskId: string; owner: string; requestId: string | null; progress: TaskProgress }
  | { type: 'task_requeued'; task: TaskRow }
  | { type: 'task_ended'; task: TaskRow }
  | { type: 'task_preview'; taskId: string; owner: string; preview: TaskPreview }
  | { type: 'instance_changed'; instance: Instance }
  | { type: 'instance_removed'; instanceId: string }
  | { type: 'settings_changed'; settings: Settings };

export interface TaskProgress {
  progress: number;
  node?: string;
  step?: number;
  steps?: number;
}

export interface TaskPreview {
  node?: string;
  mediaType: string;
  bytes: Uint8Array;
}

type Listener = (event: DispatchEvent) => void;

/**
 * The one place that every change passes: push, waiting callers, monitoring and webhooks all listen here. A listener
 * returns at once; one that throws is reported and never holds up the others.
 */
export class DispatchEvents {
  private readonly listeners = new Set<Listener>();
  private readonly reportFault: (error: unknown, event: DispatchEvent) => void;

  constructor(reportFault: (error: unknown, event: DispatchEvent) => void) {
    this.reportFault = reportFault;
  }

  listen(listener: Listener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  announce(event: DispatchEvent): void {
    for (const listener of this.listeners) {
      try {
        listener(event);
      } catch (error) {
        this.reportFault(error, event);
      }
    }
  }
}
