import { type Kysely, sql } from 'kysely';
import { dialectOf } from '../../platform/database/dialect.ts';

export const name = '029-assistants-of-threads';

/**
 * A thread goes on with the assistant of its last run. A run of the built-in agent that worked as a custom agent has the name of
 * that agent in its input, and so has one that set the agent up.
 */
export async function up(db: Kysely<never>): Promise<void> {
  const isPostgres = dialectOf(db) === 'postgres';
  const agent = isPostgres ? sql`i.kwargs::json ->> 'agent_name'` : sql`i.kwargs ->> '$.agent_name'`;
  const setsUp = isPostgres
    ? sql`i.kwargs::json #>> '{context,is_bootstrap}'`
    : sql`i.kwargs ->> '$.context.is_bootstrap'`;
  const runs = sql`from runs as r where r.thread_id = threads.thread_id`;
  await sql`update threads set assistant_id = (
    select coalesce((
      select ${agent} from run_inputs as i
      where i.run_id = r.run_id and r.assistant_id = 'lead_agent' and ${setsUp} is null), r.assistant_id)
    ${runs} order by r.admission desc limit 1)
    where exists (select 1 ${runs})`.execute(db);
}
