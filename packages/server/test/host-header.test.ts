import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from './support/test-server.ts';

let server: TestServer;
let port: number;

beforeAll(async () => {
  server = await startTestServer();
  port = await server.listen();
});
afterAll(() => server.close());

async function ask(...hosts: string[]): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  const lines = hosts.map((host) => `${host}\r\n`).join('');
  socket.write(`GET /api/health HTTP/1.1\r\n${lines}Connection: close\r\n\r\n`);
  return text(socket);
}

test('a request with one Host is served', async () => {
  expect(await ask('Host: localhost')).toMatch(/^HTTP\/1\.1 200 /);
});

test.each([
  ['Host: localhost', 'Host: evil.example'],
  ['Host: localhost', 'hOST: localhost'],
])(
  'a request with more than one is refused, because two readers could understand it differently: %s, %s',
  async (...hosts) => {
    const answer = await ask(...hosts);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain('"error":"host_repeated"');
  },
);

test('a request without one is refused', async () => {
  expect(await ask()).toMatch(/^HTTP\/1\.1 400 /);
});
