import { existsSync } from 'node:fs';
import { type ClientRequest, request } from 'node:http';
import { join } from 'node:path';
import { SpawnedGateway } from '@switchyard/dev-env/spawned-gateway';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { afterEach, beforeEach, expect, it } from 'vitest';

let home: ReturnType<typeof temporaryFolder>;
let gateway: SpawnedGateway;

beforeEach(async () => {
  home = temporaryFolder();
  gateway = await SpawnedGateway.start({ home: home.path });
});

afterEach(async () => {
  await gateway.kill9().catch(() => undefined); // most tests have ended the process already
  home.remove();
});

it('ends on SIGTERM with exit code 0 and removes its address file', async () => {
  gateway.signal('SIGTERM');
  expect(await gateway.exited).toEqual({ code: 0, signal: null });
  expect(existsSync(join(home.path, 'gateway.json'))).toBe(false);
});

it('finishes a request that was running at SIGTERM, and accepts no new one', async () => {
  const slow = await openRequest(gateway.url);
  gateway.signal('SIGTERM');
  await expect.poll(() => answersAtAll(gateway.url)).toBe(false);
  slow.request.end('"password":"x"}');
  expect(await slow.status).toBe(401);
  expect(await gateway.exited).toEqual({ code: 0, signal: null });
});

it('ends at once on the second signal, whatever is running', async () => {
  const slow = await openRequest(gateway.url);
  slow.status.catch(() => undefined); // its socket is cut
  gateway.signal('SIGTERM');
  await expect.poll(() => answersAtAll(gateway.url)).toBe(false);
  gateway.signal('SIGTERM');
  const { code, signal } = await gateway.exited;
  expect(code !== 0 || signal !== null).toBe(true);
});

/** A login whose body is only half sent: a request that runs until the test ends it. */
async function openRequest(
  url: string,
): Promise<{ request: ClientRequest; status: Promise<number | undefined> }> {
  const body = '{"username":"nobody@example.com","password":"x"}';
  const headers = {
    'content-type': 'application/json',
    'content-length': body.length,
    expect: '100-continue',
  };
  const open = request(new URL('/api/v1/auth/login/local', url), { method: 'POST', headers });
  const status = new Promise<number | undefined>((resolve, reject) => {
    open.once('response', (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    open.once('error', reject);
  });
  await new Promise<void>((resolve, reject) => {
    open.once('continue', resolve); // the gateway has read the head and waits for the body
    open.once('error', reject);
    open.flushHeaders();
  });
  open.write('{"username":"nobody@example.com",');
  return { request: open, status };
}

async function answersAtAll(url: string): Promise<boolean> {
  try {
    return (await fetch(new URL('/readyz', url), { headers: { connection: 'close' } })).ok;
  } catch {
    return false;
  }
}
