import {
  type FakeOpenAi,
  type FakeReply,
  type FakeRequest,
  startFakeOpenAi,
} from '@switchyard/dev-env/fake-openai';
import { readModels } from '@switchyard/server/config/models';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ConversationCaller, says } from './support/conversation-caller.ts';
import { type ConversationGateway, startConversation } from './support/conversation-gateway.ts';

let provider: FakeOpenAi;
let server: ConversationGateway;
let ada: ConversationCaller;
let answer: (request: FakeRequest) => FakeReply;

beforeAll(async () => {
  provider = await startFakeOpenAi((request) => answer(request));
  const models = readModels({ only: { base_url: provider.url, api_key: 'sk-x', model: 'm' } });
  server = await startConversation({ models });
  ada = server.ada;
});
beforeEach(() => {
  answer = ({ messages }) => {
    const isTitle = String(messages[0]?.content).startsWith('Write a title');
    return { text: isTitle ? 'A title' : `Answer to ${textOf(messages.at(-1)?.content)}` };
  };
});
afterAll(async () => {
  await server?.close();
  await provider?.close();
});

function textOf(content: unknown): string {
  return Array.isArray(content) ? content.map(({ text }) => text).join('') : String(content);
}

interface Message {
  id: string;
  type: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads messages as they come
  content: any;
}

const asks = (text: string) => ({ assistant_id: 'lead_agent', input: says(text) });
const texts = (messages: Message[]) => messages.map(({ content }) => textOf(content));

/** A thread of the caller in which these questions were answered, with its messages. */
async function talk(caller: ConversationCaller, ...questions: string[]) {
  const threadId = await caller.thread();
  let messages: Message[] = [];
  for (const question of questions) ({ messages } = await caller.wait(threadId, asks(question)));
  return { threadId, messages };
}

const shown = async (threadId: string): Promise<string[]> => {
  const { data } = await ada.ok('GET', `/threads/${threadId}/messages/page`);
  return texts(data.map(({ content }: { content: Message }) => content));
};
const runsOf = async (threadId: string) => ada.ok('GET', `/threads/${threadId}/runs`);
const regenerate = (threadId: string, message_id: string) =>
  ada.post(`/threads/${threadId}/runs/regenerate/prepare`, { message_id });
const edit = (threadId: string, human_message_id: string, replacement_text: string) =>
  ada.post(`/threads/${threadId}/runs/edit-regenerate/prepare`, { human_message_id, replacement_text });
const branch = (threadId: string, body: object) => ada.post(`/threads/${threadId}/branches`, body);

describe('making an answer again', () => {
  it.each([1, 2])(
    'starts before its question, and the old answer is no longer shown: turn %i',
    async (turn) => {
      const { threadId, messages } = await talk(ada, ...['one', 'two'].slice(0, turn));
      const [question, old] = messages.slice(-2) as [Message, Message];
      await ada.ok('POST', `/threads/${threadId}/state`, { values: { title: 'By hand' } });
      const { status, body } = await regenerate(threadId, old.id);
      const [newest] = await runsOf(threadId);
      expect(status).toBe(200);
      expect(body).toEqual({
        input: {
          messages: [
            {
              type: 'human',
              id: question.id,
              content: [{ type: 'text', text: question.content }],
              additional_kwargs: {},
            },
          ],
          title: 'By hand',
        },
        checkpoint: { checkpoint_ns: '', checkpoint_id: expect.any(String), checkpoint_map: null },
        metadata: {
          regenerate_from_message_id: old.id,
          regenerate_from_run_id: newest.run_id,
          regenerate_checkpoint_id: body.checkpoint.checkpoint_id,
        },
        target_run_id: newest.run_id,
      });

      answer = () => ({ text: 'Another answer' });
      const { input, checkpoint, metadata } = body;
      const values = await ada.wait(threadId, { assistant_id: 'lead_agent', input, checkpoint, metadata });
      const before = texts(messages).slice(0, -2);
      expect(texts(values.messages)).toEqual([...before, question.content, 'Another answer']);
      expect(values.title).toBe('By hand');
      expect(await shown(threadId)).toEqual([...before, question.content, 'Another answer']);
    },
  );

  it('is refused for anything but the latest answer', async () => {
    const { threadId, messages } = await talk(ada, 'one', 'two');
    const [question, first] = messages as [Message, Message];
    expect(await regenerate(threadId, 'none')).toMatchObject({
      status: 404,
      body: { detail: 'Message none not found' },
    });
    expect(await regenerate(threadId, question.id)).toMatchObject({
      status: 409,
      body: { detail: 'Only visible assistant messages can be regenerated' },
    });
    expect(await regenerate(threadId, first.id)).toMatchObject({
      status: 409,
      body: { detail: 'Only the latest assistant message can be regenerated' },
    });
    const empty = await ada.thread();
    expect(await regenerate(empty, 'm')).toMatchObject({
      status: 404,
      body: { detail: `Thread ${empty} has no checkpoint` },
    });
    expect((await ada.post(`/threads/${threadId}/runs/regenerate/prepare`, { message: 'm' })).status).toBe(
      422,
    );
  });
});

