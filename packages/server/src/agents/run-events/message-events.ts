import { isRecord } from '@switchyard/contract/is-record';
import { type Addition, additionsOf, finishedCall } from './message-blocks.ts';
import { type EventDraft, placeText } from './protocol-event.ts';
import { addedIn, formOf, type PieceForm } from './repeated-pieces.ts';

type Json = Record<string, unknown>;

interface Block {
  index: number;
  key: string;
  content: Json;
  /** The length of the arguments that readers have seen. */
  shown: number;
}

interface OpenMessage {
  id: string;
  namespace: readonly string[];
  node: string | undefined;
  place: string;
  metadata: Json;
  /** The end of the text of a frame with this metadata. */
  frameEnd: string;
  /** The form of the last piece that was read as a whole; null when it has none. */
  form: PieceForm | null;
  blocks: Block[];
  /** The block that grows. Blocks of one message do not interleave. */
  current: Block | null;
  finish: Json;
}

/**
 * Turns the pieces of messages into the events of the second protocol: a message begins, its blocks begin, grow and end, and
 * it ends. Pieces do not say which of them is the last one, so a message ends when its node has ended.
 */
export class MessageEvents {
  readonly #open = new Map<string, OpenMessage>();
  /** The messages whose beginning is no longer kept: their rest alone would be wrong. */
  readonly #left = new Set<string>();
  #isMidway = false;

  /** Earlier frames are gone, so a message may have begun before. */
  joinMidway(): void {
    this.#open.clear();
    this.#isMidway = true;
  }

  /** Takes the data of a frame of the mode `messages`, as JSON text. */
  add(text: string): EventDraft[] {
    for (const open of this.#open.values()) {
      const added = open.form ? addedIn(text, open.form) : undefined;
      if (open.form && added !== undefined) return growAgain(open, open.form.kind, added);
    }
    return this.#addWhole(text);
  }

