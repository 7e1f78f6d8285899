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

const turns = (count: number) => Array.from({ length: count }, (_, turn) => turn);
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));
const run = (name: string) => ({ assistant_id: 'steps', input: { name } });

/**
 * Cancels a run after a number of turns of the event loop, so that the request meets it at another moment each time. With
 * `held`, the run surely is in its second step.
 */
async function cancelAfter(
  turnsBefore: number | 'held',
  action: 'interrupt' | 'rollback',
  mount: '/api' | '/api/langgraph' = '/api',
) {
  const threadId = await ada.thread();
  await ada.wait(threadId, run('before'));
  const gate = closeGate('now:second');
  if (turnsBefore !== 'held') gate.open();
  const { run_id: runId } = await ada.run(threadId, run('now'));
  if (turnsBefore === 'held') await gate.reached;
  else for (const _ of turns(turnsBefore)) await nextTurn();
  const cancel = `/threads/${threadId}/runs/${runId}/cancel?action=${action}`;
  const answer = await ada.at(mount).post(cancel);
  const answeredAt = new Date().toISOString();
  const ended = await ada.ended(threadId, runId);
  const { steps } = (await ada.ok('GET', `/threads/${threadId}/state`)).values;
  const events = await ada.ok('GET', `/threads/${threadId}/runs/${runId}/events?event_types=run_end`);
  return { answer, answeredAt, ended, steps: steps as string[], events };
}

type Cancelled = Awaited<ReturnType<typeof cancelAfter>>;

/** Everything that is stored of a run says the same about its end. */
function expectOneEnd({ ended, steps, events }: Cancelled, action: string): void {
  const ownSteps = steps.filter((step) => step.startsWith('now:'));
  expect(steps.slice(0, 3)).toEqual(['before:first', 'before:second', 'before:third']);
  expect(['interrupted', 'success']).toContain(ended.status);
  expect(events.map(({ metadata }: { metadata: { status: string } }) => metadata.status)).toEqual(
    // A run that was cancelled before it began has no events.
    ended.started_at === null ? [] : [ended.status],
  );
  if (ended.status === 'success') expect(ownSteps).toHaveLength(3);
  else if (action === 'rollback') expect(ownSteps).toEqual([]);
}

/** The mount /api tells whether the request was accepted or came too late, and the stored run has to agree. */
function expectAsAcknowledged(cancelled: Cancelled, action: string): void {
  const { answer, ended } = cancelled;
  const isAccepted = answer.status === 202;
  expect(ended.status).toBe(isAccepted ? 'interrupted' : 'success');
  expectOneEnd(cancelled, action);
  if (!isAccepted)
    expect(answer).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('(status: success)') },
    });
}

describe.each(['interrupt', 'rollback'] as const)('cancelling a run with %s', (action) => {
  it('stores what was acknowledged, at every moment of the run', async () => {
    for (const turn of turns(60)) expectAsAcknowledged(await cancelAfter(turn * 2, action), action);
  });

  it('keeps its word where each request answers 202: a run that succeeds had ended before', async () => {
    for (const turn of turns(60)) {
      const cancelled = await cancelAfter(turn * 2, action, '/api/langgraph');
      const { answer, answeredAt, ended, events } = cancelled;
      expect(answer.status).toBe(202);
      expectOneEnd(cancelled, action);
      if (ended.status === 'success') expect(answeredAt >= events[0].created_at).toBe(true);
    }
  });

  it('is accepted while the run is in the middle of its work', async () => {
    const cancelled = await cancelAfter('held', action);
    expect(cancelled.answer.status).toBe(202);
    expectAsAcknowledged(cancelled, action);
  });
});

it('a run that has ended answers 202 on the Platform mount and stays as it is, and 409 with its status at /api', async () => {
  const platform = ada.at('/api/langgraph');
  const threadId = await ada.thread();
  const { run_id: runId } = await ada.run(threadId, run('done'));
  expect(await ada.ended(threadId, runId)).toMatchObject({ status: 'success' });
  for (const action of ['interrupt', 'rollback']) {
    const path = `/threads/${threadId}/runs/${runId}/cancel?action=${action}`;
    expect((await platform.post(path)).status).toBe(202);
    expect((await platform.post(`${path}&wait=1`)).status).toBe(204);
    expect(await ada.post(path)).toMatchObject({
      status: 409,
      body: { detail: `Run ${runId} is not cancellable (status: success)` },
    });
  }
  expect(await ada.ok('GET', `/threads/${threadId}/runs/${runId}`)).toMatchObject({ status: 'success' });
  expect((await ada.ok('GET', `/threads/${threadId}/state`)).values.steps).toHaveLength(3);
});
