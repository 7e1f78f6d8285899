import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type DevGateway, startGateway } from '@switchyard/dev-env/gateway';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

let gateway: DevGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

async function open(): Promise<Socket> {
  const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
  await once(socket, 'connect');
  return socket;
}

const head = (lines: string[]): string => `${[...lines, 'Host: localhost'].join('\r\n')}\r\n\r\n`;
const offer = ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAAP__'];
const webSocket = ['Connection: Upgrade', 'Upgrade: websocket'];

/** Reads from now on, until this text has arrived. */
function read(socket: Socket, wanted: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const onData = (chunk: Buffer): void => {
      text += String(chunk);
      if (!wanted.test(text)) return;
      socket.off('data', onData).off('close', onClose);
      resolve(text);
    };
    const onClose = (): void => reject(new Error(`The connection was closed after: ${text}`));
    socket.on('data', onData).once('close', onClose);
  });
}

describe('an offer of another protocol', () => {
  test('is ignored, and the connection serves the next request as well', async () => {
    const socket = await open();
    socket.write(head(['GET /healthz HTTP/1.1', ...offer]));
    expect(await read(socket, /"status":"ok"/)).toMatch(/HTTP\/1\.1 200 /);
    socket.write(head(['GET /api/health HTTP/1.1']));
    expect(await read(socket, /"database"/)).toMatch(/HTTP\/1\.1 200 /);
    socket.destroy();
  });

  test('may come with every request of a long connection', async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => warnings.push(warning);
    process.on('warning', onWarning);
    const socket = await open();
    for (let count = 0; count < 30; count += 1) {
      socket.write(head(['GET /healthz HTTP/1.1', ...offer]));
      await read(socket, /"status":"ok"/);
    }
    socket.destroy();
    process.off('warning', onWarning);
    expect(warnings).toEqual([]);
  });

  test('does not lose the body that comes with it, in one piece or later', async () => {
    const body = JSON.stringify({ username: 'nobody@example.com', password: 'x' });
    const lines = [
      'POST /api/auth/login HTTP/1.1',
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      ...offer,
    ];
    const socket = await open();
    socket.write(head(lines) + body);
    expect(await read(socket, /invalid_credentials/)).toMatch(/HTTP\/1\.1 401 /);
    socket.write(head(lines));
    socket.write(body.slice(0, 5));
    setImmediate(() => socket.write(body.slice(5)));
    expect(await read(socket, /invalid_credentials/)).toMatch(/HTTP\/1\.1 401 /);
    socket.destroy();
  });

  test('with a request to close is answered and closed', async () => {
    const socket = await open();
    socket.write(head(['GET /healthz HTTP/1.1', 'Connection: close, Upgrade', 'Upgrade: h2c']));
    const closed = once(socket, 'close');
    await read(socket, /"status":"ok"/);
    await closed;
  });
});

describe('a WebSocket', () => {
  test.each([
    ['/nope', 404],
    ['/healthz', 200],
  ])('is not available at %s, which answers %i', async (path, status) => {
    const socket = await open();
    socket.write(head([`GET ${path} HTTP/1.1`, ...webSocket]));
    expect(await read(socket, /\r\n\r\n/)).toMatch(new RegExp(`HTTP/1\\.1 ${status} `));
    socket.destroy();
  });

  test('that is refused before the upgrade leaves no connection behind', async () => {
    const socket = await open();
    socket.write(head(['GET /ws?token=%00 HTTP/1.1', ...webSocket]));
    const closed = once(socket, 'close');
    expect(await read(socket, /\r\n\r\n/)).toMatch(/HTTP\/1\.1 422 /);
    await closed;
  });
});
