import { randomUUID } from 'node:crypto';
import { StreamingClient } from '../chaos/conversation-client.ts';
import type { Talk } from '../chaos/talks.ts';
import type { Stage } from './drill-stage.ts';

/** The same questions once more, each in its thread. */
export function again({ line }: Pick<Stage, 'line'>, talks: readonly Talk[]): Talk[] {
  return talks.map(({ client, body, text }) => ({
    client: new StreamingClient(line, client.threadId),
    body: { ...body, metadata: { mark: randomUUID() } },
    text,
  }));
}

export function answered(talks: readonly Talk[]): Promise<unknown> {
  return Promise.all(talks.map(({ client, body }) => client.converse(body)));
}
