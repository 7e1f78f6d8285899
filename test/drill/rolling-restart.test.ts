import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, it } from 'vitest';
import { chaosOptions } from '../chaos/chaos-options.ts';
import type { Line, RunOnWire } from '../chaos/conversation-client.ts';
import { startTalks } from '../chaos/talks.ts';
import { checkAll, halfHaveBegun, inTime, inversionsOf, settle } from './drill-checks.ts';
import { openStage, outputs, type Stage, testDrill } from './drill-stage.ts';
import { SteadyLoad } from './steady-load.ts';

const drill = testDrill('a rolling restart');
const talkers = 12;
/** They begin runs while a replica stops: half of them stream, half of them wait. */
const beginners = 24;
const pauseMs = 20;

let stage: Stage | undefined;
afterAll(() => stage?.stop());

it.skipIf(drill.isSkipped)(
  `${drill.title} under load refuses and fails no request, breaks no promise and starts nothing twice`,
  async () => {
    const { random } = chaosOptions('rolling restart');
    stage = await openStage();
    const { cluster, tasks, line } = stage;
    const load = new SteadyLoad(tasks, random);
    let inversions = 0;
    for (const replica of cluster.replicas) {
      const talks = await startTalks(line, talkers);
      load.start();
      const talking = Promise.all(talks.map(({ client, body }) => client.converse(body)));
      await Promise.race([talking, halfHaveBegun(talks)]);
      const begun: string[] = [];
      const refused: string[] = [];
      const stopped = new AbortController();
      const beginning = Promise.all(
        Array.from({ length: beginners }, (_, index) =>
          beginRuns(line, {
            mode: index % 2 === 0 ? 'stream' : 'wait',
            begun,
            refused,
            until: stopped.signal,
          }),
        ),
      );
      const beforeMs = performance.now();
      const exit = await replica.stop();
      const tookMs = performance.now() - beforeMs;
      stopped.abort();
      expect(exit, `${replica.name} ends in good order\n${replica.output().slice(-4_000)}`).toEqual({
        code: 0,
        signal: null,
      });
      await replica.restart();
      await inTime(stage, 'Not every stream has ended', talking);
      await inTime(stage, 'Not every run was answered', beginning);
      await load.stop();
      await settle(stage);
      inversions += inversionsOf(talks);
      const { laterAttempts } = await checkAll(stage, { talks, inversions });
      const failed = `requests that failed while ${replica.name} stopped\n${cluster.proxyOutput()}\n${outputs(cluster.replicas)}`;
      expect([...load.failures, ...refused], failed).toEqual([]);
      for (const path of begun) expect((await line.ask<RunOnWire>('GET', path)).status, path).toBe('success');
      console.log(
        `${replica.name} stopped in ${Math.round(tookMs)} ms, ${begun.length} runs were begun meanwhile, ` +
          `${tasks.accepted.size} tasks in all, ${laterAttempts} runs went on elsewhere, no request was refused`,
      );
    }
  },
);

interface Beginnings {
  mode: 'stream' | 'wait';
  /** The addresses of the runs that were begun. */
  begun: string[];
  /** What was said instead. */
  refused: string[];
  until: AbortSignal;
}

/** Begins one short run after the other, each in a thread of its own, and reads its answer as far as it comes. */
async function beginRuns(line: Line, { mode, begun, refused, until }: Beginnings): Promise<void> {
  const input = { messages: [{ role: 'user', content: 'count to 3 every 20 ms' }] };
  while (!until.aborted) {
    const threadId = randomUUID();
    await line.ask('POST', '/api/threads', { thread_id: threadId });
    try {
      const body = { assistant_id: 'chat', input };
      const answer = await line.open('POST', `/api/threads/${threadId}/runs/${mode}`, { body });
      const location = answer.headers.get('content-location');
      if (answer.ok && location !== null) begun.push(location);
      else refused.push(`${mode}: ${answer.status} ${await answer.text()}`);
      // A stream that breaks off goes on elsewhere; the run is asked for in the end.
      await answer.text().catch(() => undefined);
    } catch (error) {
      refused.push(`${mode}: ${String(error)}`);
    }
    await sleep(pauseMs);
  }
}
