import type { DispatchParts } from '../dispatch-parts.ts';
import type { Configuration } from '../instances/configuration.ts';
import { FleetJournal } from '../instances/fleet-journal.ts';
import type { InstanceEventStore } from '../instances/instance-event-store.ts';
import type { InstanceRow, InstanceStore } from '../instances/instance-store.ts';
import type { NodeInputStore } from '../instances/node-input-store.ts';
import type { ObjectInfoStore } from '../instances/object-info-store.ts';
import { workerAddress } from '../instances/worker-address.ts';
import type { Webhooks } from '../webhooks/webhooks.ts';
import { ComfyuiClient } from '../worker-client/comfyui/comfyui-client.ts';
import { Fleet, type FleetOptions } from './fleet.ts';
import type { MemberAttemptDeps } from './fleet-member.ts';
import { InstanceMetrics } from './instance-metrics.ts';
import { Instances } from './instances.ts';

const defaultProbeTimeoutSeconds = 2;

type FleetParts = Pick<
  DispatchParts,
  'events' | 'audit' | 'metrics' | 'traces' | 'clock' | 'steadyClock' | 'log' | 'options'
> &
  Pick<FleetOptions, 'tasks' | 'matchmaker' | 'pauses' | 'elsewhere'> &
  Pick<MemberAttemptDeps, 'attempts' | 'marks' | 'workerNames' | 'timeouts'> & {
    instanceStore: InstanceStore;
    instanceEvents: InstanceEventStore;
    nodeInputs: NodeInputStore;
    objectInfos: ObjectInfoStore;
    configuration: Configuration;
    files: MemberAttemptDeps['files'] & Pick<MemberAttemptDeps, 'insertKept'>;
    webhooks: Pick<Webhooks, 'enqueue'>;
  };

/** The instances of this process, what is recorded about them, and what clients may do with them. */
export function createFleet(parts: FleetParts) {
  const { instanceStore, instanceEvents, nodeInputs, configuration, files, webhooks, timeouts } = parts;
  const { events, audit, clock, log } = parts;
  const instanceMetrics = new InstanceMetrics(parts.metrics);
  const { count, countUnrecorded } = instanceMetrics;
  const journal = new FleetJournal({ store: instanceEvents, count, countUnrecorded, clock, log });
  const fleet = new Fleet({
    ...parts,
    store: instanceStore,
    journal,
    attemptDeps: {
      ...parts,
      journal,
      insertKept: (output) => files.insertKept(output),
      addCalls: (trx, task) => webhooks.enqueue(trx, task),
    },
    healthCheck: () => configuration.current.healthCheck,
    patienceOf: ({ serverId }) => {
      const server = configuration.current.servers.find(({ id }) => id === serverId);
      return server?.patience ?? null;
    },
    newClient: (row, onEvent) =>
      new ComfyuiClient({
        ...connectionTo(row, configuration),
        askTimeoutMs: timeouts.askMs,
        clientId: row.clientId,
        proxies: parts.options.workerProxies,
        onEvent,
      }),
    connectionOf: (row) => JSON.stringify(connectionTo(row, configuration)),
    learnInputs: (inputs) => nodeInputs.learn(inputs),
    learnNodes: (instanceId, told) => parts.objectInfos.learn(instanceId, told),
  });
  configuration.onChange(() => fleet.apply());
  parts.pauses.onChange(() => fleet.reconsider());
  instanceMetrics.watch(fleet);
  const instances = new Instances({ store: instanceStore, instanceEvents, fleet, events, audit });
  return { fleet, journal, instances };
}

function connectionTo(row: InstanceRow, { current }: Configuration) {
  return {
    address: workerAddress(row, current),
    probeTimeoutMs: (current.healthCheck.timeout ?? defaultProbeTimeoutSeconds) * 1000,
  };
}
