import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, expect, it } from 'vitest';
import { chaosOptions } from '../chaos/chaos-options.ts';
import { inTime, settle } from './drill-checks.ts';
import { openStage, type Stage, testDrill } from './drill-stage.ts';
import { SteadyLoad } from './steady-load.ts';

const drill = testDrill('webhooks of killed replicas');
/** A call is under way for so long, so that some calls lose their replica. */
const answerAfterMs = 150;
const workBeforeKillMs = 4_000;

interface Call {
  id: string;
  taskId: string;
}

let stage: Stage | undefined;
let receiver: Server | undefined;
afterAll(async () => {
  await stage?.stop();
  receiver?.close();
});

it.skipIf(drill.isSkipped)(
  `${drill.title} call for each task, and a call that is repeated keeps its id`,
  async () => {
    const { rounds, random } = chaosOptions('webhooks');
    stage = await openStage({ env: { SWITCHYARD__DISPATCH__WEBHOOKS_TO_PRIVATE_ADDRESSES: 'true' } });
    const { cluster, tasks } = stage;
    const calls: Call[] = [];
    await tasks.addWebhook(await receive(calls));
    const load = new SteadyLoad(tasks, random);
    const kills = Math.min(rounds, 3);
    for (let round = 0; round < kills; round += 1) {
      load.start();
      await sleep(workBeforeKillMs + random() * answerAfterMs);
      const victim = cluster.replicas[Math.floor(random() * cluster.replicas.length)];
      if (!victim) throw new Error('There are no replicas.');
      await victim.kill9();
      await victim.restart();
      await load.stop();
    }
    await settle(stage);
    await inTime(stage, 'Not every webhook was delivered', untilDelivered(stage));

    const idsOf = new Map<string, Set<string>>();
    for (const { id, taskId } of calls) idsOf.set(taskId, (idsOf.get(taskId) ?? new Set()).add(id));
    expect([...idsOf.keys()].sort(), 'tasks that were called for').toEqual([...tasks.accepted].sort());
    for (const [taskId, ids] of idsOf) expect(ids.size, `ids of the calls for ${taskId}`).toBe(1);
    const callsOf = new Map<string, number>();
    for (const { id } of calls) callsOf.set(id, (callsOf.get(id) ?? 0) + 1);
    // Only a call that was under way when its replica was killed is made again.
    for (const [id, times] of callsOf)
      expect(times, `calls with the id ${id}`).toBeLessThanOrEqual(1 + kills);
    const repeated = [...callsOf.values()].filter((times) => times > 1).length;
    console.log(`${idsOf.size} tasks, ${kills} kills, ${repeated} calls were made again`);
  },
);

async function receive(calls: Call[]): Promise<string> {
  receiver = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const { data } = JSON.parse(Buffer.concat(parts).toString()) as { data: { taskId: string } };
    calls.push({ id: String(request.headers['webhook-id']), taskId: data.taskId });
    await sleep(answerAfterMs);
    response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => receiver?.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
}

async function untilDelivered({ database }: Stage): Promise<void> {
  for (;;) {
    const waiting = sql`select 1 from webhook_deliveries where status <> 'delivered' limit 1`;
    if ((await waiting.execute(database.read)).rows.length === 0) return;
    await sleep(100);
  }
}
