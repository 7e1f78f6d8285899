import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Answer,
  type ConversationCaller,
  says,
  threadIsMissing,
} from './support/conversation-caller.ts';
import { type ConversationGateway, startConversation } from './support/conversation-gateway.ts';

let server: ConversationGateway;
let ada: ConversationCaller;
/** Ids of threads that the caller may not see: one of another user, and one that was deleted. */
let closed: string[];

beforeAll(async () => {
  server = await startConversation();
  ada = server.ada;
  const deleted = await ada.thread();
  await ada.ok('DELETE', `/threads/${deleted}`);
  closed = [await server.bob.thread(), deleted];
});
afterAll(() => server.close());

const run = randomUUID();
const noUsage = { total_tokens: 0, total_input_tokens: 0, total_output_tokens: 0, total_runs: 0 };

const lists: [method: string, path: string, body: unknown, answer: unknown][] = [
  ['POST', '/history', {}, []],
  ['GET', '/history', undefined, []],
  ['GET', '/messages', undefined, []],
  ['GET', '/messages/page', undefined, { data: [], has_more: false, next_before_seq: null }],
  ['GET', '/runs', undefined, []],
  ['GET', `/runs/${run}/messages`, undefined, { data: [], has_more: false }],
  ['GET', `/runs/${run}/events`, undefined, []],
  ['GET', `/runs/${run}/feedback`, undefined, []],
  ['GET', `/runs/${run}/feedback/stats`, undefined, { total: 0, rating_sum: 0 }],
  ['GET', '/token-usage', undefined, noUsage],
  ['GET', '/uploads/list', undefined, { files: [], count: 0 }],
  ['GET', '/uploads/limits', undefined, { max_files: expect.any(Number) }],
  ['POST', '/suggestions', { messages: [] }, { suggestions: [] }],
];

type Request = [method: string, path: string, body: unknown];

const singles: Request[] = [
  ['GET', '', undefined],
  ['GET', '/state', undefined],
  ['GET', `/state/${randomUUID()}`, undefined],
  ['POST', '/state/checkpoint', { checkpoint: {} }],
  ['POST', '/copy', {}],
  ['GET', `/runs/${run}`, undefined],
  ['GET', `/runs/${run}/join`, undefined],
  ['GET', '/artifacts/mnt/user-data/outputs/a.txt', undefined],
];

const changes: Request[] = [
  ['PATCH', '', { metadata: {} }],
  ['DELETE', '', undefined],
  ['POST', '/state', { values: {} }],
  ['POST', '/runs', { assistant_id: 'chat', input: says('hello') }],
  ['PUT', `/runs/${run}/feedback`, { rating: 1 }],
  ['DELETE', '/uploads/a.txt', undefined],
];

/** Some of them exist at one of the mounts only. */
async function ask(threadId: string, [method, path, body]: Request): Promise<Answer[]> {
  const answers = [];
  for (const caller of [ada, ada.at('/api/langgraph')]) {
    const isElsewhere = caller.mount !== '/api' && /^\/(uploads|suggestions|artifacts)/.test(path);
    if (isElsewhere) continue;
    answers.push(
      await caller.call(method, `/threads/${threadId}${path}`, { ...(body !== undefined && { body }) }),
    );
  }
  return answers;
}

describe('an id that no thread has', () => {
  it.each(lists)('is an empty thread for %s %s', async (method, path, body, empty) => {
    for (const answer of await ask(randomUUID(), [method, path, body])) {
      expect(answer.status, answer.text).toBe(200);
      if (Array.isArray(empty)) expect(answer.body).toEqual(empty);
      else expect(answer.body).toMatchObject(empty as object);
    }
  });

  it.each([...singles, ...changes])('is 404 for %s %s', async (...asked) => {
    const threadId = randomUUID();
    for (const answer of await ask(threadId, asked)) expect(answer.status, answer.text).toBe(404);
    expect(await ada.ok('POST', '/threads/search', { ids: [threadId] })).toEqual([]);
  });
});

describe('an id of a deleted thread, or of one of another user,', () => {
  it.each([...lists.map(([method, path, body]): Request => [method, path, body]), ...singles, ...changes])(
    'is 404 for %s %s',
    async (method, path, body) => {
      for (const threadId of closed)
        for (const answer of await ask(threadId, [method, path, body]))
          expect(answer).toMatchObject({ status: 404, body: { detail: threadIsMissing(threadId) } });
    },
  );
});
