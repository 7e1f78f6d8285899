import type { StreamedMessage } from '@switchyard/contract/conversation/stream-frames';
import type { RunFrame } from './run-frame.ts';

/**
 * The messages of a thread while a run streams, each once and in order: pieces are joined by the id of their message,
 * and the state, wherever a frame shows it, has the last word.
 */
export class MessageList {
  #messages = new Map<string, StreamedMessage>();
  #unnamed = 0;

  get all(): StreamedMessage[] {
    return [...this.#messages.values()];
  }

  /** Frames of subgraphs are left out: their messages are not yet the thread's. */
  apply(frame: RunFrame): void {
    if (frame.namespace.length > 0) return;
    if (frame.event === 'messages') this.#join(frame.data[0]);
    else if (frame.event === 'messages/partial' || frame.event === 'messages/complete')
      for (const message of frame.data) this.#put(message);
    else if (frame.event === 'values') this.#replace(frame.data.messages);
  }

  #join(piece: StreamedMessage): void {
    const known = piece.id == null ? undefined : this.#messages.get(piece.id);
    if (!known) {
      this.#put(piece);
      return;
    }
    const toolCalls = joinedCalls(known.tool_calls, piece.tool_calls);
    this.#put({
      ...known,
      ...piece,
      content: joined(known.content, piece.content),
      ...(toolCalls && { tool_calls: toolCalls }),
    });
  }

  #put(message: StreamedMessage): void {
    this.#messages.set(message.id ?? `unnamed ${++this.#unnamed}`, message);
  }

  #replace(messages: unknown): void {
    if (!Array.isArray(messages)) return;
    this.#messages = new Map();
    for (const message of messages) this.#put(message as StreamedMessage);
  }
}

type ToolCalls = StreamedMessage['tool_calls'];

/** Each call once. Its arguments arrive in pieces, and whole with the state. */
function joinedCalls(before: ToolCalls = [], piece: ToolCalls = []): ToolCalls {
  const isNew = ({ id }: { id?: unknown }) => id != null && !before.some((known) => known.id === id);
  const calls = [...before, ...piece.filter(isNew)];
  return calls.length === 0 ? undefined : calls;
}

type Content = StreamedMessage['content'];

function joined(before: Content, piece: Content): Content {
  if (typeof before === 'string' && typeof piece === 'string') return before + piece;
  return blocksOf(piece).reduce(withBlock, blocksOf(before));
}

type Block = Exclude<Content, string>[number] & { index?: unknown; text?: unknown };

function blocksOf(content: Content | null): Block[] {
  if (Array.isArray(content)) return content;
  // A user's own graph may contain anything.
  return typeof content === 'string' && content !== '' ? [{ type: 'text', text: content }] : [];
}

/** Pieces of one text follow one another; providers number blocks that do not. */
function withBlock(blocks: Block[], piece: Block): Block[] {
  const last = blocks.at(-1);
  const isSame = last?.type === piece.type && last.index === piece.index;
  if (!isSame || typeof last?.text !== 'string' || typeof piece.text !== 'string') return [...blocks, piece];
  return [...blocks.slice(0, -1), { ...last, ...piece, text: last.text + piece.text }];
}

/** The plain text of a message. */
export function messageText({ content }: Pick<StreamedMessage, 'content'>): string {
  return blocksOf(content)
    .map((block) => (typeof block === 'string' ? block : typeof block?.text === 'string' ? block.text : ''))
    .join('');
}
