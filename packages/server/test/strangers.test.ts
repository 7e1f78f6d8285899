import { randomBytes } from 'node:crypto';
import { FakeWorker } from '@switchyard/dev-env/fake-worker';
import { type DevGateway, startGateway } from '@switchyard/dev-env/gateway';
import { readChannels } from '@switchyard/server/config/channels';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ConversationCaller } from './support/conversation-caller.ts';
import { fixtureAgents } from './support/conversation-gateway.ts';
import { DispatchCaller } from './support/dispatch-caller.ts';
import { anyWorkflow } from './support/dispatch-pool.ts';
import { PushListener } from './support/push-listener.ts';
import { RawConnection } from './support/raw-connection.ts';
import { signatureOf } from './support/reply-receiver.ts';

const secret = `whsec_${randomBytes(32).toString('base64')}`;
const socketsPerUser = 3;

let gateway: DevGateway;
let worker: FakeWorker;
let ada: DispatchCaller;
let talker: ConversationCaller;

beforeAll(async () => {
  gateway = await startGateway({
    config: {
      // A proxy names the addresses of strangers, so that each test has its own addresses.
      auth: { trusted_proxies: ['127.0.0.1'] },
      agents: fixtureAgents,
      dispatch: { max_sockets_per_user: socketsPerUser },
      channels: readChannels({
        desk: {
          type: 'http',
          url: 'http://127.0.0.1:9/replies',
          secret,
          users: { 'ada-id': 'ada@example.com' },
          assistant: 'chat',
        },
      }),
    },
  });
  worker = await FakeWorker.start({});
  const admin = await DispatchCaller.initialize(gateway.url);
  await admin.useWorkers([worker.port]);
  ada = await DispatchCaller.register(gateway.url, 'ada@example.com');
  talker = await ConversationCaller.of(gateway.url, await gateway.register('talker@example.com'));
});
afterAll(async () => {
  await gateway.stop();
  await worker.close();
});

const opened: RawConnection[] = [];
afterEach(() => {
  for (const connection of opened.splice(0)) connection.destroy();
});

async function open(): Promise<RawConnection> {
  const connection = await RawConnection.open(gateway.url);
  opened.push(connection);
  return connection;
}

const times = <Value>(count: number, make: (index: number) => Value): Value[] =>
  Array.from({ length: count }, (_, index) => make(index));

const countOf = (connections: readonly RawConnection[], status: number) =>
  connections.filter(({ statuses }) => statuses[0] === status).length;
const allAnswered = (connections: readonly RawConnection[]) =>
  expect
    .poll(() => connections.filter(({ statuses }) => statuses.length > 0).length)
    .toBe(connections.length);

const addressOf = (index: number) => `198.18.${index >> 8}.${index & 255}`;

