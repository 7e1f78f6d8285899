import { type RawBuilder, sql } from 'kysely';
import type { ArrivingCheckpoint } from './tables.ts';

/** The place of a stored checkpoint, within SQL. */
export const placeInOrder = sql<string>`coalesce(place, checkpoint_id)`;

/** Returns what the column gets when this row is stored. A number has eight digits, so that places sort as text. */
export function newPlace({
  thread_id,
  checkpoint_ns,
  checkpoint_id,
  number,
  before,
}: ArrivingCheckpoint): RawBuilder<string | null> {
  const among = sql`from checkpoints where thread_id = ${thread_id} and checkpoint_ns = ${checkpoint_ns}`;
  const numbered = (from: RawBuilder<unknown>) =>
    sql`substr(cast(100000000 + ${from} + cast(${number} as integer) as text), 2)`;
  return sql<string | null>`(select case
      when newest < ${checkpoint_id} then null
      when substr(newest, length(newest) - 8, 1) = '+'
        then substr(newest, 1, length(newest) - 8) || ${numbered(sql`cast(substr(newest, length(newest) - 7) as integer)`)}
      else newest || '+' || ${numbered(sql`0`)}
    end from (select max(found) as newest from (
      select max(checkpoint_id) as found ${among}
      union all select max(place) ${among} and place is not null
      union all select cast(${before} as text)) as places) as last)`;
}
