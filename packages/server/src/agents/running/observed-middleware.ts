import { modelNode } from '../langchain.ts';
import { messageText } from '../message-text.ts';
import type { NewRunEvent } from '../run-contract/run-record.ts';
import { wireValue } from '../state/wire-values.ts';
import { middlewareOf } from './model-caller.ts';
import { isCommand, isObject, kindOf, type Message, messagesIn } from './observed-messages.ts';

interface Node {
  name: string;
  input: unknown;
  messagesBefore: Message[];
}

/**
 * Returns events for what a middleware changed in the state: a title, a summary in place of older messages, or values of its own.
 */
export function middlewareEvents(node: Node, output: unknown): NewRunEvent[] {
  if (Array.isArray(output)) return output.flatMap((part) => middlewareEvents(node, part));
  const update = isCommand(output) ? output.update : output;
  if (!isObject(update) || Array.isArray(update)) return [];
  const summary = messagesIn(update).find(isSummary);
  if (summary) return summaryEvents(node, messagesIn(update), summary);
  const event = changeEvent(node, update);
  return event ? [event] : [];
}

/** Returns both events under which the contract reports a summary. */
function summaryEvents(node: Node, messages: Message[], summary: Message): NewRunEvent[] {
  const kept = new Set(messages.filter((message) => message !== summary).map(({ id }) => id));
  const replaced = node.messagesBefore.flatMap(({ id }) =>
    typeof id === 'string' && !kept.has(id) ? [id] : [],
  );
  const content = { role: 'system', content: messageText(summary.content as string) };
  return [
    {
      event_type: 'middleware:summarize',
      category: 'middleware',
      content,
      metadata: { replaced_count: replaced.length },
    },
    {
      event_type: 'summarization',
      category: 'middleware:summarize',
      content,
      metadata: { replaced_message_ids: replaced, replaced_count: replaced.length },
    },
  ];
}

function isSummary(message: Message): boolean {
  const { additional_kwargs: extra } = message;
  return kindOf(message) === 'human' && isObject(extra) && extra.lc_source === 'summarization';
}

/** Middleware around the call of a model changes the state together with its answer. Among the changes, only a title has an event. */
const titleMiddleware = { name: 'TitleMiddleware', hook: 'wrap_model_call', tag: 'title' };

function titleOf(name: string): { name: string; hook: null; tag: string } {
  return { name, hook: null, tag: 'title' };
}

/** Messages have events of their own, so they are left out here. */
function changeEvent(
  { name: nodeName, input }: Node,
  update: Record<string, unknown>,
): NewRunEvent | undefined {
  const before = isObject(input) ? input : {};
  const changed = Object.entries(update).filter(
    ([key, value]) => key !== 'messages' && key !== 'jumpTo' && value !== undefined && value !== before[key],
  );
  const middleware = middlewareOf(nodeName);
  const setsTitle = changed.some(([key, value]) => key === 'title' && typeof value === 'string');
  if (changed.length === 0 || !(middleware || setsTitle)) return undefined;
  const { name, hook, tag } = middleware ?? (nodeName === modelNode ? titleMiddleware : titleOf(nodeName));
  return {
    event_type: `middleware:${setsTitle ? 'title' : tag}`,
    category: 'middleware',
    content: {
      name,
      hook,
      action: setsTitle ? 'generate_title' : 'update',
      changes: wireValue(Object.fromEntries(changed)),
    },
  };
}
