import { randomUUID } from 'node:crypto';
import { isMadeMessage, isObject, kindOf, type Message } from './observed-messages.ts';

/**
 * The ids of one conversation: those of its messages and of the tool calls in them. Some providers repeat the same ids in each
 * answer, and some give none. But in the state a message replaces another one with the same id, and the record, clients and the
 * pool tell calls apart by their ids.
 */
export class KnownIds {
  readonly #messages = new Set<string>();
  readonly #calls = new Set<string>();

  see(messages: readonly Message[]): void {
    for (const message of messages) {
      if (isText(message.id)) this.#messages.add(message.id);
      if (kindOf(message) === 'tool' && isText(message.tool_call_id)) this.#calls.add(message.tool_call_id);
      for (const call of callsIn(message.tool_calls)) if (isText(call.id)) this.#calls.add(call.id);
    }
  }

  /** Gives an answer and its calls ids of their own when they have none or a known one, before the answer reaches the state. */
  complete(answer: Message): void {
    if (kindOf(answer) !== 'ai') return;
    if (!isText(answer.id) || this.#messages.has(answer.id)) rename(answer, randomUUID());
    this.#messages.add(String(answer.id));
    this.#completeCalls(answer);
  }

  #completeCalls({ tool_calls: calls, tool_call_chunks: pieces, additional_kwargs: extra }: Message): void {
    const ids = callsIn(calls).map(({ id }) => {
      const own = isText(id) && !this.#calls.has(id) ? id : `call_${randomUUID().replaceAll('-', '')}`;
      this.#calls.add(own);
      return own;
    });
    // A message that is read from the disk is made from its pieces again.
    for (const list of [calls, pieces, isObject(extra) ? extra.tool_calls : []].map(callsIn)) {
      if (list.length === ids.length) for (const [index, call] of list.entries()) call.id = ids[index];
    }
  }
}

function rename(message: Message, id: string): void {
  message.id = id;
  if (isMadeMessage(message) && isObject(message.lc_kwargs)) message.lc_kwargs.id = id;
}

function callsIn(calls: unknown): Record<string, unknown>[] {
  return Array.isArray(calls) ? calls.filter(isObject) : [];
}

function isText(id: unknown): id is string {
  return typeof id === 'string' && id !== '';
}
