/**
 * What people build in place of a gateway: BullMQ behind an HTTP submit with a token check, one worker loop for each
 * worker, the history read and the output stored as the gateway does it (file and folder synced), and a socket that says
 * which task has ended. Arguments: Redis' socket, a folder, the tokens of the users, `--`, the workers' ports. Prints its
 * address.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Workflow } from '../graphs/workflows.ts';
import { WorkerSession } from './worker-session.ts';

interface TaskJob {
  owner: string;
  workflow: Workflow;
}

const [redisPath = '', folder = '', ...rest] = process.argv.slice(2);
const split = rest.indexOf('--');
const digests = rest.slice(0, split).map(digestOf);
const ports = rest.slice(split + 1).map(Number);
mkdirSync(folder, { recursive: true });

const connect = () => new Redis({ path: redisPath, maxRetriesPerRequest: null });
const queue = new Queue<TaskJob, string[], 'task'>('tasks', { connection: connect() });
const listeners = new Map<string, Set<WebSocket>>();

for (const port of ports) {
  const session = await WorkerSession.open(port);
  const worker = new Worker<TaskJob, string[], 'task'>(
    'tasks',
    async ({ data }) => {
      const promptId = await session.run(data.workflow);
      const files = await session.outputsOf(promptId);
      return Promise.all(files.map(({ bytes }) => store(bytes)));
    },
    { connection: connect(), concurrency: 1 },
  );
  worker.on('completed', (job, outputs) => {
    const frame = JSON.stringify({ type: 'task_completed', data: { taskId: job.id, outputs } });
    for (const listener of listeners.get(job.data.owner) ?? []) listener.send(frame);
  });
  worker.on('failed', (_job, error) => {
    console.error(error);
    process.exit(1);
  });
}

const server = createServer((call, response) => {
  answer(call, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
});
const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false });
server.on('upgrade', (call, socket, head) => {
  const owner = ownerOf(call.headers['sec-websocket-protocol']?.split(/, */)[1] ?? '');
  if (owner === undefined) socket.destroy();
  else
    sockets.handleUpgrade(call, socket, head, (opened) => {
      const open = listeners.get(owner) ?? new Set();
      listeners.set(owner, open.add(opened));
      opened.on('close', () => open.delete(opened));
    });
});
server.keepAliveTimeout = 75_000;
server.listen(0, '127.0.0.1', () =>
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
);

async function answer(call: IncomingMessage, response: ServerResponse): Promise<void> {
  const owner = ownerOf(call.headers.authorization?.slice('Bearer '.length) ?? '');
  if (owner === undefined) {
    response.writeHead(401).end();
    return;
  }
  const chunks: Buffer[] = [];
  for await (const chunk of call) chunks.push(chunk as Buffer);
  const { workflow } = JSON.parse(Buffer.concat(chunks).toString()) as { workflow: Workflow };
  const job = await queue.add('task', { owner, workflow });
  const body = JSON.stringify({ data: { id: job.id } });
  response
    .writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
    .end(body);
}

/** The place of the token in the list; undefined when it is none of them. */
function ownerOf(token: string): string | undefined {
  const digest = digestOf(token);
  const place = digests.findIndex((known) => timingSafeEqual(known, digest));
  return place < 0 ? undefined : String(place);
}

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** Written under a temporary name, synced, moved to the name of its content, and the folder synced. */
async function store(bytes: Buffer): Promise<string> {
  const name = createHash('sha256').update(bytes).digest('hex');
  const draft = join(folder, `${name}.draft`);
  const file = await open(draft, 'w');
  await file.writeFile(bytes);
  await file.sync();
  await file.close();
  await rename(draft, join(folder, name));
  const parent = await open(folder, 'r');
  await parent.sync();
  await parent.close();
  return name;
}
