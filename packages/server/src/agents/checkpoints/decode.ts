import * as messages from '@langchain/core/messages';
import { DeltaSnapshot } from '@langchain/langgraph-checkpoint';
import { isRecord } from '@switchyard/contract/is-record';
import type { Json } from '../../lib/json.ts';
import { langchainMark, ownMark } from './encode.ts';

type JsonRecord = { [key: string]: Json };

/**
 * The inverse of `encode`. It makes instances of a closed set of classes only, whatever the stored text asks for. Everything else
 * stays a plain record.
 */
export function decode(json: Json): unknown {
  if (Array.isArray(json)) return json.map(decode);
  if (typeof json !== 'object' || json === null) return json;
  if (json.lc === ownMark) return decodeOwn(json);
  if (json.lc === langchainMark) return decodeMessage(json) ?? decodeEntries(json);
  return decodeEntries(json);
}

function decodeEntries(record: JsonRecord): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, decode(value)]));
}

function decodeOwn(record: JsonRecord): unknown {
  const { type, value, items, entries, source, flags, base64, message } = record;
  switch (type) {
    case 'undefined':
      return undefined;
    case 'escaped':
      return isRecord(value) ? decodeEntries(value) : decodeEntries(record);
    case 'delta_snapshot':
      return new DeltaSnapshot(decode(value ?? null));
    case 'bytes':
      return new Uint8Array(Buffer.from(String(base64), 'base64'));
    case 'set':
      return new Set(decode(items ?? []) as unknown[]);
    case 'map':
      return new Map(decode(entries ?? []) as [unknown, unknown][]);
    case 'regexp':
      return new RegExp(String(source), String(flags));
    case 'error':
      return new Error(String(message));
    default:
      return decodeEntries(record);
  }
}

const messageClasses: Record<string, new (fields: never) => messages.BaseMessage> = {
  AIMessage: messages.AIMessage,
  AIMessageChunk: messages.AIMessageChunk,
  ChatMessage: messages.ChatMessage,
  ChatMessageChunk: messages.ChatMessageChunk,
  FunctionMessage: messages.FunctionMessage,
  FunctionMessageChunk: messages.FunctionMessageChunk,
  HumanMessage: messages.HumanMessage,
  HumanMessageChunk: messages.HumanMessageChunk,
  RemoveMessage: messages.RemoveMessage,
  SystemMessage: messages.SystemMessage,
  SystemMessageChunk: messages.SystemMessageChunk,
  ToolMessage: messages.ToolMessage,
  ToolMessageChunk: messages.ToolMessageChunk,
};

function decodeMessage({ type, id, kwargs }: JsonRecord): messages.BaseMessage | undefined {
  if (type !== 'constructor' || !Array.isArray(id) || !isRecord(kwargs)) return undefined;
  const [library, module, name, ...rest] = id;
  if (library !== 'langchain_core' || module !== 'messages' || rest.length > 0) return undefined;
  const isKnown = typeof name === 'string' && Object.hasOwn(messageClasses, name);
  const Message = isKnown ? messageClasses[name] : undefined;
  return Message && new Message(unwrap(decodeEntries(kwargs)) as never);
}

/** LangChain wraps the user's records that look like its own when it writes a message. */
const langchainWrapper = '__lc_escaped__';

function unwrap(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unwrap);
  if (!isPlain(value)) return value;
  const entries = Object.entries(value);
  const [first] = entries;
  if (first && entries.length === 1 && first[0] === langchainWrapper) return first[1];
  return Object.fromEntries(entries.map(([key, inner]) => [key, unwrap(inner)]));
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