/** Asks for a WebSocket without credentials. */
async function openSocket(address: string, more: readonly string[] = []): Promise<RawConnection> {
  const connection = await open();
  connection.request([
    'GET /ws HTTP/1.1',
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`,
    `X-Real-IP: ${address}`,
    ...more,
  ]);
  return connection;
}

/** A message of 200 kB to an agent: far more than the uncounted part. */
async function expectLargeMessage(): Promise<void> {
  const values = await talker.wait(await talker.thread(), {
    assistant_id: 'chat',
    input: { messages: [{ role: 'user', content: 'y'.repeat(200_000) }] },
  });
  expect(values.messages).toHaveLength(2);
}

let ids = 0;

/** The head of a message to a channel. Its signature looks right. Only the body can show that it is wrong. */
function messageHead({ channel = 'desk', body = '', signature = '', address = '198.18.0.1' }): string[] {
  ids += 1;
  const [id, timestamp] = [`message-${ids}`, String(Math.floor(Date.now() / 1000))];
  return [
    `POST /api/channels/${channel}/messages HTTP/1.1`,
    'Content-Type: application/json',
    `Webhook-Id: ${id}`,
    `Webhook-Timestamp: ${timestamp}`,
    `Webhook-Signature: ${signature || signatureOf({ id, timestamp, body }, secret)}`,
    `X-Real-IP: ${address}`,
  ];
}

describe('a WebSocket that is not signed in', () => {
  it('has few places per address; further ones are refused before the upgrade, and their connections end', async () => {
    const sockets = await Promise.all(times(60, () => openSocket('203.0.113.1')));
    await allAnswered(sockets);
    expect(countOf(sockets, 101)).toBeGreaterThanOrEqual(16);
    expect(countOf(sockets, 429)).toBeGreaterThan(0);
    const refused = sockets.filter(({ statuses }) => statuses[0] === 429);
    await expect.poll(() => refused.every(({ isClosed }) => isClosed)).toBe(true);
    expect(refused[0]?.text).toMatch(/\r\nconnection: close\r\n/i);

    const elsewhere = await openSocket('203.0.113.2');
    await allAnswered([elsewhere]);
    expect(elsewhere.statuses).toEqual([101]);
  });

  it('frees its place when it disconnects', async () => {
    const sockets = await Promise.all(times(16, () => openSocket('203.0.113.3')));
    await allAnswered(sockets);
    sockets[0]?.destroy();
    await expect
      .poll(async () => {
        const next = await openSocket('203.0.113.3');
        await allAnswered([next]);
        return next.statuses;
      })
      .toEqual([101]);
  });

  it('frees its place as soon as it has signed in', async () => {
    // They all come from the address of the proxy, which names no other address.
    const listeners = [];
    for (let count = 0; count < 20; count += 1) {
      const caller = await DispatchCaller.register(gateway.url, `tab-${count}@example.com`);
      const listener = await PushListener.open(gateway.url, null);
      listener.send({ type: 'auth', data: { token: caller.token } });
      await listener.next('global_status');
      listeners.push(listener);
    }
    for (const listener of listeners) listener.close();
  });

  it('takes no place from one whose request is already signed in', async () => {
    const strangers = await Promise.all(times(20, () => openSocket('203.0.113.4')));
    await allAnswered(strangers);
    const authorization = `Authorization: Bearer ${ada.token}`;
    const own = await Promise.all(times(socketsPerUser, () => openSocket('203.0.113.4', [authorization])));
    await expect.poll(() => own.every(({ text }) => text.includes('global_status'))).toBe(true);
  });

  it('is closed after two seconds, and at once with a wrong token, even if it does not respond', async () => {
    const silent = await openSocket('203.0.113.5');
    const wrong = await openSocket('203.0.113.5', ['Authorization: Bearer nonsense']);
    await expect.poll(() => [silent.isClosed, wrong.isClosed]).toEqual([true, true]);
    expect([silent.statuses, wrong.statuses]).toEqual([[101], [101]]);
  });

  it('does not count for a user; sockets beyond the limit of a user are closed even if they do not respond', async () => {
    const authorization = `Authorization: Bearer ${ada.token}`;
    const sockets = await Promise.all(
      times(socketsPerUser + 4, () => openSocket('203.0.113.6', [authorization])),
    );
    await expect.poll(() => sockets.filter(({ isClosed }) => isClosed).length).toBe(4);
    expect(sockets.filter(({ text }) => text.includes('global_status'))).toHaveLength(socketsPerUser);
  });
});

describe('a message to a channel', () => {
  const message = (text: string) => JSON.stringify({ chat_id: 'c', user_id: 'ada-id', text });
  const next = ['GET /healthz HTTP/1.1'];

  it.each([
    ['of a channel that is not there', { channel: 'nowhere' }],
    ['with a signature that can be none', { signature: 'v1,AAAA' }],
  ])('%s is refused before its body has arrived', async (_what, head) => {
    const connection = await open();
    connection.request([...messageHead(head), 'Content-Length: 2000000'], '{');
    await expect.poll(() => connection.statuses).toEqual([401]);
  });

  it('that is too large is refused, and the connection serves the next request', async () => {
    const body = message('x'.repeat(6_000_000));
    const connection = await open();
    connection.request([...messageHead({ body }), `Content-Length: ${body.length}`], body);
    connection.request(next);
    await expect.poll(() => connection.statuses).toEqual([413, 200]);
  });

  it('that turns out to be too large is refused, and the connection serves the next request', async () => {
    const body = message('x'.repeat(6_000_000));
    const chunked = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
    const connection = await open();
    connection.request([...messageHead({ body }), 'Transfer-Encoding: chunked'], chunked);
    connection.request(next);
    await expect.poll(() => connection.statuses).toEqual([413, 200]);
  });

  it('that is too large and never ends is refused, and the connection ends', async () => {
    const body = message('x'.repeat(6_000_000));
    const connection = await open();
    connection.request(
      [...messageHead({ body }), 'Transfer-Encoding: chunked'],
      `${body.length.toString(16)}\r\n${body}\r\n`,
    );
    await expect.poll(() => connection.statuses).toEqual([413]);
    await expect.poll(() => connection.isClosed).toBe(true);
  });

  it('with a wrong signature is refused, and the connection serves the next request', async () => {
    const body = message('hello');
    const connection = await open();
    connection.request([...messageHead({ body: 'another' }), `Content-Length: ${body.length}`], body);
    connection.request(next);
    await expect.poll(() => connection.statuses).toEqual([401, 200]);
  });
});

describe('half a body', () => {
  const half = 'x'.repeat(1_000_000);

  async function openHalf(address: string): Promise<RawConnection> {
    const connection = await open();
    connection.request([...messageHead({ address }), 'Content-Length: 2000000'], half);
    return connection;
  }

  it('takes the memory that it fills: one address gets no more than its share, and others and users continue', async () => {
    const greedy = await Promise.all(times(12, () => openHalf('203.0.113.7')));
    await expect.poll(() => countOf(greedy, 429)).toBeGreaterThan(0);
    await expectLargeMessage();

    const body = JSON.stringify({ chat_id: 'c', user_id: 'ada-id', text: 'z'.repeat(30_000) });
    const other = await open();
    const head = messageHead({ body, address: '203.0.113.8' });
    other.request([...head, `Content-Length: ${body.length}`], body);
    await expect.poll(() => other.statuses).toEqual([202]);
  });

  it('of 25 MB that is only announced takes no memory, not even from the same user', async () => {
    const head = [
      'POST /api/tasks HTTP/1.1',
      `Authorization: Bearer ${ada.token}`,
      'Content-Type: application/json',
      'Content-Length: 24000000',
    ];
    const stalled = await Promise.all(times(40, open));
    for (const connection of stalled) connection.request(head, '{');
    await expect.poll(() => gateway.context.tracker.inFlight).toBeGreaterThanOrEqual(40);
    const task = await ada.submit({ workflow: anyWorkflow, name: 'n'.repeat(100), tags: ['still'] });
    expect((await ada.ended(task.id)).status).toBe('completed');
    await expectLargeMessage();
  });

  it('that a user never completes has a share, and other users have theirs', async () => {
    const head = [
      'POST /api/tasks HTTP/1.1',
      `Authorization: Bearer ${ada.token}`,
      'Content-Type: application/json',
      'Content-Length: 24000000',
    ];
    const filling = Buffer.alloc(20_000_000, 'x');
    const stalled = await Promise.all(times(4, open));
    for (const connection of stalled) connection.request(head, filling);
    await expect.poll(() => countOf(stalled, 429)).toBe(1);
    await expectLargeMessage();
    expect((await ada.call('GET', '/api/tasks')).code).toBe(200);
  });
});

describe('requests whose answers a stranger never reads', () => {
  const ask = (address: string) => ['GET /openapi.json HTTP/1.1', `X-Real-IP: ${address}`];

  /** Sends requests one behind the other and reads no answer, so that all but the first few wait. */
  async function openUnread(address: string, count: number): Promise<RawConnection> {
    const connection = await open();
    connection.stopReading();
    for (let sent = 0; sent < count; sent += 1) connection.request(ask(address));
    return connection;
  }

  it('end their connection when they are too many for one', async () => {
    const connection = await openUnread('203.0.113.60', 2_000);
    connection.readAgain();
    await expect.poll(() => connection.isClosed).toBe(true);
  });

  it('have a share for each address and leave the places of users free', async () => {
    for (let wave = 0; wave < 10; wave += 1)
      await Promise.all(times(10, (index) => openUnread(addressOf(3_000 + wave * 10 + index), 30)));
    const reads = await Promise.all(times(50, () => ada.request('GET', '/api/tasks')));
    expect(reads.map(({ status }) => status)).toEqual(times(50, () => 200));
    expect(gateway.context.admission.strangersRequests).toBeGreaterThan(100);
    expect(gateway.context.admission.strangersRequests).toBeLessThanOrEqual(500);
  });
});

describe('1,000 sockets and 500 half bodies of strangers, held at once', () => {
  it('do not affect the reads, tasks, runs and live messages of users', async () => {
    const bare = await Promise.all(times(250, (index) => openLogin(addressOf(1_000 + index))));
    const halves = await Promise.all(times(250, (index) => openHalfMessage(addressOf(2_000 + index))));
    // The system keeps only a limited number of connections until they are accepted, and this process does both. So the
    // test opens them in waves.
    const answeredHalves = () => halves.filter(({ statuses }) => statuses.length > 0).length;
    await expect.poll(() => gateway.context.tracker.inFlight + answeredHalves()).toBeGreaterThanOrEqual(500);
    const sockets: RawConnection[] = [];
    while (sockets.length < 1_000) {
      const wave = await Promise.all(times(100, (index) => openSocket(addressOf(sockets.length + index))));
      await allAnswered(wave);
      sockets.push(...wave);
    }
    expect(gateway.context.admission.openSockets).toBeLessThanOrEqual(200);
    expect(countOf(sockets, 101) + countOf(sockets, 503)).toBe(1_000);

    const listener = await PushListener.open(gateway.url, ada.token);
    await listener.next('global_status');
    const reads = await Promise.all(times(50, () => ada.request('GET', '/api/tasks')));
    expect(new Set(reads.map(({ status }) => status))).toEqual(new Set([200]));
    const task = await ada.submit({ workflow: anyWorkflow });
    expect((await ada.ended(task.id)).status).toBe('completed');
    await listener.next('task_completed');
    listener.close();
    await expectLargeMessage();
    expect((await gateway.fetch('/readyz')).status).toBe(200);
    // They are still open, except for those that were refused.
    expect(bare.filter(({ isClosed }) => isClosed)).toEqual([]);
    expect(countOf(halves, 429)).toBe(0);
  });

  async function openLogin(address: string): Promise<RawConnection> {
    const connection = await open();
    connection.request(
      [
        'POST /api/auth/login HTTP/1.1',
        'Content-Type: application/json',
        'Content-Length: 16000',
        `X-Real-IP: ${address}`,
      ],
      '{"username":',
    );
    return connection;
  }

  async function openHalfMessage(address: string): Promise<RawConnection> {
    const connection = await open();
    connection.request([...messageHead({ address }), 'Content-Length: 2000000'], 'x'.repeat(400_000));
    return connection;
  }
});
