import { Readable } from 'node:stream';
import { WordedError } from '../../lib/app-error.ts';
import { deadline } from '../../lib/async/deadline.ts';
import { linkedAbort } from '../../lib/async/linked-abort.ts';
import { systemTimer } from '../../lib/async/timer.ts';
import type { Fetch } from '../../lib/bounded-fetch.ts';
import { DeliveryError } from '../channel.ts';
import type { TelegramUpdate } from './telegram-update.ts';

/** Telegram holds a poll this long when there are no messages. */
const pollSeconds = 25;
const callMs = 15_000;
const uploadMs = 120_000;
const downloadMs = 60_000;
const maxUpdates = 100;
/** Answers of Telegram are small; a larger one is not from Telegram. */
const maxAnswerBytes = 4 * 1024 * 1024;

interface ApiAnswer {
  ok?: boolean;
  result?: unknown;
  error_code?: number;
  description?: string;
  parameters?: { retry_after?: number };
}

/**
 * Telegram's Bot API over HTTP. The token is part of each address, so network errors are never passed on unchanged: every failure
 * becomes a `DeliveryError` with our own words.
 */
export class TelegramApi {
  readonly #token: string;
  readonly #baseUrl: string;
  readonly #fetchOutside: Fetch;

  constructor({ token, baseUrl, fetch }: { token: string; baseUrl: string; fetch: Fetch }) {
    this.#token = token;
    this.#baseUrl = baseUrl.replace(/\/$/, '');
    this.#fetchOutside = fetch;
  }

  async updates(offset: number | null, signal: AbortSignal): Promise<TelegramUpdate[]> {
    const body = {
      timeout: pollSeconds,
      limit: maxUpdates,
      allowed_updates: ['message'],
      ...(offset !== null && { offset }),
    };
    const result = await this.#call('getUpdates', body, { signal, deadlineMs: pollSeconds * 1000 + callMs });
    return Array.isArray(result) ? (result as TelegramUpdate[]) : [];
  }

  /** Returns the id of the new message. */
  async sendMessage(chat: TelegramChat, text: string, signal: AbortSignal): Promise<string> {
    const body = { ...chat, text, link_preview_options: { is_disabled: true } };
    return idOf(await this.#call('sendMessage', body, { signal }));
  }

  async editMessageText(
    { chat_id }: TelegramChat,
    { messageId, text }: { messageId: string; text: string },
    signal: AbortSignal,
  ): Promise<void> {
    const body = {
      chat_id,
      message_id: Number(messageId),
      text,
      link_preview_options: { is_disabled: true },
    };
    try {
      await this.#call('editMessageText', body, { signal });
    } catch (error) {
      // The message already has this text, because an earlier attempt succeeded.
      if (error instanceof DeliveryError && /message is not modified/.test(error.message)) return;
      throw error;
    }
  }

  async sendFile(
    chat: TelegramChat,
    file: { kind: 'photo' | 'document'; filename: string; contentType: string; content: Buffer },
    signal: AbortSignal,
  ): Promise<string> {
    const form = new FormData();
    for (const [key, value] of Object.entries(chat)) form.set(key, String(value));
    form.set(file.kind, new Blob([new Uint8Array(file.content)], { type: file.contentType }), file.filename);
    const method = file.kind === 'photo' ? 'sendPhoto' : 'sendDocument';
    return idOf(await this.#call(method, form, { signal, deadlineMs: uploadMs }));
  }

  /** Returns a path for `download`. */
  async filePath(fileId: string, signal: AbortSignal): Promise<string> {
    const file = (await this.#call('getFile', { file_id: fileId }, { signal })) as { file_path?: unknown };
    const path = file?.file_path;
    // The path becomes part of an address, so it must not lead elsewhere.
    if (typeof path === 'string' && /^[\w./ -]{1,512}$/.test(path) && !path.includes('..')) return path;
    throw new DeliveryError('Telegram named no file.', { isFinal: true });
  }

  async download(path: string, signal: AbortSignal): Promise<Readable> {
    const encoded = path.split('/').map(encodeURIComponent).join('/');
    const response = await this.#fetch(
      `/file/bot${this.#token}/${encoded}`,
      { method: 'GET', signal: deadline(downloadMs, signal).signal },
      signal,
    );
    if (response.status !== 200 || !response.body) {
      await response.body?.cancel();
      throw new DeliveryError(`Telegram answered ${response.status} to a file.`);
    }
    return Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0]);
  }