describe('editing a question', () => {
  it('asks in other words in its place, and the old turn is no longer shown', async () => {
    const { threadId, messages } = await talk(ada, 'one', 'two');
    const [question, old] = messages.slice(-2) as [Message, Message];
    const { status, body } = await edit(threadId, question.id, '  two in other words ');
    expect(status).toBe(200);
    const newId = body.replacement_human_message_id;
    expect(newId).not.toBe(question.id);
    expect(body).toMatchObject({
      input: { messages: [{ id: newId, content: [{ type: 'text', text: 'two in other words' }] }] },
      metadata: {
        replay_kind: 'edit',
        edit_from_message_id: question.id,
        edit_message_id: newId,
        edit_version_group_id: question.id,
      },
      source_message_ids: [question.id, old.id],
    });
    const { input, checkpoint, metadata } = body;
    const values = await ada.wait(threadId, { assistant_id: 'lead_agent', input, checkpoint, metadata });
    const expected = ['one', 'Answer to one', 'two in other words', 'Answer to two in other words'];
    expect(texts(values.messages)).toEqual(expected);
    expect(await shown(threadId)).toEqual(expected);
    expect((await edit(threadId, newId, 'again')).body.metadata.edit_version_group_id).toBe(question.id);
  });

  it('is refused for an older question, a text that is empty or the same, and an answer that has failed', async () => {
    const { threadId, messages } = await talk(ada, 'one', 'two');
    const [first, , second] = messages as [Message, Message, Message];
    for (const [id, text, detail] of [
      [first.id, 'x', 'Only the latest completed user turn can be edited'],
      [second.id, ' ', 'Edited message cannot be empty'],
      [second.id, ' two ', 'Edited message is unchanged'],
    ] as const)
      expect(await edit(threadId, id, text)).toMatchObject({ status: 409, body: { detail } });
    answer = () => ({ status: 401 });
    const failed = await ada.wait(threadId, asks('three'));
    expect(await edit(threadId, failed.messages.at(-2).id, 'x')).toMatchObject({
      status: 409,
      body: { detail: 'Only successful assistant runs can be edited and rerun' },
    });
  });
});

