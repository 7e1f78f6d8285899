import type { Readable } from 'node:stream';

/** A file that came with a message, with the reference by which its channel finds it. */
export interface InboundFile {
  kind: 'image' | 'file';
  filename: string | null;
  /** A key of the platform, an address, or the content itself. */
  ref: string;
}

export interface InboundMessage {
  /** Unique within its channel; a repetition has the same id. */
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
  /** Ids of the parts that were already sent, in an earlier attempt or as a preview, in their order. */
  sent: readonly string[];
  /** Call it after each part, so that no part is sent twice. */
  note(sent: readonly string[]): Promise<void>;
}

/** A part of an answer that the channel shows while the answer is written. */
export interface Preview {
  chatId: string;
  text: string;
  /** The message that shows the preview; null before the first one. */
  sentId: string | null;
}

/** Accepts a message that a channel brings. When it throws, the message was not stored and comes again. */
export type Accept = (message: InboundMessage) => Promise<void>;

/** A way to reach people: Telegram, or any program over signed HTTP. */
export interface Channel {
  readonly name: string;
  readonly maxFileBytes: number;
  /** Fetches messages until the signal aborts. Null for a channel whose messages come by themselves. */
  readonly receive:
    | ((
        handlers: { accept: Accept; report: (error: string | null) => void },
        signal: AbortSignal,
      ) => Promise<void>)
    | null;
  /**
   * Shows an unfinished answer and returns the id of the message that shows it. Null when the channel can show only complete
   * answers.
   */
  readonly preview: ((preview: Preview, signal: AbortSignal) => Promise<string>) | null;
  readonly previewEveryMs: number;
  deliver(reply: Reply, signal: AbortSignal): Promise<void>;
  /** Sends a sentence to a sender who is not let in. It may fail to arrive. */
  refuse: ((chatId: string, text: string) => Promise<void>) | null;
  /** Opens a file; callers read at most `maxFileBytes` of it. */
  open(file: InboundFile, signal: AbortSignal): Promise<Readable>;
}

/** Says why a message was not sent, in words without secrets. */
export class DeliveryError extends Error {
  /** True when it can never be sent: the chat is gone, or the receiver refuses further messages. */
  readonly isFinal: boolean;
  /** The delay that the other side asked for; null when it named none. */
  readonly retryAfterMs: number | null;

  constructor(message: string, options: { isFinal?: boolean; retryAfterMs?: number | null } = {}) {
    super(message);
    this.name = 'DeliveryError';
    this.isFinal = options.isFinal ?? false;
    this.retryAfterMs = options.retryAfterMs ?? null;
  }
}
