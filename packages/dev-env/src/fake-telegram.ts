import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A call of the bot, as it arrived. */
export interface BotCall {
  method: string;
  token: string;
  /** Fields of JSON, or of a form without its file. */
  fields: Record<string, unknown>;
  /** The file of a form. */
  file?: { field: string; filename: string; bytes: Buffer };
}

/** A message as people in the chat see it at present. */
export interface ShownMessage {
  chatId: string;
  messageId: number;
  text: string;
  filename?: string;
  bytes?: Buffer;
  /** The number of times that its text was replaced. */
  edits: number;
}

/** The answer in place of a success; `cut` breaks the connection after the call has taken effect. */
export type Trouble =
  | { status: number; description?: string; retryAfter?: number }
  | { cut: true }
  | { hangs: true };

interface ChatMessage {
  chatId: number;
  userId: number;
  text?: string;
  chatType?: 'private' | 'group';
  document?: { name: string; bytes: Buffer };
  photo?: Buffer;
  /** Several pictures under one name. */
  album?: string;
  /** Telegram delivers an unconfirmed message again, under the same id. */
  updateId?: number;
  messageId?: number;
}

/**
 * Telegram's Bot API over real HTTP, as far as the gateway uses it: long polling with offsets, messages, edits, files
 * in both directions, and every fault that a test asks for.
 */
export class FakeTelegram {
  readonly token = '123456:TEST-token_for-the-fake-bot-api';
  readonly calls: BotCall[] = [];
  /** Called after messages were delivered, so that messages from within it come later. */
  onBatch: () => void = () => undefined;
  readonly #server: Server;
  readonly #updates: { update_id: number; message: object }[] = [];
  readonly #files = new Map<string, Buffer>();
  readonly #shown = new Map<string, ShownMessage>();
  readonly #troubles: { method: string; trouble: Trouble }[] = [];
  readonly #polls = new Set<() => void>();
  #lastId = 100;
  #port = 0;

