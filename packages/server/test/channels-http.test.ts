import { randomBytes } from 'node:crypto';
import { readChannels } from '@switchyard/server/config/channels';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ChannelTables } from '../src/channels/tables.ts';
import { closeGate } from './fixtures/agents/gates.ts';
import type { ConversationCaller } from './support/conversation-caller.ts';
import { type ConversationGateway, startConversation } from './support/conversation-gateway.ts';
import { type ReplyReceiver, signatureOf, startReplyReceiver } from './support/reply-receiver.ts';

const names = ['desk', 'shop', 'lab', 'careful', 'off', 'closed'] as const;
const secrets = Object.fromEntries(
  names.map((name) => [name, `whsec_${randomBytes(32).toString('base64')}`]),
) as Record<(typeof names)[number], string>;
const otherSecret = `whsec_${randomBytes(32).toString('base64')}`;

let receiver: ReplyReceiver;
let server: ConversationGateway;
let ada: ConversationCaller;
let bob: ConversationCaller;
beforeAll(async () => {
  receiver = await startReplyReceiver();
  const common = { type: 'http', url: receiver.url, private_addresses: true };
  server = await startConversation({
    channels: readChannels({
      desk: {
        ...common,
        secret: secrets.desk,
        users: { 'ada-id': 'ada@example.com', 'bob-id': 'bob@example.com' },
        assistant: 'chat',
      },
      shop: {
        ...common,
        secret: secrets.shop,
        user: 'ada@example.com',
        allowed_users: ['*'],
        assistant: 'failing',
      },
      lab: {
        ...common,
        secret: secrets.lab,
        user: 'ada@example.com',
        allowed_users: ['ada-id'],
        assistant: 'approval',
      },
      careful: {
        type: 'http',
        secret: secrets.careful,
        url: receiver.url,
        user: 'ada@example.com',
        allowed_users: ['*'],
        assistant: 'chat',
      },
      off: { ...common, secret: secrets.off, enabled: false, user: 'ada@example.com', allowed_users: ['*'] },
      closed: { ...common, secret: secrets.closed, users: { x: 'unknown@example.com' }, assistant: 'chat' },
    }),
  });
  [ada, bob] = [server.ada, server.bob];
});
afterAll(async () => {
  await server.close();
  await receiver.close();
});

let ids = 0;
const newId = () => {
  ids += 1;
  return `message-${ids}`;
};

interface Sent {
  channel?: string;
  id?: string;
  timestamp?: string;
  /** The signed content, when it differs from the sent one. */
  signed?: string;
  secret?: string;
  signature?: string;
  headers?: Record<string, string>;
}

const secretOf = (channel: string) => (secrets as Record<string, string>)[channel] ?? otherSecret;
const nowSeconds = () => Math.floor(Date.now() / 1000);

async function post(message: object, sent: Sent = {}): Promise<{ status: number; body: unknown }> {
  const { channel = 'desk', id = newId(), timestamp = String(nowSeconds()) } = sent;
  const body = JSON.stringify(message);
  const signature =
    sent.signature ??
    signatureOf({ id, timestamp, body: sent.signed ?? body }, sent.secret ?? secretOf(channel));
  const answer = await server.gateway.fetch(`/api/channels/${channel}/messages`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': signature,
      ...sent.headers,
    },
    body,
  });
  return { status: answer.status, body: await answer.json() };
}

const said = (text: string, chat = 'c1', user = 'ada-id') => ({ chat_id: chat, user_id: user, text });
const repliesIn = (chat: string) => receiver.replies.filter(({ reply }) => reply.data.chat_id === chat);
const textsIn = (chat: string) => repliesIn(chat).map(({ reply }) => reply.data.text);
const answered = (chat: string, texts: unknown) => expect.poll(() => textsIn(chat)).toEqual(texts);
const threadsOf = (caller: ConversationCaller, chat: string) =>
  caller.ok('POST', '/threads/search', { metadata: { chat_id: chat } });

