import { type IncomingMessage, request } from 'node:http';
import { bytesBetweenSockets } from '@switchyard/dev-env/bytes-between-sockets';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { bytesOfBurst, framesOfBurst } from './fixtures/agents/flood.ts';
import { closeGate } from './fixtures/agents/gates.ts';
import type { ConversationCaller } from './support/conversation-caller.ts';
import { type ConversationGateway, startConversation } from './support/conversation-gateway.ts';

// More than one burst, less than two.
const streamBuffer = 4 * 1024 * 1024;
const filter = { channels: ['custom', 'lifecycle', 'values'] };

let server: ConversationGateway;
let ada: ConversationCaller;
beforeAll(async () => {
  server = await startConversation({ conversation: { stream_buffer: streamBuffer } });
  ada = server.ada.at('/api/langgraph');
});
afterAll(() => server.close());

/** A reader that takes nothing until it is told to. */
interface Unread {
  /** Reads what has waited until the gateway ends the connection. `how` is the error or the code of the end. */
  readToTheEnd(): Promise<{ bytes: number; end: string; how: unknown }>;
}

async function unreadStream(threadId: string): Promise<Unread> {
  const url = new URL(`${ada.mount}/threads/${threadId}/stream/events`, ada.url);
  const headers = { 'x-api-key': ada.token, 'content-type': 'application/json' };
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    request(url, { method: 'POST', headers }, resolve).once('error', reject).end(JSON.stringify(filter));
  });
  return readerOf(
    (take) => answer.on('data', take),
    new Promise((resolve) => {
      answer
        .once('end', () => resolve('clean'))
        .once('error', ({ code }: NodeJS.ErrnoException) => resolve(code));
    }),
  );
}

async function unreadSocket(threadId: string): Promise<Unread> {
  const url = `${ada.url.replace(/^http/, 'ws')}${ada.mount}/threads/${threadId}/stream/events`;
  const socket = new WebSocket(url, { headers: { 'x-api-key': ada.token } });
  await new Promise((resolve) => socket.once('open', resolve));
  const answered = new Promise((resolve) => socket.once('message', resolve));
  socket.send(JSON.stringify({ id: 1, method: 'subscription.subscribe', params: filter }));
  await answered;
  socket.pause();
  const take = (use: (part: Buffer) => void): void => {
    socket.on('message', (data) => use(data as Buffer));
    socket.resume();
  };
  return readerOf(take, new Promise((resolve) => socket.once('close', resolve)));
}

function readerOf(take: (use: (part: Buffer) => void) => void, ended: Promise<unknown>): Unread {
  let bytes = 0;
  let end = '';
  return {
    readToTheEnd: async () => {
      take((part) => {
        bytes += part.length;
        end = (end + String(part)).slice(-4_000);
      });
      const how = await ended;
      return { bytes, end, how };
    },
  };
}

it.each([
  ['an event stream', 'ECONNRESET', unreadStream],
  ['a socket', 1011, unreadSocket],
])('a reader of %s that never reads is cut, and the others miss nothing', async (kind, cut, open) => {
  const bursts = 2 + Math.ceil((streamBuffer + (await bytesBetweenSockets())) / bytesOfBurst);
  const name = `v2 ${kind}`;
  const gates = Array.from({ length: bursts }, (_, burst) => closeGate(`${name}:${burst}`));
  const threadId = await ada.thread();
  const unread = await open(threadId);
  const reader = await ada.open('POST', `/threads/${threadId}/stream/events`, { body: filter });
  const params = { assistant_id: 'flood', input: { name, bursts } };
  const { body } = await ada.post(`/threads/${threadId}/commands`, { id: 1, method: 'run.start', params });
  for (const [burst, gate] of gates.entries()) {
    gate.open();
    await reader.until(
      ({ event, data }) =>
        event === 'custom' &&
        data.params.data.payload.burst === burst &&
        data.params.data.payload.index === framesOfBurst - 1,
    );
  }
  expect(reader.of('custom')).toHaveLength(bursts * framesOfBurst);
  expect(await ada.ended(threadId, body.result.run_id)).toMatchObject({ status: 'success' });
  reader.leave();

  const { bytes, end, how } = await unread.readToTheEnd();
  expect(how).toBe(cut);
  expect(bytes).toBeLessThan(bursts * bytesOfBurst);
  expect(end).toContain(`"bursts":${bursts}`);
  const again = await ada.open('POST', `/threads/${threadId}/stream/events`, { body: filter });
  await again.until(({ event, data }) => event === 'lifecycle' && data.params.data.event === 'completed');
  again.leave();
});
