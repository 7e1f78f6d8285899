import { CompiledQuery, createQueryId, type KyselyPlugin, type RootOperationNode } from 'kysely';
import type { Database } from '../src/platform/database/database.ts';

export interface NotedStatements<Tables> {
  /** The same database; what is read through it is noted. */
  database: Database<Tables>;
  /** Returns the database's plan for each statement that was read since the last call. */
  plans(explain: string): Promise<string[]>;
}

export function noteStatements<Tables>(database: Database<Tables>): NotedStatements<Tables> {
  const asked = new Map<string, RootOperationNode>();
  const statements: RootOperationNode[] = [];
  // Kysely transforms parts of a statement as well; only a result belongs to a statement that was run.
  const noting: KyselyPlugin = {
    transformQuery: ({ node, queryId }) => {
      asked.set(queryId.queryId, node);
      return node;
    },
    transformResult: async ({ result, queryId }) => {
      const node = asked.get(queryId.queryId);
      if (node) statements.push(node);
      return result;
    },
  };
  const noted = { read: database.read.withPlugin(noting) };
  return {
    database: Object.assign(Object.create(database) as Database<Tables>, noted),
    plans: async (explain) => {
      const { read } = database;
      const plans = [];
      for (const node of statements.splice(0)) {
        const query = read.getExecutor().compileQuery(node, createQueryId());
        const explained = CompiledQuery.raw(`${explain} ${query.sql}`, [...query.parameters]);
        plans.push(JSON.stringify((await read.executeQuery(explained)).rows));
      }
      return plans;
    },
  };
}
