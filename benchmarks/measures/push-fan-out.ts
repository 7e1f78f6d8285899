import { fork } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { PushSocket } from '@switchyard/server/dispatch/push/push-socket';
import { type WebSocket, WebSocketServer } from 'ws';
import { measure } from '../measure.ts';
import { median } from '../statistics.ts';

const clients = 100;
const frames = 3_000;
/** The number of messages in a busy turn of the event loop. */
const framesPerTurn = 20;
const rounds = 5;
const frame = JSON.stringify({
  type: 'task_progress',
  timestamp: 1_700_000_000_000,
  data: {
    taskId: '01a1fe34-d53f-7ee5-a566-d958be98bde2',
    progress: 42,
    node: 'KSampler',
    step: 8,
    steps: 20,
  },
});

await measure('push-fan-out', `${frames} frames to each of ${clients} clients`, async () => {
  const ours: number[] = [];
  const bare: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const bareRate = await broadcastRate(sendBare);
    const ourRate = await broadcastRate(sendOurs);
    if (round === 0) continue; // warms both up
    bare.push(bareRate);
    ours.push(ourRate);
  }
  const ratio = (median(ours) / median(bare)) * 100;
  return {
    figures: [
      { name: `through our sockets (median of ${rounds})`, value: median(ours), unit: '/s' },
      { name: 'baseline: ws, send to each client (median)', value: median(bare), unit: '/s' },
      { name: 'ratio', value: ratio, unit: '%' },
    ],
    bars: [{ promise: '≥ 80 % of a bare ws broadcast of the same frames', isMet: ratio >= 80 }],
    notes: ['Frames delivered a second, all clients together; the clients live in one other process.'],
  };
});

/** The time from the first frame until the clients' process has received the last one. */
async function broadcastRate(
  send: (sockets: WebSocket[], connections: Socket[]) => Promise<void>,
): Promise<number> {
  const server = createServer();
  const sockets: WebSocket[] = [];
  const connections: Socket[] = [];
  const accepting = new WebSocketServer({ server, perMessageDeflate: false });
  accepting.on('connection', (socket, { socket: connection }) => {
    sockets.push(socket);
    connections.push(connection);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const audience = fork(new URL('../peers/push-audience.mjs', import.meta.url), [
    String(port),
    String(clients),
    String(clients * frames),
  ]);
  await heard(audience, 'connected');
  const done = heard(audience, 'done');
  const started = performance.now();
  await send(sockets, connections);
  await done;
  const rate = (clients * frames) / ((performance.now() - started) / 1_000);
  audience.kill();
  await close(server, accepting);
  return rate;
}

async function sendBare(sockets: readonly WebSocket[]): Promise<void> {
  for (let sent = 0; sent < frames; sent += 1) {
    for (const socket of sockets) socket.send(frame);
    if (sent % framesPerTurn === 0) await drained(sockets);
  }
}

async function sendOurs(sockets: readonly WebSocket[], connections: readonly Socket[]): Promise<void> {
  const listeners = sockets.map((socket, index) => {
    const connection = connections[index] as Socket;
    return new PushSocket(socket, { connection, userId: 'bench', seesAll: true });
  });
  const message = { topic: 'tasks', owner: null, taskId: null, replaces: null, payload: frame } as const;
  for (const listener of listeners) listener.begin([message]);
  for (let sent = 1; sent < frames; sent += 1) {
    for (const listener of listeners) listener.offer(message);
    if (sent % framesPerTurn === 0) await drained(sockets);
  }
}

/** Neither side may run ahead of its clients: a reader that falls behind would be cut off, and memory would grow. */
async function drained(sockets: readonly WebSocket[]): Promise<void> {
  do await nextTurn();
  while (sockets.some(({ bufferedAmount }) => bufferedAmount > 64 * 1024));
}

function heard(child: ReturnType<typeof fork>, word: string): Promise<void> {
  return new Promise((resolve, reject) => {
    child.on('message', (message) => {
      if (message === word) resolve();
    });
    child.once('error', reject);
  });
}

async function close(server: Server, accepting: WebSocketServer): Promise<void> {
  for (const socket of accepting.clients) socket.terminate();
  accepting.close();
  await new Promise((resolve) => server.close(resolve));
}
