import type { Readable } from 'node:stream';
import type { ChannelConfig } from '../../config/channels.ts';
import { sleepWithSignal } from '../../lib/async/sleep-with-signal.ts';
import type { Timer } from '../../lib/async/timer.ts';
import type { Fetch } from '../../lib/bounded-fetch.ts';
import { minuteMs, secondMs } from '../../lib/time-units.ts';
import {
  type Accept,
  type Channel,
  DeliveryError,
  type InboundFile,
  type OutboundFile,
  type Preview,
  type Reply,
} from '../channel.ts';
import { TelegramApi, type TelegramChat } from './telegram-api.ts';
import { splitText } from './telegram-text.ts';
import { messagesOf } from './telegram-update.ts';

const maxPauseMs = minuteMs;
/** A shorter wait happens here; for a longer one the job comes back. */
const maxWaitMs = 30 * secondMs;
const photoTypes = new Set(['image/png', 'image/jpeg', 'image/webp']);
const maxPhotoBytes = 10 * 1024 * 1024;

/** Pictures of an album arrive one by one within a moment. */
const albumMs = 700;

interface Position {
  offset: number | null;
  /** The album that may still grow. */
  album: string | null;
}

/** A bot on Telegram. */
export class TelegramChannel implements Channel {
  readonly name: string;
  readonly maxFileBytes: number;
  readonly previewEveryMs: number;
  readonly preview: Channel['preview'];
  readonly #api: TelegramApi;
  readonly #config: ChannelConfig;
  readonly #timer: Timer;

  constructor(config: ChannelConfig, { timer, fetch }: { timer: Timer; fetch: Fetch }) {
    this.name = config.name;
    this.maxFileBytes = config.max_file_bytes;
    this.previewEveryMs = config.edit_interval_ms;
    this.preview = config.stream ? (preview, signal) => this.#show(preview, signal) : null;
    this.#api = new TelegramApi({ token: config.token ?? '', baseUrl: config.base_url, fetch });
    this.#config = config;
    this.#timer = timer;
  }

  readonly receive = async (
    { accept, report }: { accept: Accept; report: (error: string | null) => void },
    signal: AbortSignal,
  ): Promise<void> => {
    const position: Position = { offset: null, album: null };
    let failures = 0;
    while (!signal.aborted) {
      try {
        await this.#fetch(position, accept, signal);
        failures = 0;
        report(null);
      } catch (error) {
        if (signal.aborted) return;
        report(error instanceof DeliveryError ? error.message : 'A message could not be stored.');
        const backOffMs = Math.min(secondMs * 2 ** failures, maxPauseMs);
        failures = Math.min(failures + 1, 10);
        await this.#pause((error instanceof DeliveryError && error.retryAfterMs) || backOffMs, signal);
      }
    }
  };

  /** Asking for a higher offset makes Telegram forget what is below it, so that is stored first. */
  async #fetch(position: Position, accept: Accept, signal: AbortSignal): Promise<void> {
    const received = messagesOf(await this.#api.updates(position.offset, signal), this.#config);
    const last = received.at(-1);
    const growing = last && last.album !== position.album ? last.album : null;
    for (const { message, lastUpdateId } of growing === null ? received : received.slice(0, -1)) {
      if (message) await accept(message);
      position.offset = lastUpdateId + 1;
    }
    position.album = growing;
    // The album was not confirmed, so it comes again together with its other pictures.
    if (growing !== null) await this.#pause(albumMs, signal);
  }

  async deliver(reply: Reply, signal: AbortSignal): Promise<void> {
    const chat = chatOf(reply.chatId);
    const sent = [...reply.sent];
    const note = async (index: number, id: string): Promise<void> => {
      sent[index] = id;
      await reply.note(sent);
    };
    const texts = splitText(reply.text);
    for (const [index, text] of texts.entries()) {
      const present = sent[index];
      const id = await this.#patiently(signal, () =>
        present === undefined
          ? this.#api.sendMessage(chat, text, signal)
          : this.#replace(chat, { messageId: present, text }, signal),
      );
      if (id !== present) await note(index, id);
    }
    for (const [index, file] of reply.files.entries()) {
      const place = texts.length + index;
      if (sent[place] !== undefined) continue;
      await note(place, await this.#patiently(signal, () => this.#sendFile(chat, file, signal)));
    }
  }

  readonly refuse = async (chatId: string, text: string): Promise<void> => {
    await this.#api.sendMessage(chatOf(chatId), text, AbortSignal.timeout(10 * secondMs));
  };

  async open({ ref }: InboundFile, signal: AbortSignal): Promise<Readable> {
    return this.#api.download(await this.#api.filePath(ref, signal), signal);
  }

  async #show({ chatId, text, sentId }: Preview, signal: AbortSignal): Promise<string> {
    const chat = chatOf(chatId);
    if (sentId === null) return this.#api.sendMessage(chat, text, signal);
    await this.#api.editMessageText(chat, { messageId: sentId, text }, signal);
    return sentId;
  }

  /** Replaces the text of a message and returns the message that has it: a new one when the old one was deleted. */
  async #replace(
    chat: TelegramChat,
    { messageId, text }: { messageId: string; text: string },
    signal: AbortSignal,
  ): Promise<string> {
    try {
      await this.#api.editMessageText(chat, { messageId, text }, signal);
      return messageId;
    } catch (error) {
      if (
        !(error instanceof DeliveryError) ||
        !/message (to edit not found|can't be edited)/.test(error.message)
      )
        throw error;
      return this.#api.sendMessage(chat, text, signal);
    }
  }

  async #sendFile(chat: TelegramChat, file: OutboundFile, signal: AbortSignal): Promise<string> {
    const { filename, contentType, sizeBytes } = file;
    const content = await file.read();
    const isPhoto = photoTypes.has(contentType) && sizeBytes <= maxPhotoBytes;
    const whole = { filename, contentType, content };
    if (!isPhoto) return this.#api.sendFile(chat, { ...whole, kind: 'document' }, signal);
    try {
      return await this.#api.sendFile(chat, { ...whole, kind: 'photo' }, signal);
    } catch (error) {
      // Telegram did not accept it as a picture, for example because of its size. It accepts any file as a document.
      if (!(error instanceof DeliveryError) || !error.isFinal) throw error;
      return this.#api.sendFile(chat, { ...whole, kind: 'document' }, signal);
    }
  }

  /** Tries again once after the delay that Telegram asked for, when it is short. */
  async #patiently<Value>(signal: AbortSignal, call: () => Promise<Value>): Promise<Value> {
    try {
      return await call();
    } catch (error) {
      const waitMs = error instanceof DeliveryError ? error.retryAfterMs : null;
      if (waitMs === null || waitMs > maxWaitMs) throw error;
      await sleepWithSignal(waitMs, { signal, timer: this.#timer });
      return call();
    }
  }

  async #pause(delayMs: number, signal: AbortSignal): Promise<void> {
    await sleepWithSignal(delayMs, { signal, timer: this.#timer }).catch(() => undefined);
  }
}

/** `-100123:7` means topic 7 of a group. */
function chatOf(chatId: string): TelegramChat {
  const [chat = '', topic] = chatId.split(':');
  return { chat_id: chat, ...(topic !== undefined && { message_thread_id: Number(topic) }) };
}
