import type { Readable } from 'node:stream';

/** A file that came with a message, by what its channel finds it with. */
export interface InboundFile {
  kind: 'image' | 'file';
  filename: string | null;
  /** A key of the platform, an address, or the content itself. */
  ref: string;
}

export interface InboundMessage {
  /** Unique within its channel: a repetition has the same. */
  messageId: string;
  chatId: string;
  sender: string;
  text: string;
  files: InboundFile[];
}

export interface OutboundFile {
  filename: string;
  contentType: string;
  sizeBytes: number;
  read(): Promise<Buffer>;
}

export interface Reply {
  /** The same in each attempt. */
  id: string;
  chatId: string;
  /** The message that is answered. */
  messageId: string;
  threadId: string | null;
  runId: string | null;
  text: string;
  files: readonly OutboundFile[];
  /** What has gone out in an earlier attempt, or as a preview, in its order. */
  sent: readonly string[];
  /** To be called after each part, so that no part goes out twice. */
  note(sent: readonly string[]): Promise<void>;
}

/** What takes a message to the channel that shows how an answer comes along. */
export interface Preview {
  chatId: string;
  text: string;
  /** The message that shows it; null for the first time. */
  sentId: string | null;
}

/** Takes in what a channel brings. When it throws, the message was not taken and comes again. */
export type Accept = (message: InboundMessage) => Promise<void>;

/** A way to reach people: Telegram, or any program over signed HTTP. */
export interface Channel {
  readonly name: string;
  readonly maxFileBytes: number;
  /** Where messages are fetched: goes on until the signal aborts. Null where they come by themselves. */
  readonly receive:
    | ((
        handlers: { accept: Accept; report: (error: string | null) => void },
        signal: AbortSignal,
      ) => Promise<void>)
    | null;
  /** Null where an answer cannot be shown before it is complete. Answers which message shows it. */
  readonly preview: ((preview: Preview, signal: AbortSignal) => Promise<string>) | null;
  readonly previewEveryMs: number;
  deliver(reply: Reply, signal: AbortSignal): Promise<void>;
  /** A sentence to somebody who is not let in, without any promise that it arrives. */
  refuse: ((chatId: string, text: string) => Promise<void>) | null;
  /** At most `maxFileBytes` are read of it. */
  open(file: InboundFile, signal: AbortSignal): Promise<Readable>;
}

/** Why something did not go out, in words without secrets. */
export class DeliveryError extends Error {
  /** Never will: the chat is gone, or the receiver wants no more. */
  readonly isFinal: boolean;
  /** When the other side wants to be asked again. */
  readonly retryAfterMs: number | null;

  constructor(message: string, options: { isFinal?: boolean; retryAfterMs?: number | null } = {}) {
    super(message);
    this.name = 'DeliveryError';
    this.isFinal = options.isFinal ?? false;
    this.retryAfterMs = options.retryAfterMs ?? null;
  }
}
