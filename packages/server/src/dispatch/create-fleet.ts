import { steadyClock } from '../lib/clock.ts';
import type { DispatchDependencies } from './create-dependencies.ts';
import type { Records } from './create-records.ts';
import { Fleet } from './fleet/fleet.ts';
import type { Configuration } from './instances/configuration.ts';
import type { InstanceRow } from './instances/instance-store.ts';
import { workerAddress } from './instances/worker-address.ts';
import type { DispatchOrders } from './replicas/dispatch-orders.ts';
import { InstancesElsewhere } from './replicas/replicas.ts';
import { ComfyuiClient } from './worker-client/comfyui/comfyui-client.ts';

const defaultProbeTimeoutSeconds = 2;

export function createFleet(
  { workerNames, clock, log }: DispatchDependencies,
  {
    records,
    configuration,
    orders,
  }: { records: Records; configuration: Configuration; orders: DispatchOrders | null },
): Fleet {
  const { events, store, attempts, marks, files, journal, timeouts, webhooks, nodeInputs } = records;
  return new Fleet({
    store: records.instanceStore,
    tasks: store,
    elsewhere: orders && new InstancesElsewhere(orders),
    matchmaker: records.matchmaker,
    pauses: records.pauses,
    events,
    journal,
    attemptDeps: {
      tasks: store,
      attempts,
      marks,
      files,
      workerNames,
      events,
      journal,
      clock,
      steadyClock,
      timeouts,
      insertKept: (trx, output) => files.insertKept(trx, output),
      withEnd: (trx, task) => webhooks.enqueue(trx, task),
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
        onEvent,
      }),
    connectionOf: (row) => JSON.stringify(connectionTo(row, configuration)),
    learnInputs: (inputs) => nodeInputs.learn(inputs),
    learnObjectInfo: (instanceId, objectInfo) => records.objectInfos.learn(instanceId, objectInfo),
    clock,
    steadyClock,
    log,
  });
}

function connectionTo(row: InstanceRow, { current }: Configuration) {
  return {
    address: workerAddress(row, current),
    probeTimeoutMs: (current.healthCheck.timeout ?? defaultProbeTimeoutSeconds) * 1000,
  };
}
