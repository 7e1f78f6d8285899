import { startGateway } from '@switchyard/dev-env/gateway';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeGate } from './fixtures/agents/gates.ts';
import { ConversationCaller } from './support/conversation-caller.ts';
import { fixtureAgents } from './support/conversation-gateway.ts';
import { type Replicas, startReplicas, testReplicas } from './support/replicas.ts';

const suite = testReplicas('three replicas that work on runs');

describe.skipIf(suite.isSkipped)(suite.title, () => {
  let replicas: Replicas;
  let a: ConversationCaller;
  let b: ConversationCaller;
  let c: ConversationCaller;

  beforeAll(async () => {
    replicas = await startReplicas(3, { agents: fixtureAgents });
    const [first, ...others] = replicas.gateways;
    if (!first) throw new Error('Three replicas are needed.');
    a = await ConversationCaller.of(first.url, await first.register('ada@example.com'));
    [b, c] = others.map(({ url }) => a.atReplica(url)) as [ConversationCaller, ConversationCaller];
  });

  afterAll(() => replicas?.stop());

  const steps = (name: string, requested: object = {}) => ({
    assistant_id: 'steps',
    input: { name },
    ...requested,
  });

  const stepsOf = (name: string) => ['first', 'second', 'third'].map((step) => `${name}:${step}`);

  /** A run that replica A works on, held in its second step. */
  async function heldAtA(name: string, requested: object = {}) {
    const gate = closeGate(`${name}:second`);
    const threadId = await a.thread();
    const stream = await a.stream(threadId, steps(name, requested));
    await gate.reached;
    const [{ run_id: runId }] = await a.ok('GET', `/threads/${threadId}/runs`);
    return { gate, threadId, runId, stream };
  }

  const runOf = (caller: ConversationCaller, threadId: string, runId: string) =>
    caller.ok('GET', `/threads/${threadId}/runs/${runId}`);

  it('answer a caller who waits at one for a run that another one works on', async () => {
    const { gate, threadId, runId } = await heldAtA('waited');
    const joined = b.ok('GET', `/threads/${threadId}/runs/${runId}/join`);
    gate.open();
    expect(await joined).toMatchObject({ steps: stepsOf('waited') });
    expect(await runOf(c, threadId, runId)).toMatchObject({ status: 'success', attempt: 1 });
  });

  it('stop a run of one that is cancelled through another, and answer when it has stopped', async () => {
    const { threadId, runId } = await heldAtA('cancelled');
    const joined = b.ok('GET', `/threads/${threadId}/runs/${runId}/join`);
    const { status } = await c.call('POST', `/threads/${threadId}/runs/${runId}/cancel?wait=1`);
    expect(status).toBe(204);
    await joined;
    expect(await runOf(b, threadId, runId)).toMatchObject({
      status: 'interrupted',
      stop_reason: 'cancelled',
    });
    expect(await c.ok('GET', `/threads/${threadId}`)).toMatchObject({ status: 'idle' });
  });

  it('restore the state before a run that is rolled back through another one', async () => {
    const threadId = await b.thread();
    await b.wait(threadId, steps('before'));
    const before = await b.ok('GET', `/threads/${threadId}/state`);
    const gate = closeGate('rolled:second');
    const stream = await a.stream(threadId, steps('rolled'));
    await gate.reached;
    const [{ run_id: runId }] = await b.ok('GET', `/threads/${threadId}/runs`);
    await c.call('POST', `/threads/${threadId}/runs/${runId}/cancel?wait=1&action=rollback`);
    await stream.rest();
    const after = await b.ok('GET', `/threads/${threadId}/state`);
    expect(after.values).toEqual(before.values);
    expect(after.checkpoint).toEqual(before.checkpoint);
  });

  it('delete a thread through one while another works on its run', async () => {
    const { threadId } = await heldAtA('deleted');
    expect((await c.call('DELETE', `/threads/${threadId}`)).status).toBeLessThan(300);
    expect((await a.get(`/threads/${threadId}`)).status).toBe(404);
    expect((await b.get(`/threads/${threadId}/runs`)).body ?? []).not.toContainEqual(
      expect.objectContaining({ status: 'running' }),
    );
  });

  it('replace a run of one by a run that interrupts it at another', async () => {
    const { threadId, runId } = await heldAtA('replaced');
    const values = await b.wait(threadId, steps('replacing', { multitask_strategy: 'interrupt' }));
    expect(values.steps.slice(-3)).toEqual(stepsOf('replacing'));
    expect(await runOf(c, threadId, runId)).toMatchObject({ status: 'interrupted' });
  });

  it('begin a run that waits behind a run of another one, as soon as that one ends', async () => {
    const { gate, threadId } = await heldAtA('ahead');
    const waiting = b.wait(threadId, steps('behind'));
    await expect.poll(async () => (await c.ok('GET', `/threads/${threadId}/runs`)).length).toBe(2);
    gate.open();
    expect((await waiting).steps).toEqual([...stepsOf('ahead'), ...stepsOf('behind')]);
  });

  it('continue runs of a replica that shuts down', async () => {
    const leaving = await startGateway({ config: replicas.config });
    const caller = a.atReplica(leaving.url);
    const gate = closeGate('moved:second');
    const threadId = await caller.thread();
    const stream = await caller.stream(threadId, steps('moved', { on_disconnect: 'continue' }));
    await gate.reached;
    const [{ run_id: runId }] = await caller.ok('GET', `/threads/${threadId}/runs`);
    const joined = b.ok('GET', `/threads/${threadId}/runs/${runId}/join`);
    const stopped = leaving.stop();
    await stream.rest().catch(() => undefined);
    await stopped;
    gate.open();
    expect(await joined).toMatchObject({ steps: stepsOf('moved') });
    expect(await runOf(c, threadId, runId)).toMatchObject({ status: 'success', attempt: 2 });
  });

  it('keep the runs of a user from others at every replica', async () => {
    const { gate, threadId, runId } = await heldAtA('private');
    const [, second] = replicas.gateways;
    if (!second) throw new Error('Two replicas are needed.');
    const bob = await ConversationCaller.of(second.url, await second.register('bob@example.com'));
    expect((await bob.get(`/threads/${threadId}/runs/${runId}/join`)).status).toBe(404);
    expect((await bob.call('POST', `/threads/${threadId}/runs/${runId}/cancel`)).status).toBe(404);
    gate.open();
    await b.ended(threadId, runId);
  });
});
