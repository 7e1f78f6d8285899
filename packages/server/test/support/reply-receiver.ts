import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ChannelReply } from '@switchyard/contract/conversation/channel';

export interface ReceivedReply {
  headers: IncomingHttpHeaders;
  body: string;
  reply: ChannelReply;
}

export interface ReplyReceiver {
  url: string;
  /** The replies that it has accepted. */
  replies: ReceivedReply[];
  attempts: ReceivedReply[];
  /** Sets the statuses of the next calls; 200 afterwards. */
  answerNext: (...statuses: number[]) => void;
  /** Serves files by path, for messages that name an address. */
  files: Map<string, { status?: number; headers?: Record<string, string>; content: string }>;
  close: () => Promise<void>;
}

/** Plays the program behind an HTTP channel. */
export async function startReplyReceiver(): Promise<ReplyReceiver> {
  const replies: ReceivedReply[] = [];
  const attempts: ReceivedReply[] = [];
  const statuses: number[] = [];
  const files: ReplyReceiver['files'] = new Map();
  const server = createServer(async (request, response) => {
    if (request.method === 'GET') {
      const file = files.get(request.url ?? '');
      response.writeHead(file ? (file.status ?? 200) : 404, file?.headers ?? {}).end(file?.content);
      return;
    }
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = Buffer.concat(parts).toString('utf8');
    const received = { headers: request.headers, body, reply: JSON.parse(body) as ChannelReply };
    attempts.push(received);
    const status = statuses.shift() ?? 200;
    if (status === 200) replies.push(received);
    response.writeHead(status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    replies,
    attempts,
    answerNext: (...next) => void statuses.push(...next),
    files,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Computed as Standard Webhooks describes it, independent of the gateway's own code. */
export function signatureOf(
  { id, timestamp, body }: { id: string; timestamp: string; body: string },
  secret: string,
): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
}
