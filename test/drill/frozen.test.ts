import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StreamingClient } from '../chaos/conversation-client.ts';
import { startTalks, type Talk } from '../chaos/talks.ts';
import { checkAll, inTime, settle } from './drill-checks.ts';
import { holderOf, openStage, type Stage, testDrill } from './drill-stage.ts';

const drill = testDrill('a replica that stands still');
/** Longer than the life of a lease. The whole drill takes the minute of an operator who looks at a machine that hangs. */
const frozenMs = Number(process.env.DRILL_FROZEN_MS ?? 15_000);
const workflow = {
  '1': { class_type: 'EmptyImage', inputs: { width: 16, height: 16, batch_size: 1, color: 0 } },
  '2': { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: 'frozen' } },
};

describe.skipIf(drill.isSkipped)(drill.title, () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage();
  });
  afterAll(() => stage?.stop());

  it('as the dispatcher is followed by another, and what it writes when it comes back is refused', async () => {
    const { cluster, tasks } = stage;
    const dispatcher = await inTime(stage, 'No replica is the dispatcher', holderOf(stage, 'dispatch'));
    const other = cluster.replicas.find((replica) => replica !== dispatcher);
    if (!other) throw new Error('There are three replicas.');
    const before = await leaseOf('dispatch');
    tasks.url = other.url;
    for (let count = 0; count < 12; count += 1) await tasks.submit(workflow);
    const thawed = freeze(dispatcher);
    try {
      await expect.poll(async () => (await leaseOf('dispatch')).token).toBeGreaterThan(before.token);
      for (let count = 0; count < 12; count += 1) await tasks.submit(workflow);
      await expect.poll(endedTasks).toBeGreaterThan(12);
    } finally {
      await thawed();
    }
    await expect.poll(() => dispatcher.output()).toContain('this replica is not the dispatcher any more');
    await settle(stage);
    await checkAll(stage, { talks: [], inversions: 0 });
    tasks.url = cluster.url;
  });

  it('as the owner of runs loses them to another, and neither its events nor its frames are taken any more', async () => {
    const { cluster, line } = stage;
    const talks = await talksAt(cluster.replicas.at(-1)?.url ?? '');
    const talking = Promise.all(talks.map(({ client, body }) => client.converse(body)));
    // The first pieces of its answer, long before the run ends.
    while (talks.some(({ client }) => client.pieces.size === 0)) await sleep(5);
    const owner = await inTime(stage, 'No replica owns the runs', holderOf(stage, await leaseOfRuns(talks)));
    const thawed = freeze(owner);
    // Clients that hear nothing for so long connect elsewhere.
    line.connect(cluster.url);
    for (const { client } of talks) client.breakOff();
    try {
      // Another replica takes its runs over, and goes on with them for a while beside the owner that stands still.
      await expect.poll(laterAttempts).toBeGreaterThan(0);
    } finally {
      await thawed();
    }
    await inTime(stage, 'Not every stream has ended', talking);
    await settle(stage);
    await checkAll(stage, { talks, inversions: 0 });
  });

  /** Lets it stand still at once. What it returns lets it go on, but not before its time is over. */
  function freeze(replica: Stage['cluster']['replicas'][number]): () => Promise<void> {
    const over = sleep(frozenMs);
    replica.signal('SIGSTOP');
    return async () => {
      await over;
      replica.signal('SIGCONT');
    };
  }

  /** Talks that the replica at this address begins, since it has room for them. */
  async function talksAt(url: string): Promise<Talk[]> {
    const { line } = stage;
    line.connect(url);
    // The first four share a thread, so that they would run one after the other.
    const talks = (await startTalks(line, 8)).slice(4);
    return talks.map(({ client, body }) => ({
      client: new StreamingClient(line, client.threadId),
      body: { ...body, assistant_id: 'chat', input: { messages: [{ role: 'user', content: slow }] } },
      text: slow,
    }));
  }

  const slow = 'count to 400 every 40 ms';

  /** The key of the lease under which these runs are at work. */
  async function leaseOfRuns([talk]: readonly Talk[]): Promise<string> {
    const run = sql<{ worker_id: string }>`select worker_id from runs where run_id = ${talk?.client.runId}`;
    const { rows } = await run.execute(stage.database.read);
    return `runs:${rows[0]?.worker_id}`;
  }

  async function laterAttempts(): Promise<number> {
    const later = sql<{ attempt: number }>`select attempt from runs where attempt > 1`;
    return (await later.execute(stage.database.read)).rows.length;
  }

  async function endedTasks(): Promise<number> {
    const ended = sql`select 1 from tasks where phase = 'ended'`;
    return (await ended.execute(stage.database.read)).rows.length;
  }

  async function leaseOf(key: string): Promise<{ token: number }> {
    const { rows } = await sql<{ token: number }>`
      select token from leases where key = ${key}`.execute(stage.database.read);
    return rows[0] ?? { token: 0 };
  }
});
