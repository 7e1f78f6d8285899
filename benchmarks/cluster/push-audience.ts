/** Many signed-in sockets in a process of its own. It notes when each message about a task came, at which socket. */
import { WebSocket } from 'ws';

export interface AudienceOrder {
  /** The sockets of each user at each replica. */
  groups: { url: string; token: string; sockets: number }[];
}

export interface AudienceReport {
  /** For each message about a task: the earliest time that it carries, and how often and when each socket got it. */
  messages: { type: string; taskId: string; sentMs: number; arrivals: [socket: number, atMs: number][] }[];
  /** Messages that go to everybody, such as states of instances. */
  others: number;
  /** Sockets that the gateway closed. */
  closed: number;
}

/** Opening all at once would measure how a server takes a crowd at its door. */
const openAtOnce = 20;
const counted = ['task_created', 'task_started', 'task_completed', 'task_failed', 'files_created'];

const messages = new Map<string, AudienceReport['messages'][number]>();
let others = 0;
let closed = 0;
let isOver = false;

process.on('message', (order: AudienceOrder | 'report') => {
  if (order === 'report') {
    isOver = true;
    process.send?.({ messages: [...messages.values()], others, closed } satisfies AudienceReport);
  } else openAll(order).then(() => process.send?.('open'), fail);
});

async function openAll({ groups }: AudienceOrder): Promise<void> {
  const wanted = groups.flatMap(({ url, token, sockets }) =>
    Array.from({ length: sockets }, () => ({ url, token })),
  );
  for (let from = 0; from < wanted.length; from += openAtOnce)
    await Promise.all(
      wanted.slice(from, from + openAtOnce).map((each, index) => open({ ...each, number: from + index })),
    );
}

/** Resolves with the first message, from which on the socket gets everything. */
async function open({ url, token, number }: { url: string; token: string; number: number }): Promise<void> {
  const address = new URL('/ws', url);
  address.protocol = 'ws:';
  const socket = new WebSocket(address, ['bearer', token], { perMessageDeflate: false });
  await new Promise((resolve, reject) => socket.once('message', resolve).once('error', reject));
  socket.on('message', (data: Buffer) => read(data.toString(), number));
  socket.on('close', () => {
    if (!isOver) closed += 1;
  });
}

function read(text: string, socket: number): void {
  const atMs = Date.now();
  const type = /^\{"type":"(\w+)"/.exec(text)?.[1] ?? '';
  if (!counted.includes(type)) {
    others += 1;
    return;
  }
  const { timestamp, data } = JSON.parse(text) as {
    timestamp: number;
    data: { taskId?: string; files?: { taskId: string | null }[] };
  };
  const taskId = data.taskId ?? data.files?.[0]?.taskId ?? '';
  const key = `${type} ${taskId}`;
  const message = messages.get(key) ?? { type, taskId, sentMs: timestamp, arrivals: [] };
  message.sentMs = Math.min(message.sentMs, timestamp);
  message.arrivals.push([socket, atMs]);
  messages.set(key, message);
}

function fail(error: unknown): void {
  console.error(error);
  process.exit(1);
}