describe('a signed message', () => {
  it('is answered to the URL of the channel, signed in the same way', async () => {
    const id = newId();
    expect(await post(said('hello', 'first'), { id })).toEqual({
      status: 202,
      body: { accepted: true, duplicate: false },
    });
    await answered('first', ['You said: hello']);
    const [{ headers, body, reply } = {} as never] = repliesIn('first');
    const [thread] = await threadsOf(ada, 'first');
    expect(reply).toEqual({
      type: 'message.reply',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      data: {
        channel: 'desk',
        chat_id: 'first',
        topic_id: null,
        in_reply_to: id,
        thread_id: thread.thread_id,
        run_id: expect.any(String),
        text: 'You said: hello',
        files: [],
      },
    });
    const signed = {
      id: String(headers['webhook-id']),
      timestamp: String(headers['webhook-timestamp']),
      body,
    };
    expect(headers['webhook-signature']).toBe(signatureOf(signed, secrets.desk));
  });

  it('is the same message when it is delivered again, even at the same moment', async () => {
    const id = newId();
    const message = said('once', 'again');
    const answers = await Promise.all([post(message, { id }), post(message, { id }), post(message, { id })]);
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202]);
    expect(answers.filter(({ body }) => !(body as { duplicate: boolean }).duplicate)).toHaveLength(1);
    await answered('again', ['You said: once']);
    expect(await post(message, { id })).toMatchObject({ body: { duplicate: true } });
    await post(said('next', 'again'));
    await answered('again', ['You said: once', 'You said: next']);
    const [{ thread_id }] = await threadsOf(ada, 'again');
    expect(await ada.ok('GET', `/threads/${thread_id}/runs`)).toHaveLength(2);
  });

  it('of one chat and two users makes two conversations, and so do two topics', async () => {
    await post(said('a', 'both', 'ada-id'));
    await post(said('b', 'both', 'bob-id'));
    await post({ ...said('t', 'both', 'ada-id'), topic_id: 'two' });
    await expect.poll(() => textsIn('both').sort()).toEqual(['You said: a', 'You said: b', 'You said: t']);
    expect(await threadsOf(ada, 'both')).toHaveLength(1);
    expect(await threadsOf(bob, 'both')).toHaveLength(1);
    const topics = repliesIn('both').map(({ reply }) => reply.data.topic_id);
    expect(topics.filter((topic) => topic !== null)).toEqual(['two']);
    expect(await threadsOf(ada, 'both\ntwo')).toHaveLength(1);
  });

  it('brings files inside it or by their addresses', async () => {
    receiver.files.set('/notes.txt', { content: 'from afar' });
    await post({
      ...said('look', 'files'),
      files: [
        { type: 'image', filename: '../../dot.png', content: Buffer.from('png').toString('base64') },
        { type: 'file', filename: 'notes.txt', url: `${receiver.url}/notes.txt` },
        { type: 'file', filename: 'lost.txt', url: `${receiver.url}/lost.txt` },
      ],
    });
    await expect.poll(() => textsIn('files')).toHaveLength(1);
    const [text = ''] = textsIn('files');
    expect(text).toContain('- dot.png (0.0 KB)\n  Type: image\n  Path: /mnt/user-data/uploads/dot.png');
    expect(text).toContain('Path: /mnt/user-data/uploads/notes.txt');
    expect(text).toContain('Failed to obtain: lost.txt (it could not be fetched)');
  });

  it('leads the gateway neither to private addresses nor along a redirect', async () => {
    receiver.files.set('/inside.txt', { content: 'internal' });
    receiver.files.set('/away', { status: 302, headers: { location: '/inside.txt' }, content: '' });
    const files = [{ type: 'file', filename: 'x.txt', url: `${receiver.url}/inside.txt` }];
    await post({ ...said('', 'ssrf'), files }, { channel: 'careful' });
    await post({ ...said('', 'moved'), files: [{ ...files[0], url: `${receiver.url}/away` }] });
    await answered('moved', ['You said: Failed to obtain: x.txt (it could not be fetched)']);
    // The answer cannot go to a private address either, so the test reads in the thread what the agent was told.
    await expect.poll(async () => JSON.stringify(await threadsOf(ada, 'ssrf'))).toContain('thread_id');
    const [{ thread_id }] = await threadsOf(ada, 'ssrf');
    await expect
      .poll(async () => JSON.stringify((await ada.ok('GET', `/threads/${thread_id}/state`)).values))
      .toContain('is in a private network');
    expect(textsIn('ssrf')).toEqual([]);
  });

  it('gets a plain answer when its run fails', async () => {
    await post(said('hello', 'sad'), { channel: 'shop' });
    await answered('sad', ['An internal error occurred. Please try again.']);
  });

  it('answers a question at which the agent has stopped', async () => {
    await post(said('go', 'ask'), { channel: 'lab' });
    await expect.poll(() => textsIn('ask')).toHaveLength(1);
    await post(said('yes', 'ask'), { channel: 'lab' });
    await expect.poll(() => textsIn('ask')).toHaveLength(2);
    const [{ thread_id }] = await threadsOf(ada, 'ask');
    const runs = await ada.ok('GET', `/threads/${thread_id}/runs`);
    expect(runs.map(({ status }: { status: string }) => status)).toEqual(['success', 'success']);
    expect((await ada.ok('GET', `/threads/${thread_id}`)).status).toBe('idle');
    expect((await ada.ok('GET', `/threads/${thread_id}/state`)).values.log).toContain('answered "yes"');
  });
});