describe('the versions of an answer', () => {
  const wait = async (threadId: string, body: object) => {
    const values = await ada.wait(threadId, { assistant_id: 'lead_agent', ...body });
    const [newest] = await runsOf(threadId);
    return { runId: newest.run_id, messages: texts(values.messages) };
  };
  const answersOf = async (threadId: string) => ada.ok('GET', `/threads/${threadId}/answers`);
  const shownWith = async (threadId: string, runId: string): Promise<string[]> => {
    const { data } = await ada.ok('GET', `/threads/${threadId}/messages/page?run_id=${runId}`);
    return texts(data.map(({ content }: { content: Message }) => content));
  };
  /** A thread whose second answer was given twice, with the runs of both. */
  const twice = async () => {
    const { threadId, messages } = await talk(ada, 'one', 'two');
    const [source] = await runsOf(threadId);
    const { body } = await regenerate(threadId, (messages.at(-1) as Message).id);
    answer = () => ({ text: 'Another answer' });
    const again = await wait(threadId, {
      input: says('two'),
      checkpoint: body.checkpoint,
      metadata: { regenerate_from_run_id: source.run_id, replay_kind: 'version' },
    });
    return { threadId, old: source.run_id as string, again: again.runId };
  };

  it('are listed with where each goes on, and each can be read with its turns', async () => {
    const { threadId, old, again } = await twice();
    const { data, has_more } = await answersOf(threadId);
    expect(has_more).toBe(false);
    const state = await ada.ok('GET', `/threads/${threadId}/state`);
    expect(data).toEqual([
      {
        versions: [
          {
            run_id: old,
            status: 'success',
            created_at: expect.any(String),
            is_newest: false,
            last_run_id: old,
            checkpoint_id: expect.any(String),
          },
          {
            run_id: again,
            status: 'success',
            created_at: expect.any(String),
            is_newest: true,
            last_run_id: again,
            checkpoint_id: state.checkpoint_id,
          },
        ],
      },
    ]);
    expect(await shown(threadId)).toEqual(['one', 'Answer to one', 'two', 'Another answer']);
    expect(await shownWith(threadId, old)).toEqual(['one', 'Answer to one', 'two', 'Answer to two']);
  });

  it('go on from the older one, which is the newest conversation from then on', async () => {
    const { threadId, old, again } = await twice();
    const [entry] = (await answersOf(threadId)).data;
    const { last_run_id, checkpoint_id } = entry.versions[0];
    const { runId, messages } = await wait(threadId, {
      input: says('three'),
      checkpoint_id,
      metadata: { continue_from_run_id: last_run_id },
    });
    const line = ['one', 'Answer to one', 'two', 'Answer to two', 'three', 'Another answer'];
    expect(messages).toEqual(line);
    expect(await shown(threadId)).toEqual(line);
    expect(await shownWith(threadId, old)).toEqual(line);
    expect(await shownWith(threadId, again)).toEqual(['one', 'Answer to one', 'two', 'Another answer']);
    const [after] = (await answersOf(threadId)).data;
    expect(after.versions).toMatchObject([
      { run_id: old, is_newest: true, last_run_id: runId },
      { run_id: again, is_newest: false, last_run_id: again },
    ]);
    const plain = await wait(threadId, { input: says('four') });
    expect(plain.messages).toEqual([...line, 'four', 'Another answer']);
    expect(await shown(threadId)).toEqual(plain.messages);
  });

  it('have branches, which go on from the version that they name', async () => {
    const { threadId, old, again } = await twice();
    const state = await ada.ok('GET', `/threads/${threadId}/messages/page?run_id=${old}`);
    const last = state.data.at(-1).content.id as string;
    expect((await branch(threadId, { message_id: last })).status).toBe(409);
    expect((await branch(threadId, { message_id: last, run_id: again })).status).toBe(409);
    expect((await branch(threadId, { message_id: last, run_id: 'none' })).status).toBe(404);
    const { status, body } = await branch(threadId, { message_id: last, run_id: old });
    expect({ status, seeded: body.history_seed_mode }).toEqual({ status: 200, seeded: 'seeded' });
    const line = ['one', 'Answer to one', 'two', 'Answer to two'];
    expect(await shown(body.thread_id)).toEqual(line);
    const more = await ada.wait(body.thread_id, asks('three'));
    expect(texts(more.messages)).toEqual([...line, 'three', 'Another answer']);
    expect(await shown(threadId)).toEqual(['one', 'Answer to one', 'two', 'Another answer']);
  });

  it('are none in a thread in which every answer was given once', async () => {
    const { threadId } = await talk(ada, 'one', 'two');
    expect(await answersOf(threadId)).toEqual({ data: [], has_more: false });
  });

  it('are not found with a run of another thread', async () => {
    const { threadId } = await talk(ada, 'one');
    const other = await talk(ada, 'two');
    const [run] = await runsOf(other.threadId);
    expect(await ada.get(`/threads/${threadId}/messages/page?run_id=${run.run_id}`)).toMatchObject({
      status: 404,
      body: { detail: `Run ${run.run_id} not found` },
    });
  });
});

