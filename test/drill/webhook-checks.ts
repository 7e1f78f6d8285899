import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect } from 'vitest';
import type { DispatchClient } from '../chaos/dispatch-client.ts';
import type { Stage } from './drill-stage.ts';
import type { WebhookCall, WebhookReceiver } from './webhook-receiver.ts';

export async function untilDelivered({ database }: Pick<Stage, 'database'>): Promise<void> {
  for (;;) {
    const waiting = sql`select 1 from webhook_deliveries where status <> 'delivered' limit 1`;
    if ((await waiting.execute(database.read)).rows.length === 0) return;
    await sleep(100);
  }
}

/**
 * Each accepted task was called for under one id, and a call was made again for each time that its caller was lost, and not otherwise.
 * Returns the calls that lost their caller.
 */
export function checkCalls({ calls, lost }: WebhookReceiver, { accepted }: DispatchClient): WebhookCall[] {
  const idsOf = new Map<string, Set<string>>();
  for (const { id, taskId } of calls) idsOf.set(taskId, (idsOf.get(taskId) ?? new Set()).add(id));
  expect([...idsOf.keys()].sort(), 'tasks that were called for').toEqual([...accepted].sort());
  for (const [taskId, ids] of idsOf) expect(ids.size, `ids of the calls for ${taskId}`).toBe(1);
  for (const id of [...idsOf.values()].flatMap((ids) => [...ids])) {
    const times = calls.filter((call) => call.id === id).length;
    const timesLost = lost.filter((each) => each.id === id).length;
    expect(times, `calls with the id ${id}`).toBe(1 + timesLost);
  }
  return lost;
}
