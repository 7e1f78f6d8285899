import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeGate } from './fixtures/agents/gates.ts';
import type { ConversationCaller } from './support/conversation-caller.ts';
import { type ConversationGateway, startConversation } from './support/conversation-gateway.ts';

let server: ConversationGateway;
let ada: ConversationCaller;
beforeAll(async () => {
  server = await startConversation();
  ada = server.ada;
});
afterAll(() => server.close());

/** A run of three steps, each noted as `<name>:<step>`. */
const steps = (name: string, requested: object = {}) => ({
  assistant_id: 'steps',
  input: { name },
  ...requested,
});

/** A thread with a run that is held in its second step. */
async function heldThread(name: string) {
  const gate = closeGate(`${name}:second`);
  const threadId = await ada.thread();
  const { run_id: heldId } = await ada.run(threadId, steps(name));
  await gate.reached;
  return { threadId, heldId, gate };
}

const statusOf = async (threadId: string, runId: string) =>
  (await ada.ok('GET', `/threads/${threadId}/runs/${runId}`)).status;
const stepsOf = async (threadId: string) => (await ada.ok('GET', `/threads/${threadId}/state`)).values.steps;

describe('a second run while one is at work', () => {
  it('is refused with reject', async () => {
    const { threadId, heldId, gate } = await heldThread('reject');
    for (const end of ['', '/stream', '/wait']) {
      const answer = await ada.post(
        `/threads/${threadId}/runs${end}`,
        steps('second', { multitask_strategy: 'reject' }),
      );
      expect(answer).toMatchObject({
        status: 409,
        body: { detail: `Thread ${threadId} already has an active run` },
      });
    }
    gate.open();
    expect(await ada.ended(threadId, heldId)).toMatchObject({ status: 'success' });
    expect(await ada.ok('GET', `/threads/${threadId}/runs`)).toHaveLength(1);
    expect(await stepsOf(threadId)).toEqual(['reject:first', 'reject:second', 'reject:third']);
  });

  it.each([{}, { multitask_strategy: 'enqueue' }])(
    'waits its turn with %j, in the order of asking',
    async (requested) => {
      const name = `enqueue${Object.keys(requested).length}`;
      const { threadId, heldId, gate } = await heldThread(name);
      const others: string[] = [];
      for (const word of ['b', 'c', 'd'])
        others.push((await ada.run(threadId, steps(word, requested))).run_id);
      expect(await Promise.all(others.map((id) => statusOf(threadId, id)))).toEqual(
        others.map(() => 'pending'),
      );
      gate.open();
      for (const id of [heldId, ...others]) {
        expect(await ada.ended(threadId, id)).toMatchObject({ status: 'success' });
      }
      const order = [name, 'b', 'c', 'd'];
      expect(await stepsOf(threadId)).toEqual(
        order.flatMap((word) => [`${word}:first`, `${word}:second`, `${word}:third`]),
      );
      expect(await ada.ok('GET', `/threads/${threadId}`)).toMatchObject({ status: 'idle' });
    },
  );

  it('replaces the first with interrupt, and what was done stays', async () => {
    const { threadId, heldId } = await heldThread('interrupt');
    const waiting = await ada.run(threadId, steps('waiting'));
    const values = await ada.wait(threadId, steps('next', { multitask_strategy: 'interrupt' }));
    expect(values.steps).toEqual(['interrupt:first', 'next:first', 'next:second', 'next:third']);
    for (const id of [heldId, waiting.run_id]) {
      expect(await ada.ended(threadId, id)).toMatchObject({ status: 'interrupted', error: null });
    }
    expect(await ada.ok('GET', `/threads/${threadId}`)).toMatchObject({ status: 'idle' });
  });

  it('replaces the first with rollback, as if that had never existed', async () => {
    const threadId = await ada.thread();
    await ada.wait(threadId, steps('before'));
    const before = await ada.ok('GET', `/threads/${threadId}/state`);
    const gate = closeGate('rollback:second');
    const { run_id } = await ada.run(threadId, steps('rollback'));
    await gate.reached;
    const values = await ada.wait(threadId, steps('next', { multitask_strategy: 'rollback' }));
    expect(values.steps).toEqual([...before.values.steps, 'next:first', 'next:second', 'next:third']);
    expect(await ada.ended(threadId, run_id)).toMatchObject({
      status: 'interrupted',
      error: 'Rolled back by user',
    });
    const history = await ada.ok('POST', `/threads/${threadId}/history`, { limit: 100 });
    expect(JSON.stringify(history)).not.toContain('rollback:first');
    expect(await ada.ok('GET', `/threads/${threadId}`)).toMatchObject({ status: 'idle' });
  });
});

describe('two requests at the same time', () => {
  const names = (strategy: string) => ['a', 'b'].map((name) => `${strategy}-${name}`);

  async function race(strategy: string, untilAnswered: { open(): void }[] = []) {
    const threadId = await ada.thread();
    const answers = await Promise.all(
      names(strategy).map((name) =>
        ada.post(`/threads/${threadId}/runs`, steps(name, { multitask_strategy: strategy })),
      ),
    );
    for (const gate of untilAnswered) gate.open();
    const made = answers.filter(({ status }) => status === 200).map(({ body }) => body.run_id as string);
    const runs = await Promise.all(made.map((id) => ada.ended(threadId, id)));
    const { status } = await ada.ok('GET', `/threads/${threadId}`);
    return {
      statuses: answers.map((answer) => answer.status).sort(),
      ends: runs.map((run) => run.status as string).sort(),
      thread: status as string,
      steps: (await stepsOf(threadId)) as string[],
    };
  }

  it('with reject: one is accepted and one refused', async () => {
    // The run that comes first must still be at work when the second request is read.
    const gates = names('reject').map((name) => closeGate(`${name}:second`));
    const { statuses, ends, thread } = await race('reject', gates);
    expect({ statuses, ends, thread }).toEqual({ statuses: [200, 409], ends: ['success'], thread: 'idle' });
  });

  it('with enqueue: both are completed, one after the other', async () => {
    const { statuses, ends, thread, steps: done } = await race('enqueue');
    expect({ statuses, ends, thread }).toEqual({
      statuses: [200, 200],
      ends: ['success', 'success'],
      thread: 'idle',
    });
    const first = done[0]?.split(':')[0];
    expect(done.map((step) => step.split(':')[0] === first)).toEqual([true, true, true, false, false, false]);
  });

  it.each(['interrupt', 'rollback'])(
    'with %s: one of them wins, and the thread is free',
    async (strategy) => {
      const { statuses, ends, thread, steps: done } = await race(strategy);
      expect(statuses).toEqual([200, 200]);
      expect(thread).toBe('idle');
      expect(ends).toContain('success');
      expect(done.slice(-3).map((step) => step.split(':')[1])).toEqual(['first', 'second', 'third']);
    },
  );
});
