import { randomUUID } from 'node:crypto';
import { isObject, kindOf, type Message } from './observed-messages.ts';

/** Ids of tool calls in these messages, made and answered. */
export function callIdsIn(messages: readonly Message[]): string[] {
  return messages.flatMap((message) => {
    if (kindOf(message) === 'tool') return idsOf([{ id: message.tool_call_id }]);
    return kindOf(message) === 'ai' ? idsOf(message.tool_calls) : [];
  });
}

/**
 * Some providers number the calls of each answer anew, and some give them no ids. Calls of one conversation are told apart by
 * them, in the record, by clients and by the pool, so calls without an id of their own get one, before the answer is in the
 * state. `taken` knows them all afterwards.
 */
export function giveFreshCallIds(answer: Message, taken: Set<string>): void {
  if (kindOf(answer) !== 'ai' || !Array.isArray(answer.tool_calls)) return;
  const fresh = answer.tool_calls.map((call: unknown) => {
    const id = isObject(call) ? call.id : undefined;
    const isOwn = typeof id === 'string' && id !== '' && !taken.has(id);
    const own = isOwn ? id : `call_${randomUUID().replaceAll('-', '')}`;
    taken.add(own);
    return own;
  });
  const extra = answer.additional_kwargs;
  for (const list of [answer.tool_calls, answer.tool_call_chunks, isObject(extra) ? extra.tool_calls : []]) {
    if (!Array.isArray(list) || list.length !== fresh.length) continue;
    for (const [index, call] of list.entries()) if (isObject(call)) call.id = fresh[index];
  }
}

function idsOf(calls: unknown): string[] {
  if (!Array.isArray(calls)) return [];
  return calls.flatMap((call: unknown) => (isObject(call) && typeof call.id === 'string' ? [call.id] : []));
}
