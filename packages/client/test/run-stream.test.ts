import type { ServerResponse } from 'node:http';
import { type ScriptedServer, startScriptedServer } from '@switchyard/dev-env/scripted-server';
import { afterEach, expect, it } from 'vitest';
import { createClient } from '../src/client.ts';

let server: ScriptedServer | undefined;

afterEach(async () => {
  await server?.close();
  server = undefined;
});

function startEvents(response: ServerResponse, from: number, to: number): void {
  response.writeHead(200, {
    'content-type': 'text/event-stream',
    'content-location': '/api/threads/t/runs/r',
    location: '/threads/t/runs/r/stream',
  });
  for (let id = from; id <= to; id += 1) response.write(`event: values\nid: ${id}\ndata: {"n":${id}}\n\n`);
}

it('reads a run to its end over connections that the gateway breaks off, each frame once', async () => {
  const asked: (string | undefined)[] = [];
  server = await startScriptedServer((request, response) => {
    asked.push(request.headers['last-event-id']?.toString());
    const last = Number(request.headers['last-event-id'] ?? 0);
    startEvents(response, last + 1, last + 10);
    if (last < 40) setTimeout(() => response.socket?.destroySoon(), 5);
    else response.end();
  });
  const client = createClient({ baseUrl: `http://127.0.0.1:${server.port}`, token: 't' });
  const stream = await client.runs.start('t', {}, { reconnect: { firstMs: 1 } });
  const seen: (string | null)[] = [];
  const breaks: string[] = [];
  for await (const frame of stream) {
    if (frame.event === 'disconnected') breaks.push(frame.data.reason);
    else seen.push(frame.id);
  }
  expect(seen.map(Number)).toEqual(Array.from({ length: 50 }, (_, i) => i + 1));
  expect(breaks).toEqual(Array.from({ length: 4 }, () => 'The connection broke.'));
  expect(asked).toEqual([undefined, '10', '20', '30', '40']);
  expect(server.requests[1]).toBe('GET /api/threads/t/runs/r/stream');
});

it('closes its connection when it is aborted', async () => {
  let closed: Promise<void> | undefined;
  server = await startScriptedServer((_request, response) => {
    closed = new Promise((resolve) => response.once('close', resolve));
    startEvents(response, 1, 1);
  });
  const client = createClient({ baseUrl: `http://127.0.0.1:${server.port}`, token: 't' });
  const controller = new AbortController();
  const stream = client.runs.follow({ threadId: 't', runId: 'r', signal: controller.signal });
  const reading = (async () => {
    for await (const _ of stream) controller.abort(new Error('enough'));
  })();
  await expect(reading).rejects.toThrow('enough');
  await closed;
});
