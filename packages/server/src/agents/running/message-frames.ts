import type { Json } from '../../lib/json.ts';
import { wireValue } from '../state/wire-values.ts';

interface MessagePiece {
  id?: string | undefined;
  concat: (next: MessagePiece) => MessagePiece;
}

/**
 * Makes the frames of the stream mode `messages`. A message's metadata comes once. Then each piece gives the message as far as it
 * has come. Each message of the state, the human's too, comes again when it is complete.
 */
export class MessageFrames {
  readonly #frame: (event: string, data: unknown) => void;
  readonly #growing = new Map<string, MessagePiece>();
  readonly #complete = new Set<string>();

  constructor(frame: (event: string, data: unknown) => void) {
    this.#frame = frame;
  }

  piece(message: object, metadata: Json): void {
    // A message that comes as a whole, from a model or a node, is announced together with the state that contains it.
    if (!isPiece(message) || message.id === undefined || !isOfModel(metadata)) return;
    const { id } = message;
    const before = this.#growing.get(id);
    if (!before) this.#frame('messages/metadata', { [id]: { metadata } });
    const grown = before ? before.concat(message) : message;
    this.#growing.set(id, grown);
    this.#frame('messages/partial', [wireValue(grown)]);
  }

  /** `values` is the state of the run's own graph. */
  complete(values: unknown): void {
    const fresh = messagesIn(values).filter((message) => this.#isNew(message));
    if (fresh.length > 0) this.#frame('messages/complete', wireValue(fresh));
  }

  #isNew(message: unknown): boolean {
    if (typeof message !== 'object' || message === null || !('id' in message)) return false;
    const { id } = message;
    if (typeof id !== 'string' || this.#complete.has(id)) return false;
    this.#complete.add(id);
    this.#growing.delete(id);
    return true;
  }
}

function messagesIn(values: unknown): unknown[] {
  if (typeof values !== 'object' || values === null || !('messages' in values)) return [];
  const { messages } = values;
  return Array.isArray(messages) ? messages : [messages];
}

function isOfModel(metadata: Json): boolean {
  return typeof metadata === 'object' && metadata !== null && 'ls_model_type' in metadata;
}

function isPiece(message: object): message is MessagePiece {
  return 'concat' in message && typeof message.concat === 'function';
}
