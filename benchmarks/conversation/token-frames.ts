import type { Frame } from './agent-client.ts';

/** A token such as `t17 ` from graphs/tokens.ts. The whole message, which also comes at the end, does not match. */
export function isToken(content: unknown): content is string {
  return typeof content === 'string' && /^t\d+ $/.test(content);
}

/** The token of a frame, if it contains one. */
export function tokenOf({ event, data }: Frame): string | undefined {
  if (event !== 'messages') return undefined;
  const [message] = JSON.parse(data) as [{ content: unknown }];
  return isToken(message.content) ? message.content : undefined;
}

/** The token of an event of protocol v2, if it contains one. */
export function tokenOfEvent({ event, data }: Frame): string | undefined {
  if (event !== 'messages') return undefined;
  const { params } = JSON.parse(data) as { params: { data: { delta?: { text?: unknown } } } };
  const text = params.data.delta?.text;
  return isToken(text) ? text : undefined;
}