  private constructor() {
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  static async start(): Promise<FakeTelegram> {
    const fake = new FakeTelegram();
    await new Promise<void>((resolve) => fake.#server.listen(0, '127.0.0.1', resolve));
    fake.#port = (fake.#server.address() as AddressInfo).port;
    return fake;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** The messages that the bot has not confirmed yet. */
  get pending(): number {
    return this.#updates.length;
  }

  /** The number of requests that wait for messages at the moment. */
  get polling(): number {
    return this.#polls.size;
  }

  say({
    chatId,
    userId,
    text,
    chatType = 'private',
    document,
    photo,
    album,
    updateId,
    messageId,
  }: ChatMessage): number {
    const id = messageId ?? this.#next();
    this.#updates.push({
      update_id: updateId ?? this.#next(),
      message: {
        message_id: id,
        date: 0,
        from: { id: userId, is_bot: false, first_name: 'Somebody' },
        chat: { id: chatId, type: chatType },
        ...(document || photo ? text !== undefined && { caption: text } : { text }),
        ...(album !== undefined && { media_group_id: album }),
        ...(document && { document: { ...this.#keep(document.bytes), file_name: document.name } }),
        ...(photo && { photo: [{ ...this.#keep(Buffer.from('small')), width: 90 }, this.#keep(photo)] }),
      },
    });
    for (const wake of this.#polls) wake();
    return id;
  }

  shown(chatId: number): ShownMessage[] {
    return [...this.#shown.values()].filter((message) => message.chatId === String(chatId));
  }

  /** A user deletes a message of the bot. */
  remove({ chatId, messageId }: ShownMessage): void {
    this.#shown.delete(`${chatId}:${messageId}`);
  }

  /** The next call of this method fails in this way. Several faults are used one after the other. */
  trouble(method: string, ...troubles: Trouble[]): void {
    this.#troubles.push(...troubles.map((trouble) => ({ method, trouble })));
  }

  /** Drops faults that no call has met. */
  calmDown(): void {
    this.#troubles.length = 0;
  }

  async close(): Promise<void> {
    for (const wake of this.#polls) wake();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, kind, token, method = ''] = /^\/(file\/bot|bot)([^/]+)\/(.+)$/.exec(request.url ?? '') ?? [];
    if (token !== this.token) return fail(response, { status: 401, description: 'Unauthorized' });
    if (kind === 'file/bot') return this.#download(method, response);
    const call = { method, token, ...(await bodyOf(request)) };
    this.calls.push(call);
    const index = this.#troubles.findIndex((next) => next.method === method);
    const [order] = index < 0 ? [] : this.#troubles.splice(index, 1);
    if (order && 'hangs' in order.trouble) return;
    if (order && 'status' in order.trouble) return fail(response, order.trouble);
    const result = await this.#obey(call, request);
    if (order) {
      response.destroy();
      return;
    }
    if (typeof result === 'string') return fail(response, { status: 400, description: result });
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ ok: true, result }));
  }

  async #obey({ method, fields, file }: BotCall, request: IncomingMessage): Promise<unknown> {
    switch (method) {
      case 'getUpdates':
        return this.#poll(fields, request);
      case 'sendMessage':
        return this.#show(fields, {});
      case 'sendDocument':
      case 'sendPhoto':
        return this.#show(fields, file ? { filename: file.filename, bytes: file.bytes } : {});
      case 'editMessageText':
        return this.#edit(fields);
      case 'getFile':
        return { file_id: fields.file_id, file_path: `documents/${String(fields.file_id)}` };
      default:
        return true;
    }
  }

  async #poll(
    { offset = 0, timeout = 0 }: Record<string, unknown>,
    request: IncomingMessage,
  ): Promise<object[]> {
    // Confirms what is below it, as Telegram does.
    const confirmed = this.#updates.filter(({ update_id }) => update_id < Number(offset));
    for (const update of confirmed) this.#updates.splice(this.#updates.indexOf(update), 1);
    if (this.#updates.length === 0 && Number(timeout) > 0) {
      await new Promise<void>((resolve) => {
        const wake = (): void => {
          this.#polls.delete(wake);
          resolve();
        };
        this.#polls.add(wake);
        request.once('close', wake);
      });
    }
    const batch = this.#updates.slice(0, 100);
    if (batch.length > 0) this.onBatch();
    return batch;
  }

  #show(fields: Record<string, unknown>, file: { filename?: string; bytes?: Buffer }): object {
    const messageId = this.#next();
    const chatId = String(fields.chat_id);
    const text = String(fields.text ?? fields.caption ?? '');
    this.#shown.set(`${chatId}:${messageId}`, { chatId, messageId, text, edits: 0, ...file });
    return { message_id: messageId, chat: { id: Number(chatId) }, date: 0 };
  }

  /** A text names the fault. */
  #edit(fields: Record<string, unknown>): object | string {
    const shown = this.#shown.get(`${String(fields.chat_id)}:${String(fields.message_id)}`);
    if (!shown) return 'Bad Request: message to edit not found';
    if (shown.text === String(fields.text)) return 'Bad Request: message is not modified';
    shown.text = String(fields.text);
    shown.edits += 1;
    return { message_id: shown.messageId };
  }

  #keep(bytes: Buffer): { file_id: string; file_size: number } {
    const id = `file${this.#next()}`;
    this.#files.set(id, bytes);
    return { file_id: id, file_size: bytes.length };
  }

  #download(path: string, response: ServerResponse): void {
    const bytes = this.#files.get(path.split('/').at(-1) ?? '');
    if (!bytes) fail(response, { status: 404, description: 'Not Found' });
    else response.writeHead(200, { 'content-length': bytes.length }).end(bytes);
  }

  #next(): number {
    this.#lastId += 1;
    return this.#lastId;
  }
}

function fail(
  response: ServerResponse,
  {
    status,
    description = 'Failed',
    retryAfter,
  }: { status: number; description?: string; retryAfter?: number },
): void {
  const body = {
    ok: false,
    error_code: status,
    description,
    ...(retryAfter !== undefined && { parameters: { retry_after: retryAfter } }),
  };
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function bodyOf(request: IncomingMessage): Promise<Omit<BotCall, 'method' | 'token'>> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const bytes = Buffer.concat(parts);
  const type = request.headers['content-type'] ?? '';
  if (!type.startsWith('multipart/form-data')) {
    return {
      fields: bytes.length === 0 ? {} : (JSON.parse(bytes.toString('utf8')) as Record<string, unknown>),
    };
  }
  const form = await new Response(bytes, { headers: { 'content-type': type } }).formData();
  const fields: Record<string, unknown> = {};
  let file: BotCall['file'];
  for (const [field, value] of form) {
    if (typeof value === 'string') fields[field] = value;
    else file = { field, filename: value.name, bytes: Buffer.from(await value.arrayBuffer()) };
  }
  return { fields, ...(file && { file }) };
}
