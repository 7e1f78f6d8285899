import type { Frame } from './agent-client.ts';

/** `t17 `, as the graphs of graphs/tokens.ts say it: the whole message, which comes at the end as well, is none. */
export function isToken(content: unknown): content is string {
  return typeof content === 'string' && /^t\d+ $/.test(content);
}

/** The token of a frame, where it holds one. */
export function tokenOf({ event, data }: Frame): string | undefined {
  if (event !== 'messages') return undefined;
  const [message] = JSON.parse(data) as [{ content: unknown }];
  return isToken(message.content) ? message.content : undefined;
}
