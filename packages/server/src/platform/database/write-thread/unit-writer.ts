import type { Transaction } from 'kysely';
import { mapSqliteError } from '../database-errors.ts';
import type { AnyProcedure, Call } from '../procedure.ts';
import { patienceMs, retryWhileBusy } from '../sqlite-busy.ts';
import { SqliteConnection } from '../sqlite-connection.ts';
import { type Outcome, SqliteGroup } from '../sqlite-group.ts';
import { sqliteBuilders } from '../sqlite-spelling.ts';
import type { UnitBody } from '../unit.ts';
import type { OutcomesMessage, UnitMessage, WireOutcome } from './messages.ts';
import { toWire } from './wire-error.ts';

type AnyBody = (trx: Transaction<unknown>, args: unknown) => Promise<unknown>;

/** Does the calls of units in the thread that writes, and says what became of them. */
export class UnitWriter {
  readonly #file: string;
  readonly #bodies: ReadonlyMap<string, AnyBody>;
  #connection: SqliteConnection | undefined;

  constructor(file: string, procedures: readonly AnyProcedure[]) {
    this.#file = file;
    this.#bodies = new Map(procedures.map(({ name, body }) => [name, body as unknown as AnyBody]));
  }

  /** As one group. Never rejects. */
  async write(units: readonly UnitMessage[]): Promise<OutcomesMessage> {
    let group: SqliteGroup;
    try {
      this.#connection ??= await openConnection(this.#file);
      group = await SqliteGroup.begin({
        connection: this.#connection,
        builders: sqliteBuilders,
        patienceMs,
      });
    } catch (error) {
      return units.map(({ id }) => wireOutcome(id, { failure: { error } }));
    }
    let lost: Outcome | undefined;
    try {
      for (const { calls } of units) await group.run(this.#bodyOf(calls));
      group.commit();
    } catch (error) {
      group.giveUp(error);
      lost = { failure: { error } };
    }
    // Units behind the one that took the group down had no turn.
    return units.map(({ id }, index) => wireOutcome(id, group.outcomes[index] ?? lost ?? {}));
  }

  close(): void {
    this.#connection?.close();
  }

  #bodyOf(calls: readonly Call[]): UnitBody<unknown> {
    return async (trx) => {
      const results: unknown[] = [];
      for (const { name, args } of calls) results.push(await this.#known(name)(trx, args));
      return results;
    };
  }

  #known(name: string): AnyBody {
    const body = this.#bodies.get(name);
    if (!body) throw new Error(`The thread that writes knows no procedure ${name}.`);
    return body;
  }
}

async function openConnection(file: string): Promise<SqliteConnection> {
  const connection = new SqliteConnection(file);
  try {
    await retryWhileBusy(() => connection.useWriteAheadLog());
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

function wireOutcome(id: number, { result, failure }: Outcome): WireOutcome {
  return failure ? { id, result, failure: toWire(mapSqliteError(failure.error)) } : { id, result };
}