describe('a message that is not signed with the secret of the channel', () => {
  const denied = {
    status: 401,
    body: { detail: expect.stringContaining('not signed with the secret of this channel') },
  };

  it.each<[string, Sent]>([
    ['another secret', { secret: otherSecret }],
    ['another body', { signed: JSON.stringify(said('something else', 'forged')) }],
    ['another version', { signature: 'v2,AAAA' }],
    ['no signature', { signature: '' }],
    ['a signature that is no text', { signature: 'v1,' }],
    ['a time too long ago', { timestamp: String(nowSeconds() - 400) }],
    ['a time too far ahead', { timestamp: String(nowSeconds() + 400) }],
    ['a time that is none', { timestamp: 'now' }],
    ['an odd way to write the time', { timestamp: `0${nowSeconds()}` }],
    ['an id with spaces', { id: 'a b' }],
    ['an id without end', { id: 'x'.repeat(129) }],
    ['a channel that is not there', { channel: 'nowhere' }],
    ['a channel that is switched off', { channel: 'off' }],
    ['the secret of another channel', { channel: 'shop', secret: secrets.desk }],
  ])('is refused: %s', async (_what, sent) => {
    expect(await post(said('let me in', 'forged'), sent)).toEqual(denied);
    expect(textsIn('forged')).toEqual([]);
  });

  it('is refused before the body is parsed', async () => {
    const answer = await server.gateway.fetch('/api/channels/desk/messages', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"broken',
    });
    expect(answer.status).toBe(401);
  });

  it('is refused even when the caller is signed in', async () => {
    const answer = await ada.post('/channels/desk/messages', said('as ada', 'forged'));
    expect(answer.status).toBe(401);
  });

  it('is accepted with one right signature among several, from a sender that changes its secret', async () => {
    const [id, timestamp] = [newId(), String(nowSeconds())];
    const message = said('rotating', 'rotate');
    const good = signatureOf({ id, timestamp, body: JSON.stringify(message) }, secrets.desk);
    expect(await post(message, { id, timestamp, signature: `v1,AAAA ${good}` })).toMatchObject({
      status: 202,
    });
  });
});

describe('a signed message with a fault', () => {
  it.each([
    ['no chat', { user_id: 'ada-id', text: 'x' }],
    ['a chat with a line break', said('x', 'a\nb')],
    ['a text without end', said('x'.repeat(32_001))],
    ['a file without content', { ...said('x'), files: [{ type: 'file' }] }],
    [
      'a file with both',
      { ...said('x'), files: [{ type: 'file', url: 'https://x.example/a', content: 'eA==' }] },
    ],
    ['a file of another scheme', { ...said('x'), files: [{ type: 'file', url: 'file:///etc/passwd' }] }],
    [
      'eleven files',
      { ...said('x'), files: Array.from({ length: 11 }, () => ({ type: 'file', content: 'eA==' })) },
    ],
  ])('is refused with %s', async (_what, message) => {
    expect((await post(message)).status).toBe(422);
  });

  it('is refused for a sender who is not let in, and for one whose account is gone', async () => {
    expect(await post(said('x', 'who', 'mallory'))).toEqual({
      status: 403,
      body: { detail: 'This sender may not use the channel.' },
    });
    expect((await post(said('x', 'who', 'bob-id'), { channel: 'lab' })).status).toBe(403);
    expect((await post(said('x', 'who', 'x'), { channel: 'closed' })).status).toBe(403);
  });

  it('is refused while too many messages of the chat wait', async () => {
    const gate = closeGate('http-full');
    await post(said('count to 2 at gate http-full before 1', 'full'));
    const answers = [];
    for (let index = 0; index < 20; index += 1) answers.push((await post(said(`${index}`, 'full'))).status);
    expect(answers).toEqual([...Array.from({ length: 19 }, () => 202), 429]);
    expect((await post(said('elsewhere', 'not-full'))).status).toBe(202);
    await answered('not-full', ['You said: elsewhere']);
    gate.open();
    await answered('full', ['1 2', ...Array.from({ length: 19 }, (_, index) => `You said: ${index}`)]);
  });
});

describe('an answer', () => {
  it('is sent again until it is accepted, under the same id', async () => {
    receiver.answerNext(500);
    await post(said('try', 'retry'));
    await answered('retry', ['You said: try']);
    const attempts = receiver.attempts.filter(({ reply }) => reply.data.chat_id === 'retry');
    expect(attempts).toHaveLength(2);
    expect(new Set(attempts.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  });

  it('is not sent again to a receiver that wants no more', async () => {
    receiver.answerNext(410);
    await post(said('gone', 'gone'));
    const { read } = server.gateway.context.database.withTables<ChannelTables>();
    const rows = read.selectFrom('channel_messages').where('chat_id', '=', 'gone');
    await expect
      .poll(() => rows.select(['status', 'error', 'text']).execute())
      .toEqual([{ status: 'failed', error: 'It answered 410.', text: '' }]);
  });

  it('is never sent for a deleted thread, and the chat continues in a new one', async () => {
    const gate = closeGate('http-deleted');
    await post(said('count to 2 at gate http-deleted before 1', 'deleted'));
    await gate.reached;
    const [{ thread_id }] = await threadsOf(ada, 'deleted');
    await ada.ok('DELETE', `/threads/${thread_id}`);
    gate.open();
    await post(said('afterwards', 'deleted'));
    await expect.poll(() => textsIn('deleted')).toContain('You said: afterwards');
    expect(textsIn('deleted')).toEqual(['You said: afterwards']);
    const [{ thread_id: next }] = await threadsOf(ada, 'deleted');
    expect(next).not.toBe(thread_id);
  });
});