describe('a branch', () => {
  it('of the latest answer has its messages and files, goes on alone, and can make the answer again', async () => {
    const { threadId, messages } = await talk(ada, 'one', 'two');
    const form = new FormData();
    form.append('files', new Blob(['hers']), 'a.txt');
    const uploaded = await fetch(new URL(`/api/threads/${threadId}/uploads`, ada.url), {
      method: 'POST',
      headers: { 'x-api-key': ada.token },
      body: form,
    });
    expect(uploaded.status).toBe(200);
    await ada.ok('PATCH', `/threads/${threadId}`, { metadata: { deerflow_pinned: true, topic: 'x' } });
    const last = messages.at(-1) as Message;
    const { status, body } = await branch(threadId, { message_id: last.id, message_ids: [last.id] });
    expect(status).toBe(200);
    expect(body).toEqual({
      thread_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      parent_thread_id: threadId,
      parent_checkpoint_id: expect.any(String),
      branched_from_message_id: last.id,
      workspace_clone_mode: 'current_thread_best_effort',
      history_seed_mode: 'seeded',
    });
    const copy = body.thread_id;
    const made = await ada.ok('GET', `/threads/${copy}`);
    expect(made.metadata).toMatchObject({
      topic: 'x',
      deerflow_branch: true,
      branch_parent_thread_id: threadId,
      branch_parent_message_id: last.id,
    });
    expect(made.metadata).not.toHaveProperty('deerflow_pinned');
    expect(made.values).toMatchObject({ title: 'A title' });
    expect(await shown(copy)).toEqual(texts(messages));
    expect((await ada.ok('GET', `/threads/${copy}/uploads/list`)).count).toBe(1);

    const changes = (runId: string) => ada.get(`/threads/${copy}/runs/${runId}/workspace-changes`);
    expect(await changes(`branch-seed-${copy}-1`)).toMatchObject({
      status: 200,
      body: { available: false, files: [] },
    });
    expect((await changes(`branch-seed-${copy}-9`)).status).toBe(404);

    const { body: again } = await regenerate(copy, last.id);
    expect(again.target_run_id).toBe(`branch-seed-${copy}-2`);
    answer = () => ({ text: 'Another answer' });
    const { input, checkpoint, metadata } = again;
    await ada.wait(copy, { assistant_id: 'lead_agent', input, checkpoint, metadata });
    expect(await shown(copy)).toEqual(['one', 'Answer to one', 'two', 'Another answer']);
    expect(await shown(threadId)).toEqual(texts(messages));
  });

  it('of an earlier answer ends with it', async () => {
    const { threadId, messages } = await talk(ada, 'one', 'two', 'three');
    const [, , , second] = messages as [Message, Message, Message, Message];
    const { body } = await branch(threadId, { message_id: second.id, title: 'A branch' });
    expect(body).toMatchObject({
      workspace_clone_mode: 'skipped_historical_turn',
      history_seed_mode: 'seeded',
    });
    const { values, next } = await ada.ok('GET', `/threads/${body.thread_id}/state`);
    expect(texts(values.messages)).toEqual(texts(messages).slice(0, 4));
    expect({ next, title: values.title }).toEqual({ next: [], title: 'A branch' });
    expect(await shown(body.thread_id)).toEqual(texts(messages).slice(0, 4));
    const more = await ada.wait(body.thread_id, asks('four'));
    expect(texts(more.messages)).toEqual([...texts(messages).slice(0, 4), 'four', 'Answer to four']);
  });

  it('is refused of a question, of what is not there, and beside the main conversation, and makes no thread', async () => {
    const { threadId, messages } = await talk(ada, 'one');
    const [question, last] = messages as [Message, Message];
    const before = await ada.ok('POST', '/threads/count', {});
    for (const body of [
      { message_id: question.id },
      { message_id: 'none' },
      { message_id: last.id, message_ids: ['none'] },
    ])
      expect(await branch(threadId, body)).toMatchObject({
        status: 409,
        body: { detail: 'This turn can no longer be branched from.' },
      });
    await ada.ok('PATCH', `/threads/${threadId}`, { metadata: { deerflow_sidecar: true } });
    expect(await branch(threadId, { message_id: last.id })).toMatchObject({
      status: 409,
      body: { detail: 'Branching is only available in the main conversation.' },
    });
    expect(await ada.ok('POST', '/threads/count', {})).toBe(before);
  });
});

describe('another user', () => {
  it('learns and changes nothing by any of them', async () => {
    const { threadId, messages } = await talk(ada, 'one');
    const [question, last] = messages as [Message, Message];
    for (const [path, body] of [
      ['runs/regenerate/prepare', { message_id: last.id }],
      ['runs/edit-regenerate/prepare', { human_message_id: question.id, replacement_text: 'x' }],
      ['branches', { message_id: last.id }],
    ] as const)
      expect(await server.bob.post(`/threads/${threadId}/${path}`, body)).toMatchObject({
        status: 404,
        body: { detail: `Thread ${threadId} not found` },
      });
    expect((await server.bob.get(`/threads/${threadId}/answers`)).status).toBe(404);
    expect((await server.bob.post('/input-polish', { text: 'x', thread_id: threadId })).status).toBe(404);
  });
});

describe('polishing a draft', () => {
  it('answers what the model wrote, and whether that differs', async () => {
    answer = () => ({ text: '<think>Hm.</think>Please list all files.' });
    const polish = (text: string) =>
      ada.ok('POST', '/input-polish', { text, locale: 'en', thread_id: 'new' });
    expect(await polish(' files pls ')).toEqual({ rewritten_text: 'Please list all files.', changed: true });
    expect(await polish('Please list all files.')).toMatchObject({ changed: false });
  });

  it('is refused without text or with too much, and 503 when no model answers', async () => {
    const polish = (text: string) => ada.post('/input-polish', { text });
    expect(await polish('  ')).toMatchObject({ status: 400, body: { detail: 'Input text is required' } });
    expect(await polish('x'.repeat(4_001))).toMatchObject({
      status: 400,
      body: { detail: 'Input text exceeds 4000 characters' },
    });
    answer = () => ({ text: '' });
    expect(await polish('x')).toMatchObject({ status: 503, body: { detail: 'Failed to polish input' } });
    answer = () => ({ status: 401 });
    expect(await polish('x')).toMatchObject({ status: 503, body: { detail: 'Failed to polish input' } });
  });
});
