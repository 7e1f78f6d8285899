import { sql } from 'kysely';
import { expect } from 'vitest';
import type { Stage } from './drill-stage.ts';

/** The tokens of the leases under which tasks and runs are at work. */
export async function heldLeases({ database }: Pick<Stage, 'database'>): Promise<Map<string, number>> {
  const { rows } = await sql<{ key: string; token: string | number }>`
    select key, token from leases
    where holder is not null and (key = 'dispatch' or key like 'runs:%')`.execute(database.read);
  return new Map(rows.map(({ key, token }) => [key, Number(token)]));
}

/** No process has taken a lease since. */
export async function expectSameLeases(
  stage: Pick<Stage, 'database'>,
  before: ReadonlyMap<string, number>,
): Promise<void> {
  const now = await heldLeases(stage);
  for (const [key, token] of now)
    expect(token - (before.get(key) ?? token), `times that ${key} was taken`).toBe(0);
  expect([...now.keys()].sort()).toEqual([...before.keys()].sort());
}
