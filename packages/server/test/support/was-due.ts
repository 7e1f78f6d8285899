import type { DevGateway } from '@switchyard/dev-env/gateway';

/** Writes that the moment of a schedule was due at a time that has passed. The gateway sees it when it looks at the clock again. */
export async function wasDue(
  id: string,
  { gateway, dueAt }: { gateway: Pick<DevGateway, 'context'>; dueAt: string },
): Promise<void> {
  await gateway.context.database.write(async (trx) => {
    await trx
      .updateTable('schedules' as never)
      .set({ next_run_at: dueAt } as never)
      .where('schedule_id' as never, '=', id as never)
      .execute();
    await trx
      .updateTable('jobs' as never)
      .set({ dueAtMs: Date.parse(dueAt), payload: JSON.stringify({ scheduleId: id, dueAt }) } as never)
      .where('key' as never, '=', id as never)
      .execute();
  });
}