  #addWhole(text: string): EventDraft[] {
    const { message, metadata } = this.#read(text);
    if (!isRecord(message) || !isRecord(metadata)) return [];
    const { id, type } = message;
    // The state has the results of tools; readers of the protocol get them as events of tools.
    if (typeof id !== 'string' || type === 'tool' || type === 'remove' || this.#left.has(id)) return [];
    const isPiece = Array.isArray(message.tool_call_chunks);
    if (this.#isMidway && isPiece && !this.#open.has(id)) {
      this.#left.add(id);
      return [];
    }
    const known = this.#open.get(id);
    const open = known ?? this.#begin(id, metadata);
    const drafts = known ? [] : [start(open, message, metadata)];
    const additions = additionsOf(message);
    for (const addition of additions) drafts.push(...grow(open, addition));
    open.finish = finishOf(open.finish, message);
    // Usage is added up, so each piece that has some is read.
    open.form = isRecord(message.usage_metadata) ? null : formOf(text, additions);
    return isPiece ? drafts : [...drafts, ...this.#end(open)];
  }

  /** A node has ended, and with it its messages. `written` is what it changed, as JSON text. */
  endNode(namespace: readonly string[], node: string, written: string): EventDraft[] {
    const isOfNode = ({ namespace: own }: OpenMessage): boolean =>
      own.length === namespace.length + 1 && nodeOf(own) === node && isIn(own, namespace);
    const ended = [...this.#open.values()].filter(isOfNode);
    if (ended.length === 0) return [];
    const whole = messagesIn(JSON.parse(written));
    return ended.flatMap((message) => [...complete(message, whole.get(message.id)), ...this.#end(message)]);
  }

  /** A step of a graph has ended, and with it the messages of its nodes. */
  endStep(namespace: readonly string[]): EventDraft[] {
    this.#isMidway = false;
    return this.#endAll(({ namespace: own }) => isIn(own, namespace));
  }

  /** The run has ended: messages that were complete end, others are given up. */
  endRun(failure: string | null): EventDraft[] {
    if (failure === null) return this.#endAll(() => true);
    const drafts = [...this.#open.values()].map((message) =>
      draft(message, { event: 'error', message: failure, code: 'aborted' }),
    );
    this.#open.clear();
    return drafts;
  }

  /** Most of a piece's text is the metadata of its message, which is not read again. */
  #read(text: string): { message?: unknown; metadata?: unknown } {
    for (const { metadata, frameEnd } of this.#open.values())
      if (text.endsWith(frameEnd)) return { message: JSON.parse(text.slice(1, -frameEnd.length)), metadata };
    const data: unknown = JSON.parse(text);
    return Array.isArray(data) ? { message: data[0], metadata: data[1] } : {};
  }

  #begin(id: string, metadata: Json): OpenMessage {
    const namespace = namespaceOf(metadata);
    const node = textOf(metadata.langgraph_node);
    const message: OpenMessage = {
      id,
      namespace,
      node,
      place: placeText({ namespace, node }),
      metadata,
      frameEnd: `,${JSON.stringify(metadata)}]`,
      form: null,
      blocks: [],
      current: null,
      finish: {},
    };
    this.#open.set(id, message);
    return message;
  }

  #endAll(isMeant: (message: OpenMessage) => boolean): EventDraft[] {
    if (this.#open.size === 0) return [];
    return [...this.#open.values()].filter(isMeant).flatMap((message) => this.#end(message));
  }

  #end(message: OpenMessage): EventDraft[] {
    this.#open.delete(message.id);
    return [...endBlock(message), draft(message, { event: 'message-finish', ...message.finish })];
  }
}

/** Not every model sends its calls and its usage in pieces; the message that the node wrote has them. */
function complete(open: OpenMessage, whole: Json | undefined): EventDraft[] {
  if (!whole) return [];
  open.finish = { ...finishOf({}, whole), ...open.finish };
  const hasCalls = open.blocks.some(({ key }) => key.startsWith('call '));
  const calls = hasCalls ? [] : additionsOf(whole).filter(({ kind }) => kind === 'call');
  return calls.flatMap((call) => grow(open, call));
}

function messagesIn(update: unknown): ReadonlyMap<string, Json> {
  const changes = isRecord(update) ? Object.values(update).filter(isRecord) : [];
  const messages = changes.flatMap((channels) => Object.values(channels).flat()).filter(isRecord);
  return new Map(
    messages.flatMap((message) => (typeof message.id === 'string' ? [[message.id, message]] : [])),
  );
}

function start(open: OpenMessage, { type }: Json, metadata: Json): EventDraft {
  const role = type === 'human' || type === 'system' ? type : 'ai';
  const about = {
    provider: metadata.ls_provider,
    model: metadata.ls_model_name,
    model_type: metadata.ls_model_type,
  };
  return draft(open, {
    event: 'message-start',
    id: open.id,
    role,
    ...(role === 'ai' && { metadata: about }),
  });
}

function grow(message: OpenMessage, addition: Addition): EventDraft[] {
  if (addition.kind === 'whole') return wholeBlock(message, addition.block);
  const key = addition.kind === 'call' ? `call ${addition.key}` : addition.kind;
  const drafts: EventDraft[] = [];
  let block = message.current;
  if (block?.key !== key) {
    drafts.push(...endBlock(message));
    // Calls may take turns; text that comes after something else is a block of its own.
    block = addition.kind === 'call' ? (message.blocks.find((each) => each.key === key) ?? null) : null;
    if (!block) {
      block = newBlock(message, key, emptyContent(addition));
      drafts.push(
        draft(message, { event: 'content-block-start', index: block.index, content: block.content }),
      );
    }
    message.current = block;
  }
  const delta = addTo(block, addition);
  if (delta) drafts.push(draft(message, { event: 'content-block-delta', index: block.index, delta }));
  return drafts;
}

/** Adds a text to the block that grows. Most pieces of a message do only this, so they are not read and written as objects. */
function growAgain(message: OpenMessage, kind: PieceForm['kind'], added: string): EventDraft[] {
  const text = JSON.parse(added) as string;
  const block = message.current;
  if (text === '') return [];
  if (!block) return grow(message, { kind, text });
  addTo(block, { kind, text });
  const delta = `{"type":"${kind}-delta","${kind}":${added}}`;
  const fields = `"event":"content-block-delta","index":${block.index},"delta":${delta}`;
  return [written(message, `{${fields},"run_id":${JSON.stringify(message.id)}}`)];
}

function wholeBlock(message: OpenMessage, content: Json): EventDraft[] {
  const drafts = endBlock(message);
  const { index } = newBlock(message, `whole ${message.blocks.length}`, content);
  for (const event of ['content-block-start', 'content-block-finish'])
    drafts.push(draft(message, { event, index, content }));
  return drafts;
}

function newBlock(message: OpenMessage, key: string, content: Json): Block {
  const block = { index: message.blocks.length, key, content, shown: 0 };
  message.blocks.push(block);
  return block;
}

function endBlock(message: OpenMessage): EventDraft[] {
  const block = message.current;
  if (!block) return [];
  message.current = null;
  const content = block.content.type === 'tool_call_chunk' ? finishedCall(callIn(block)) : block.content;
  return [draft(message, { event: 'content-block-finish', index: block.index, content })];
}

function emptyContent(addition: Exclude<Addition, { kind: 'whole' }>): Json {
  if (addition.kind === 'text') return { type: 'text', text: '' };
  if (addition.kind === 'reasoning') return { type: 'reasoning', reasoning: '' };
  return { type: 'tool_call_chunk', id: addition.id, name: addition.name, args: '' };
}

/** Returns the events for readers; null when they come later. */
function addTo(block: Block, addition: Exclude<Addition, { kind: 'whole' }>): Json | null {
  const { content } = block;
  if (addition.kind === 'text') {
    block.content = { type: 'text', text: `${content.text}${addition.text}` };
    return { type: 'text-delta', text: addition.text };
  }
  if (addition.kind === 'reasoning') {
    block.content = { type: 'reasoning', reasoning: `${content.reasoning}${addition.text}` };
    return { type: 'reasoning-delta', reasoning: addition.text };
  }
  const { id, name, args } = callIn(block);
  const grown = {
    type: 'tool_call_chunk',
    id: id ?? addition.id,
    name: name ?? addition.name,
    args: args + addition.args,
  };
  block.content = grown;
  // Older clients only know a change that repeats all arguments. It is sent when they have grown by an eighth, so that long
  // arguments do not cost the square of their length. The end of the block has them all.
  if (grown.args.length < block.shown * 1.125) return null;
  block.shown = grown.args.length;
  return { type: 'block-delta', fields: grown };
}

function callIn({ content }: Block): { id: string | null; name: string | null; args: string } {
  const { id, name, args } = content;
  return { id: textOf(id) ?? null, name: textOf(name) ?? null, args: textOf(args) ?? '' };
}

/** The usage of a message comes with its last piece, or with several that each have a part. */
function finishOf(before: Json, { usage_metadata: usage, response_metadata: response }: Json): Json {
  const reason = isRecord(response) ? textOf(response.finish_reason) : undefined;
  const hasResponse = isRecord(response) && Object.keys(response).length > 0;
  if (!hasResponse && !isRecord(usage)) return before;
  return {
    ...before,
    ...(isRecord(usage) && { usage: sumOf(isRecord(before.usage) ? before.usage : {}, usage) }),
    ...(reason !== undefined && { reason }),
    ...(hasResponse && { responseMetadata: response }),
  };
}

function sumOf(before: Json, usage: Json): Json {
  const entries = Object.entries(usage).map(([key, value]) => {
    const earlier = before[key];
    return [key, typeof value === 'number' && typeof earlier === 'number' ? earlier + value : value];
  });
  return { ...before, ...Object.fromEntries(entries) };
}

/** Each event names its message, because a node may ask several models at once. */
function draft(message: OpenMessage, data: Json): EventDraft {
  return written(message, JSON.stringify({ ...data, run_id: message.id }));
}

function written({ namespace, node, place }: OpenMessage, data: string): EventDraft {
  return { method: 'messages', namespace, node, place, data };
}

/** The namespace of the task that the message is from. */
function namespaceOf({ langgraph_checkpoint_ns: namespace }: Json): string[] {
  return typeof namespace === 'string' && namespace !== '' ? namespace.split('|') : [];
}

function nodeOf(namespace: readonly string[]): string | undefined {
  return namespace.at(-1)?.split(':', 1)[0];
}

function isIn(namespace: readonly string[], outer: readonly string[]): boolean {
  return outer.every((segment, index) => namespace[index] === segment);
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
