import { Readable } from 'node:stream';
import type { ChannelMessage, ChannelReply } from '@switchyard/contract/conversation/channel';
import { textOf } from '@switchyard/contract/sentences/sentences';
import type { ChannelConfig } from '../config/channels.ts';
import { AppError } from '../lib/app-error.ts';
import { deadline } from '../lib/async/deadline.ts';
import { type Clock, toIso } from '../lib/clock.ts';
import {
  type Channel,
  DeliveryError,
  type InboundFile,
  type InboundMessage,
  type OutboundFile,
  type Reply,
} from './channel.ts';
import type { ChannelNetwork } from './channel-network.ts';
import type { ChannelParts } from './channel-parts.ts';

/** Files of one answer are sent inside it up to this total size; the others are only named. */
const maxContentBytes = 10 * 1024 * 1024;
const downloadMs = 20_000;
const gone = 410;
const dataPrefix = 'data:;base64,';

/** A channel for any program: it posts signed messages, and gets answers posted in the same way. */
export class HttpChannel implements Channel {
  readonly name: string;
  readonly maxFileBytes: number;
  readonly receive = null;
  readonly preview = null;
  readonly previewEveryMs = 0;
  readonly refuse = null;
  readonly #config: ChannelConfig;
  readonly #network: ChannelNetwork;
  readonly #clock: Clock;

  constructor(config: ChannelConfig, { network, clock }: Pick<ChannelParts, 'network' | 'clock'>) {
    this.name = config.name;
    this.maxFileBytes = config.max_file_bytes;
    this.#config = config;
    this.#network = network;
    this.#clock = clock;
  }

  async deliver(reply: Reply, signal: AbortSignal): Promise<void> {
    const { url, secret, private_addresses: allowPrivate } = this.#config;
    const body = JSON.stringify(await this.#bodyOf(reply));
    const timestamp = Math.floor(this.#clock() / 1000);
    const headers = this.#network.sign({ id: reply.id, timestamp, body }, secret ?? '');
    const outcome = await this.#network.post(url ?? '', { headers, body, allowPrivate, signal });
    if ('error' in outcome) throw new DeliveryError(textOf(outcome.error));
    const { status } = outcome;
    if (status >= 200 && status < 300) return;
    throw new DeliveryError(`It answered ${status}.`, { isFinal: status === gone });
  }

  async open({ ref }: InboundFile, signal: AbortSignal): Promise<Readable> {
    if (ref.startsWith(dataPrefix))
      return Readable.from([Buffer.from(ref.slice(dataPrefix.length), 'base64')]);
    const { private_addresses: allowPrivate } = this.#config;
    return this.#network.download(ref, {
      allowPrivate,
      signal: deadline(downloadMs, signal).signal,
    });
  }

  async #bodyOf(reply: Reply): Promise<ChannelReply> {
    const files: ChannelReply['data']['files'] = [];
    let leftBytes = maxContentBytes;
    for (const file of reply.files) {
      const fits = file.sizeBytes <= leftBytes;
      if (fits) leftBytes -= file.sizeBytes;
      files.push(await viewOf(file, fits));
    }
    const [chatId, topicId = null] = splitChat(reply.chatId);
    return {
      type: 'message.reply',
      timestamp: toIso(this.#clock()),
      data: {
        channel: this.name,
        chat_id: chatId,
        topic_id: topicId,
        in_reply_to: reply.messageId,
        thread_id: reply.threadId,
        run_id: reply.runId,
        text: reply.text,
        files,
      },
    };
  }
}

/** Returns a message in its stored form. Its signature was already checked. */
export function inboundOf(messageId: string, message: ChannelMessage): InboundMessage {
  const { chat_id, topic_id, user_id, text = '', files = [] } = message;
  return {
    messageId,
    chatId: joinChat(chat_id, topic_id ?? null),
    sender: user_id,
    text,
    files: files.map(({ type, filename, url, content }) => ({
      kind: type,
      filename: filename ?? null,
      ref: refOf(url ?? null, content ?? null),
    })),
  };
}

function refOf(url: string | null, content: string | null): string {
  if (content !== null && url === null) return dataPrefix + content;
  if (url !== null && content === null && /^https?:\/\//.test(url)) return url;
  const message = 'Value error, a file needs either content or a url that begins with http:// or https://';
  throw new AppError('validation_failed', {
    faults: [{ in: 'body', path: ['files'], type: 'value_error', message }],
  });
}

/** Joins both ids with a line break, which no id contains, so that they can be separated again. */
function joinChat(chatId: string, topicId: string | null): string {
  return topicId === null ? chatId : `${chatId}\n${topicId}`;
}

function splitChat(chat: string): [chatId: string, topicId?: string] {
  const [chatId = '', topicId] = chat.split('\n');
  return topicId === undefined ? [chatId] : [chatId, topicId];
}

async function viewOf(
  file: OutboundFile,
  withContent: boolean,
): Promise<ChannelReply['data']['files'][number]> {
  const { filename, contentType, sizeBytes } = file;
  const content = withContent ? (await file.read()).toString('base64') : null;
  return { filename, content_type: contentType, size: sizeBytes, content };
}
