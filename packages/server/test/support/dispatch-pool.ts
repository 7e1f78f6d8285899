import { FakeWorker, type FakeWorkerOptions } from '@switchyard/dev-env/fake-worker';
import { type DevGateway, type GatewayOptions, startGateway } from '@switchyard/dev-env/gateway';
import { DispatchCaller } from './dispatch-caller.ts';

interface PoolOptions extends Pick<GatewayOptions, 'home' | 'config' | 'executionTimeouts'> {
  /** One entry per worker. */
  workers?: FakeWorkerOptions[];
}

/** A gateway in front of fake workers, with its administrator and one user. */
export interface DispatchPool {
  gateway: DevGateway;
  admin: DispatchCaller;
  user: DispatchCaller;
  workers: FakeWorker[];
  /** Stops the gateway and starts another one in its home; users sign in again. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Checks often and waits long. A test shortens only the time that it wants to see end, so that a slow machine ends
 * nothing else.
 */
export const watchful = { pollMs: 200, pollUnheardMs: 50, reconcileMs: 50 };

/** The execution on a fake worker with these options lasts until the test calls `finishRun()`. */
export const held = { runMs: 3_600_000 };

export async function startPool({
  workers: wanted = [{}],
  ...options
}: PoolOptions = {}): Promise<DispatchPool> {
  const gateway = await startGateway(options);
  const workers = await Promise.all(wanted.map((worker) => FakeWorker.start(worker)));
  const admin = await DispatchCaller.initialize(gateway.url);
  const user = await DispatchCaller.register(gateway.url, 'user@example.com');
  await admin.useWorkers(workers.map(({ port }) => port));
  const pool: DispatchPool = {
    gateway,
    admin,
    user,
    workers,
    restart: async () => {
      await pool.gateway.stop();
      pool.gateway = await startGateway(options);
      const { url } = pool.gateway;
      pool.admin = await DispatchCaller.login(url, 'admin@example.com');
      pool.user = await DispatchCaller.login(url, 'user@example.com');
    },
    close: async () => {
      await pool.gateway.stop();
      await Promise.all(workers.map((worker) => worker.close()));
    },
  };
  return pool;
}

/** A workflow that every fake worker accepts. */
export const anyWorkflow = {
  '1': { class_type: 'EmptyImage', inputs: { width: 16, height: 16, batch_size: 1, color: 0 } },
  '2': { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: 'x' } },
};
