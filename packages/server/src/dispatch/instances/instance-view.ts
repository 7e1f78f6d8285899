import type { Instance, WorkerSystem } from '@switchyard/contract/dispatch/instance';
import { textOf } from '@switchyard/contract/sentences/sentences';
import { toIso } from '../../lib/clock.ts';
import { sentencesColumn, storedSentences } from '../stored-sentences.ts';
import { isBusy, type LiveInstance, stateOf } from './instance-state.ts';
import type { InstanceRow } from './instance-store.ts';

/** The record as clients see it: the row, plus the live state when its runner is in this process. */
export function viewInstance(row: InstanceRow, live: LiveInstance | null): Instance {
  const now = live ? { ...row, ...columnsOf(row, live) } : row;
  const state = row.removed === 1 ? 'draining' : now.state;
  return {
    id: now.id,
    serverId: now.serverId,
    serverName: now.serverName,
    ip: now.ip,
    port: now.port,
    enabled: now.enabled === 1 && row.removed === 0,
    alive: now.alive === 1,
    busy: now.busy === 1,
    lastHeartbeat: now.lastHeartbeat,
    kind: now.kind,
    tags: JSON.parse(now.tags) as string[],
    draining: state === 'draining',
    state,
    queueRemaining: now.queueRemaining,
    currentTaskId: now.currentTaskId,
    version: now.version,
    devices: JSON.parse(now.devices) as Instance['devices'],
    ...(now.system !== null && { system: JSON.parse(now.system) as WorkerSystem }),
    lastError: now.lastError,
    lastErrorSentences: storedSentences(now.lastError, now.lastErrorSentences),
    since: now.since,
  };
}

/** The part of the live state that is stored in the row, so that any replica can show it, also after a restart. */
export function columnsOf(row: Pick<InstanceRow, 'enabled' | 'removed'>, live: LiveInstance) {
  return {
    alive: live.alive ? 1 : 0,
    busy: isBusy(live) ? 1 : 0,
    state: stateOf(live, row.enabled === 1 && row.removed === 0),
    lastHeartbeat: live.lastHeartbeatMs === null ? null : toIso(live.lastHeartbeatMs),
    queueRemaining: live.queueRemaining,
    currentTaskId: live.currentTaskId,
    version: live.version,
    devices: JSON.stringify(live.devices),
    system: live.system ? JSON.stringify(live.system) : null,
    lastError: live.lastError && textOf(live.lastError),
    lastErrorSentences: sentencesColumn(live.lastError),
  };
}