  async #call(
    method: string,
    body: object,
    { signal, deadlineMs = callMs }: { signal: AbortSignal; deadlineMs?: number },
  ): Promise<unknown> {
    const request =
      body instanceof FormData
        ? { body }
        : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
    // A poll's signal lives as long as the gateway, so each call must remove its listener from it.
    const linked = linkedAbort(signal);
    const cancel = systemTimer(() => linked.abort(new DOMException('', 'TimeoutError')), deadlineMs);
    try {
      const response = await this.#fetch(
        `/bot${this.#token}/${method}`,
        { method: 'POST', ...request, signal: linked.signal },
        signal,
      );
      const answer = await answerOf(response, signal);
      if (answer?.ok === true) return answer.result;
      throw failureOf(method, response.status, answer);
    } finally {
      cancel();
      linked.release();
    }
  }

  async #fetch(path: string, request: RequestInit, signal: AbortSignal): Promise<Response> {
    try {
      return await this.#fetchOutside(this.#baseUrl + path, { ...request, redirect: 'error' });
    } catch (error) {
      signal.throwIfAborted();
      throw new DeliveryError(reasonOf(error));
    }
  }
}

/** The chat of a message, and the topic of a group. */
export interface TelegramChat {
  chat_id: string;
  message_thread_id?: number;
}

async function answerOf(response: Response, signal: AbortSignal): Promise<ApiAnswer | null> {
  try {
    const parts: Uint8Array[] = [];
    let bytes = 0;
    for await (const part of response.body ?? []) {
      bytes += part.length;
      if (bytes > maxAnswerBytes) return null;
      parts.push(part);
    }
    const answer: unknown = JSON.parse(Buffer.concat(parts).toString('utf8'));
    return typeof answer === 'object' && answer !== null ? (answer as ApiAnswer) : null;
  } catch {
    signal.throwIfAborted();
    return null;
  }
}

function failureOf(method: string, status: number, answer: ApiAnswer | null): DeliveryError {
  const code = answer?.error_code ?? status;
  const description = String(answer?.description ?? '').slice(0, 200);
  if (code === 429) {
    const seconds = Number(answer?.parameters?.retry_after ?? 1);
    const retryAfterMs = Math.max(1, Number.isFinite(seconds) ? seconds : 1) * 1000;
    return new DeliveryError(`Telegram wants fewer calls (${method}).`, { retryAfterMs });
  }
  if (code === 401 || code === 404) return new DeliveryError('Telegram does not know the token of this bot.');
  if (code === 409) {
    return new DeliveryError('Another program fetches the messages of this bot, or a webhook is set for it.');
  }
  // The chat is gone, the bot was blocked, or the message is impossible: another attempt would not help.
  const isFinal = code === 400 || code === 403;
  return new DeliveryError(
    `Telegram answered ${code} to ${method}${description ? `: ${description}` : ''}.`,
    { isFinal },
  );
}

/** Never returns the message of an error: it may contain the address, and with it the token. */
function reasonOf(error: unknown): string {
  if (error instanceof WordedError) return error.message;
  const name = error instanceof Error ? error.name : '';
  if (name === 'TimeoutError') return 'Telegram did not answer in time.';
  const cause = error instanceof Error ? (error.cause as { code?: unknown } | undefined) : undefined;
  const code =
    typeof cause?.code === 'string' && /^[A-Z_0-9]{1,40}$/.test(cause.code) ? ` (${cause.code})` : '';
  return `Telegram cannot be reached${code}.`;
}

function idOf(message: unknown): string {
  const id = (message as { message_id?: unknown } | null)?.message_id;
  if (typeof id === 'number') return String(id);
  throw new DeliveryError('Telegram answered without the id of the message.');
}
