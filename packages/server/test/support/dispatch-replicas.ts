import { FakeWorker, type FakeWorkerOptions } from '@switchyard/dev-env/fake-worker';
import type { ConfigOverrides } from '@switchyard/dev-env/gateway';
import { DispatchCaller } from './dispatch-caller.ts';
import { watchful } from './dispatch-pool.ts';
import { type Replicas, startReplicas } from './replicas.ts';

interface DispatchReplicasOptions {
  /** One entry per worker. */
  workers?: FakeWorkerOptions[];
  config?: ConfigOverrides;
}

/** Replicas in front of the same workers. The first one is the dispatcher. */
export interface DispatchReplicas extends Replicas {
  /** The administrator and a user, signed in at each replica. */
  admins: DispatchCaller[];
  users: DispatchCaller[];
  workers: FakeWorker[];
}

export async function startDispatchReplicas(
  count: number,
  { workers: wanted = [{}], config = {} }: DispatchReplicasOptions = {},
): Promise<DispatchReplicas> {
  const replicas = await startReplicas(count, config, { executionTimeouts: watchful });
  const workers = await Promise.all(wanted.map((worker) => FakeWorker.start(worker)));
  const { gateways } = replicas;
  const [first] = gateways;
  if (!first) throw new Error('At least one replica is needed.');
  const admin = await DispatchCaller.initialize(first.url);
  const user = await DispatchCaller.register(first.url, 'user@example.com');
  await admin.useWorkers(workers.map(({ port }) => port));
  return {
    ...replicas,
    admins: gateways.map(({ url }) => admin.at(url)),
    users: gateways.map(({ url }) => user.at(url)),
    workers,
    stop: async () => {
      await replicas.stop();
      await Promise.all(workers.map((worker) => worker.close()));
    },
  };
}
