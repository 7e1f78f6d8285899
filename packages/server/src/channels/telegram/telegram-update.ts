import type { InboundFile, InboundMessage } from '../channel.ts';

/** The fields of Telegram's updates that are read; each may be missing. */
export interface TelegramUpdate {
  update_id: number;
  message?: TelegramMessage;
}

interface TelegramMessage {
  message_id?: number;
  message_thread_id?: number;
  /** Set for an album: each of its pictures is a message, and one of them has the words. */
  media_group_id?: string;
  is_topic_message?: boolean;
  from?: { id?: number; is_bot?: boolean };
  chat?: { id?: number; type?: string };
  text?: string;
  caption?: string;
  photo?: (TelegramFile & { width?: number })[];
  document?: TelegramFile;
  audio?: TelegramFile;
  video?: TelegramFile;
  voice?: TelegramFile;
  animation?: TelegramFile;
}

interface TelegramFile {
  file_id?: string;
  file_name?: string;
  file_size?: number;
}

export interface ReceivedMessage {
  /** Null when the update is only confirmed. */
  message: InboundMessage | null;
  album: string | null;
  lastUpdateId: number;
}

/**
 * Returns the messages in these updates, with an album as one message. Its id is that of its first picture, so that a repetition
 * has the same id.
 */
export function messagesOf(
  updates: readonly TelegramUpdate[],
  options: { groups: boolean },
): ReceivedMessage[] {
  const received: ReceivedMessage[] = [];
  for (const update of updates) {
    const message = inboundOf(update, options);
    const album = update.message?.media_group_id ?? null;
    const last = received.at(-1);
    if (message && last?.message && album !== null && album === last.album) {
      last.message.files.push(...message.files);
      last.message.text ||= message.text;
      last.lastUpdateId = update.update_id;
    } else received.push({ message, album, lastUpdateId: update.update_id });
  }
  return received;
}

/**
 * Returns null when no person wrote to the bot: for another bot, for a group in a channel without groups, and for news about the
 * chat.
 */
export function inboundOf(
  { message }: TelegramUpdate,
  { groups }: { groups: boolean },
): InboundMessage | null {
  const { chat, from, message_id: id } = message ?? {};
  if (!message || chat?.id === undefined || from?.id === undefined || id === undefined || from.is_bot)
    return null;
  if (chat.type !== 'private' && !groups) return null;
  const text = message.text ?? message.caption ?? '';
  const files = filesOf(message, id);
  // In a group, joining people and changed titles come as messages too.
  if (text === '' && files.length === 0 && chat.type !== 'private') return null;
  const topic = message.is_topic_message ? message.message_thread_id : undefined;
  return {
    messageId: `${chat.id}:${id}`,
    chatId: topic === undefined ? String(chat.id) : `${chat.id}:${topic}`,
    sender: String(from.id),
    text,
    files,
  };
}

function filesOf(message: TelegramMessage, id: number): InboundFile[] {
  const { photo = [], document, audio, video, voice, animation } = message;
  const largest = photo.at(-1);
  const others = [
    { file: audio, extension: 'mp3' },
    { file: video, extension: 'mp4' },
    { file: voice, extension: 'ogg' },
    // Telegram sends an animation as a document as well.
    { file: document ? undefined : animation, extension: 'mp4' },
  ];
  return [
    ...(largest?.file_id ? [fileOf(largest.file_id, 'image', `photo_${id}.jpg`)] : []),
    ...(document?.file_id
      ? [fileOf(document.file_id, 'file', document.file_name ?? `document_${id}.bin`)]
      : []),
    ...others.flatMap(({ file, extension }) =>
      file?.file_id ? [fileOf(file.file_id, 'file', file.file_name ?? `recording_${id}.${extension}`)] : [],
    ),
  ];
}

function fileOf(ref: string, kind: InboundFile['kind'], filename: string): InboundFile {
  return { ref, kind, filename };
}
