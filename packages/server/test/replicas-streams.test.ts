import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeGate } from './fixtures/agents/gates.ts';
import { ConversationCaller, says } from './support/conversation-caller.ts';
import { fixtureAgents } from './support/conversation-gateway.ts';
import { type Replicas, startReplicas, testReplicas } from './support/replicas.ts';

const { title, isSkipped } = testReplicas('the stream of a run, with several replicas,');

describe.skipIf(isSkipped)(title, () => {
  let replicas: Replicas;
  let here: ConversationCaller;
  let there: ConversationCaller;
  beforeAll(async () => {
    replicas = await startReplicas(2, { agents: fixtureAgents });
    const [first, second] = replicas.gateways;
    if (!first || !second) throw new Error('Two replicas are needed.');
    const session = await first.register('ada@example.com');
    here = await ConversationCaller.of(first.url, session);
    there = await ConversationCaller.of(second.url, session.at(second.url));
  });
  afterAll(() => replicas.stop());

  it('is live and complete at a replica that does not work on the run', async () => {
    const gate = closeGate('replicas-streams');
    const threadId = await here.thread();
    const stream = await here.stream(threadId, {
      assistant_id: 'chat',
      input: says('count to 5 at gate replicas-streams before 3'),
      stream_mode: ['values', 'messages-tuple'],
    });
    const runId = (await stream.next())?.data.run_id;
    const remote = await there.open('GET', `/threads/${threadId}/runs/${runId}/stream`);
    await gate.reached;
    expect(await remote.next()).toEqual(stream.frames[0]);
    gate.open();
    const [near, far] = await Promise.all([stream.rest(), remote.rest()]);
    expect(near.length).toBeGreaterThan(5);
    expect(far).toEqual(near);
    expect(await there.replay(threadId, runId)).toEqual(near);
  });

  it('ends for readers elsewhere when its replica died between the end of the run and that of the stream', async () => {
    const threadId = await here.thread();
    const frames = await (await here.stream(threadId, { assistant_id: 'chat', input: says('hello') })).rest();
    const runId = frames[0]?.data.run_id;
    // Redis has the stream as such a replica leaves it: a part of its frames, and no end.
    const keys = await replicas.redis.command('KEYS', `*:run:${runId}`);
    const key = keys.split(/\s+/).find((word) => word.endsWith(runId)) ?? 'none';
    await replicas.redis.command('DEL', key);
    await replicas.redis.command('XADD', key, '1-0', 'event', 'metadata', 'data', '{"run_id":1}', 'at', '1');
    const seen = await (await there.open('GET', `/threads/${threadId}/runs/${runId}/stream`)).rest();
    expect(seen.map(({ event }) => event)).toEqual(['metadata', 'values']);
    expect(seen.at(-1)?.data).toEqual(frames.findLast(({ event }) => event === 'values')?.data);
  });

  it('goes on after the last id that a client has, wherever it was read', async () => {
    const threadId = await here.thread();
    const frames = await (
      await here.stream(threadId, {
        assistant_id: 'chat',
        input: says('count to 20'),
        stream_mode: ['values', 'messages-tuple'],
      })
    ).rest();
    const runId = frames[0]?.data.run_id;
    const half = Math.floor(frames.length / 2);
    expect(await there.replay(threadId, runId, frames[half - 1]?.id)).toEqual(frames.slice(half));
  });
});
