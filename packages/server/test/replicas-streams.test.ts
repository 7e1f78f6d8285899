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
