import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StreamingClient } from '../chaos/conversation-client.ts';
import { startTalks, type Talk } from '../chaos/talks.ts';
import { checkAll, inTime, settle } from './drill-checks.ts';
import { openStage, type Stage, testDrill } from './drill-stage.ts';

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
    const { cluster, tasks, database } = stage;
    const before = await leaseOf('dispatch');
    // The first one that started holds the lease, because it was alone.
    const [first, second] = cluster.replicas;
    if (!first || !second) throw new Error('There are three replicas.');
    tasks.url = second.url;
    for (let count = 0; count < 12; count += 1) await tasks.submit(workflow);
    first.signal('SIGSTOP');
    try {
      await expect.poll(async () => (await leaseOf('dispatch')).token).toBeGreaterThan(before.token);
      for (let count = 0; count < 12; count += 1) await tasks.submit(workflow);
      await sleep(frozenMs);
      expect(
        (await sql`select 1 from tasks where phase = 'ended'`.execute(database.read)).rows.length,
      ).toBeGreaterThan(12);
    } finally {
      first.signal('SIGCONT');
    }
    await settle(stage);
    await checkAll(stage, { talks: [], inversions: 0 });
    expect((await leaseOf('dispatch')).holder).not.toBe(before.holder);
    tasks.url = cluster.url;
  });

  it('as the owner of runs loses them to another, and neither its events nor its frames are taken any more', async () => {
    const { cluster, line } = stage;
    const [, , owner] = cluster.replicas;
    if (!owner) throw new Error('There are three replicas.');
    const talks = await talksAt(owner.url);
    const talking = Promise.all(talks.map(({ client, body }) => client.converse(body)));
    // The first pieces of its answer, long before the run ends.
    while (talks.some(({ client }) => client.pieces.size === 0)) await sleep(5);
    owner.signal('SIGSTOP');
    // Clients that hear nothing for so long connect elsewhere.
    line.connect(cluster.url);
    for (const { client } of talks) client.breakOff();
    try {
      // Another replica takes its runs over, and goes on with them for a while beside the owner that stands still.
      await expect.poll(laterAttempts).toBeGreaterThan(0);
      await sleep(frozenMs / 2);
    } finally {
      owner.signal('SIGCONT');
    }
    await inTime(stage, 'Not every stream has ended', talking);
    await settle(stage);
    await checkAll(stage, { talks, inversions: 0 });
  });

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

  async function laterAttempts(): Promise<number> {
    const later = sql<{ attempt: number }>`select attempt from runs where attempt > 1`;
    return (await later.execute(stage.database.read)).rows.length;
  }

  async function leaseOf(key: string): Promise<{ token: number; holder: string | null }> {
    const { rows } = await sql<{ token: number; holder: string | null }>`
      select token, holder from leases where key = ${key}`.execute(stage.database.read);
    return rows[0] ?? { token: 0, holder: null };
  }
});
