import { createHash } from 'node:crypto';
import type { Selectable } from 'kysely';
import { type Clock, toIso } from '../../lib/clock.ts';
import type { Database } from '../../platform/database/database.ts';
import type { DispatchTables, NodeInputTable } from '../tables.ts';
import type { NodeInput, WorkerCapabilities } from '../worker-client/worker-client.ts';

const rowsPerStatement = 200;

/**
 * Stores the values that the inputs of node classes take, for all workers together. The last report about a class
 * counts.
 */
export class NodeInputStore {
  readonly #database: Database<DispatchTables>;
  readonly #clock: Clock;
  /** The hash for each class of what this process wrote last: workers of one kind report the same. */
  readonly #written = new Map<string, string>();

  constructor(database: Database<DispatchTables>, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  async learn(told: WorkerCapabilities['inputs']): Promise<void> {
    const updatedAt = toIso(this.#clock());
    const rows = Object.entries(told)
      .map(([nodeClass, inputs]) => ({ nodeClass, inputs: JSON.stringify(inputs), updatedAt }))
      .filter(({ nodeClass, inputs }) => this.#written.get(nodeClass) !== hash(inputs));
    // The hashes are set before the write: at the start many workers report the same at once.
    for (const { nodeClass, inputs } of rows) this.#written.set(nodeClass, hash(inputs));
    try {
      for (let start = 0; start < rows.length; start += rowsPerStatement) {
        await this.#write(rows.slice(start, start + rowsPerStatement));
      }
    } catch (error) {
      for (const { nodeClass } of rows) this.#written.delete(nodeClass);
      throw error;
    }
  }

  async of(nodeClasses: readonly string[]): Promise<Map<string, Record<string, NodeInput>>> {
    const known = new Map<string, Record<string, NodeInput>>();
    for (let start = 0; start < nodeClasses.length; start += rowsPerStatement) {
      const rows = await this.#database.read
        .selectFrom('node_inputs')
        .select(['nodeClass', 'inputs'])
        .where('nodeClass', 'in', nodeClasses.slice(start, start + rowsPerStatement))
        .execute();
      for (const { nodeClass, inputs } of rows) {
        known.set(nodeClass, JSON.parse(inputs) as Record<string, NodeInput>);
      }
    }
    return known;
  }

  async #write(rows: readonly Selectable<NodeInputTable>[]): Promise<void> {
    await this.#database.write((trx) =>
      trx
        .insertInto('node_inputs')
        .values(rows)
        .onConflict((conflict) =>
          conflict.column('nodeClass').doUpdateSet((update) => ({
            inputs: update.ref('excluded.inputs'),
            updatedAt: update.ref('excluded.updatedAt'),
          })),
        )
        .execute(),
    );
  }
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('base64').slice(0, 22);
}
