import { expect } from 'vitest';
import { WebSocket } from 'ws';
import type { ConversationCaller } from './conversation-caller.ts';

// biome-ignore lint/suspicious/noExplicitAny: a test reads messages as they come, to see what is on the wire
export type Message = any;

const open: WebSocket[] = [];

/** Call it after each test. */
export function closeSockets(): void {
  for (const socket of open.splice(0)) socket.terminate();
}

export function socketOf(url: string, threadId: string, headers: Record<string, string>): WebSocket {
  const socket = new WebSocket(
    `${url.replace(/^http/, 'ws')}/api/langgraph/threads/${threadId}/stream/events`,
    { headers },
  );
  open.push(socket);
  return socket;
}

/** The status with which a socket is refused; 101 when it is not. */
export function statusOf(socket: WebSocket): Promise<number> {
  return new Promise((resolve) => {
    socket.once('open', () => resolve(101));
    socket.once('unexpected-response', (_request, { statusCode }) => resolve(statusCode ?? 0));
    socket.once('error', () => undefined);
  });
}

/** A socket of a thread in protocol v2, with every message that it has got. */
export class Line {
  readonly socket: WebSocket;
  readonly messages: Message[] = [];
  closeCode: number | undefined;
  #lastId = 0;

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on('message', (data) => this.messages.push(JSON.parse(String(data))));
    socket.on('close', (code) => {
      this.closeCode = code;
    });
  }

  static async open({ url, token }: ConversationCaller, threadId: string): Promise<Line> {
    const socket = socketOf(url, threadId, { 'x-api-key': token });
    const line = new Line(socket);
    expect(await statusOf(socket)).toBe(101);
    return line;
  }

  async ask(method: string, params: object = {}): Promise<Message> {
    const id = this.send(method, params);
    return this.until((message) => message.id === id);
  }

  /** Does not wait for the answer. Returns its id. */
  send(method: string, params: object = {}): number {
    this.#lastId += 1;
    this.socket.send(JSON.stringify({ id: this.#lastId, method, params }));
    return this.#lastId;
  }

  async until(isWanted: (message: Message) => boolean): Promise<Message> {
    await expect.poll(() => this.messages.some(isWanted)).toBe(true);
    return this.messages.find(isWanted);
  }

  events(): Message[] {
    return this.messages.filter(({ type }) => type === 'event');
  }
}

export function isEnd({ method, params }: Message): boolean {
  return method === 'lifecycle' && params.namespace.length === 0 && params.data.event !== 'running';
}
