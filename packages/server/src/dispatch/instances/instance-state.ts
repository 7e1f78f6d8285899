import type { InstanceState, WorkerReport } from '@switchyard/contract/dispatch/instance';
import type { Wording } from '@switchyard/contract/sentences/sentences';

/** The facts that the monitor of an instance knows at this moment. */
export interface LiveInstance extends WorkerReport {
  alive: boolean;
  /** A first probe has been answered or has failed. */
  isProbed: boolean;
  hasCapabilities: boolean;
  lastHeartbeatMs: number | null;
  /** Prompts that run and wait on the worker, from all clients. */
  queueRemaining: number | null;
  currentTaskId: string | null;
  /** Its last execution hung: it gets no task until it shows that it works again. */
  suspicion: Wording | null;
  lastError: Wording | null;
}

export const unknownInstance: LiveInstance = {
  alive: false,
  isProbed: false,
  hasCapabilities: false,
  lastHeartbeatMs: null,
  version: null,
  devices: [],
  queueRemaining: null,
  currentTaskId: null,
  suspicion: null,
  lastError: null,
};

/** An instance is also busy while another client uses the worker. */
export function isBusy(live: LiveInstance): boolean {
  return live.currentTaskId !== null || (live.alive && (live.queueRemaining ?? 0) > 0);
}

/** Returns why the state of the worker does not allow giving it a task now. The first condition that holds decides. */
export function whyNotReady({
  isProbed,
  alive,
  suspicion,
  hasCapabilities,
  queueRemaining,
}: LiveInstance): 'checking' | 'unreachable' | 'suspect' | 'used_by_others' | null {
  if (!isProbed) return 'checking';
  if (!alive) return 'unreachable';
  if (suspicion !== null) return 'suspect';
  if (!hasCapabilities || queueRemaining === null) return 'checking';
  return queueRemaining === 0 ? null : 'used_by_others';
}

/** One word for people. The first condition that holds decides. */
export function stateOf(live: LiveInstance, isEnabled: boolean): InstanceState {
  if (!isEnabled) return live.currentTaskId === null ? 'off' : 'draining';
  if (!live.isProbed) return 'checking';
  if (!live.alive) return 'unreachable';
  if (live.suspicion !== null) return 'suspect';
  if (isBusy(live)) return 'busy';
  return live.hasCapabilities ? 'idle' : 'checking';
}
