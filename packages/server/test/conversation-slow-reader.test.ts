import { get, type IncomingMessage } from 'node:http';
import { bytesBetweenSockets } from '@switchyard/dev-env/bytes-between-sockets';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bytesOfBurst, framesOfBurst } from './fixtures/agents/flood.ts';
import { closeGate } from './fixtures/agents/gates.ts';
import type { ConversationCaller } from './support/conversation-caller.ts';
import { type ConversationGateway, startConversation } from './support/conversation-gateway.ts';

// More than one burst, less than two.
const streamBuffer = 4 * 1024 * 1024;

let server: ConversationGateway;
let ada: ConversationCaller;
beforeAll(async () => {
  server = await startConversation({ conversation: { stream_buffer: streamBuffer } });
  ada = server.ada;
});
afterAll(() => server.close());

/** An answer whose body is never read. */
function openUnread(path: string): Promise<IncomingMessage> {
  const headers = { 'x-api-key': ada.token };
  return new Promise((resolve, reject) => {
    get(new URL(ada.mount + path, ada.url), { headers }, resolve).once('error', reject);
  });
}

it('a reader that never reads is disconnected; the run continues and the others miss nothing', async () => {
  const bursts = 2 + Math.ceil((streamBuffer + (await bytesBetweenSockets())) / bytesOfBurst);
  const gates = Array.from({ length: bursts }, (_, burst) => closeGate(`flood:${burst}`));
  const threadId = await ada.thread();
  const { run_id } = await ada.run(threadId, {
    assistant_id: 'flood',
    input: { name: 'flood', bursts },
    stream_mode: 'custom',
  });
  const path = `/threads/${threadId}/runs/${run_id}`;
  const unread = await openUnread(`${path}/stream`);
  const reader = await ada.open('GET', `${path}/stream`);
  for (const [burst, gate] of gates.entries()) {
    gate.open();
    await reader.until(({ data }) => data.burst === burst && data.index === framesOfBurst - 1);
  }
  await reader.rest();
  expect(reader.of('custom')).toHaveLength(bursts * framesOfBurst);
  expect(await ada.ended(threadId, run_id)).toMatchObject({ status: 'success' });

  let end = '';
  unread.setEncoding('utf8').on('data', (part: string) => {
    end = (end + part).slice(-1_000);
  });
  const closing = await new Promise((resolve) => {
    unread.once('end', () => resolve('clean')).once('error', resolve);
  });
  expect(closing).toMatchObject({ code: 'ECONNRESET' });
  expect(end).toContain('event: gap\n');
  expect(end).toContain('"recovery":"reload_durable_state"');
});
