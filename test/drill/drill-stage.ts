import { setTimeout as sleep } from 'node:timers/promises';
import type { SystemReport } from '@switchyard/contract/system';
import { type Cluster, type ClusterOptions, type Replica, startCluster } from '@switchyard/dev-env/cluster';
import { type FakeFleet, startFakeFleet } from '@switchyard/dev-env/fake-fleet';
import { HttpSession } from '@switchyard/dev-env/http-session';
import { testNginx } from '@switchyard/dev-env/nginx';
import { testPostgres } from '@switchyard/dev-env/postgres';
import { testRedis } from '@switchyard/dev-env/redis';
import { CloseStack } from '@switchyard/server/lib/close-stack';
import type { Database } from '@switchyard/server/platform/database/database';
import { openDatabase } from '@switchyard/server/platform/database/open';
import { Line } from '../chaos/conversation-client.ts';
import { DispatchClient } from '../chaos/dispatch-client.ts';
import { chatAgent, nodeClasses } from '../chaos/talks.ts';
import { readCredentials } from '../e2e/credentials-file.ts';

export const outputBytes = 500;
/** Some prompts end at once, and some still run when another replica has taken over. */
const workerRunsMs = [20, 50, 100, 300, 900, 2_500];

interface Need {
  title: string;
  isSkipped: boolean;
}

/** A drill needs all three servers, and what it names itself. In CI it fails without them. */
export function testDrill(title: string, ...more: ((title: string) => Need)[]): Need {
  const needed = [testPostgres, testRedis, testNginx, ...more].map((need) => need(title));
  return needed.find((each) => each.title !== title) ?? { title, isSkipped: false };
}

/** Three replicas behind nginx, workers, and clients that know nothing but the address of nginx. */
export interface Stage {
  cluster: Cluster;
  fleet: FakeFleet;
  tasks: DispatchClient;
  line: Line;
  admin: HttpSession;
  /** A connection of the drill's own, for looking at the rows. */
  database: Database<unknown>;
  stop(): Promise<void>;
}

export async function openStage({
  env,
  ...options
}: Omit<Partial<ClusterOptions>, 'port'> = {}): Promise<Stage> {
  const opened = new CloseStack();
  const stop = (): Promise<void> => opened.close();
  try {
    const fleet = await startFakeFleet(workerRunsMs.length, {
      outputBytes,
      keepsArrivals: true,
      nodeClasses,
    });
    opened.add(() => fleet.close());
    for (const [index, port] of fleet.ports.entries())
      await fleet.behave({ runMs: workerRunsMs[index] ?? 0 }, port);
    const cluster = await startCluster({
      replicas: 3,
      ...options,
      env: {
        SWITCHYARD__DISPATCH__WORKERS: fleet.ports.map((port) => `127.0.0.1:${port}`).join(','),
        SWITCHYARD__AGENTS: `chat=${chatAgent}:graph`,
        ...env,
      },
    });
    opened.add(() => cluster.stop());
    const database = await openDatabase({ backend: 'postgres', url: cluster.databaseUrl, poolSize: 2 });
    opened.add(() => database.close());
    const tasks = await DispatchClient.register(cluster.url);
    return {
      cluster,
      fleet,
      tasks,
      line: await Line.register(cluster.url, 'talker@example.com'),
      admin: await HttpSession.login(cluster.url, readCredentials(cluster.sharedHome)),
      database,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Returns the replica that holds a lease, as the replicas say themselves. Asks again while none does. */
export async function holderOf({ cluster, admin }: Stage, key: string): Promise<Replica> {
  for (;;) {
    for (const replica of cluster.replicas) {
      const { data } = await admin.at(replica.url).get<{ data: SystemReport }>('/api/system');
      const own = data.replicas.find(({ isThis }) => isThis);
      if (own?.holds.some((lease) => lease.key === key)) return replica;
    }
    await sleep(100);
  }
}

/** The last lines of every replica, for a drill that fails. */
export function outputs(replicas: readonly Replica[]): string {
  return replicas.map((replica) => `── ${replica.name}\n${replica.output().slice(-4_000)}`).join('\n');
}
