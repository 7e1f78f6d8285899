import { createHash } from 'node:crypto';

export type TransferredValue = string | number | null | Uint8Array;
export type TransferredRow = TransferredValue[];

export interface TransferredTable {
  name: string;
  columns: readonly string[];
}

/** The rows of a database as they were at one moment. */
export interface TableSource {
  /** The names of the columns, by the name of the table. */
  tables(): Promise<Map<string, string[]>>;
  count(table: string): Promise<number>;
  /** Yields lists of rows that together take little memory, in no order. */
  rows(table: TransferredTable): AsyncIterable<TransferredRow[]>;
  close(): Promise<void>;
}

/** A database with empty tables. Nothing of what is inserted is there before the commit. */
export interface TableTarget {
  tables(): Promise<Map<string, string[]>>;
  insert(table: TransferredTable, rows: readonly TransferredRow[]): Promise<void>;
  commit(): Promise<void>;
  /** Without a commit before, nothing is kept. */
  close(): Promise<void>;
}

/** The number of rows of a table, and a sum over their content that does not depend on their order. */
export interface TableSum {
  rows: number;
  sum: string;
}

export type Sums = Record<string, TableSum>;

interface CopyOptions {
  source: TableSource;
  target: TableTarget;
  onProgress: (done: number, total: number) => void;
}

/** The time at which each step of an area was taken is that of the database, and is not copied. */
export const history = /_migrations$/;

/**
 * Copies all rows of the tables that the target has. Throws when the source lacks one of them or has other columns. The caller
 * commits.
 */
export async function copyTables({ source, target, onProgress }: CopyOptions): Promise<Sums> {
  const tables = await sharedTables(await source.tables(), await target.tables());
  const total = await countAll(source, tables);
  const sums: Sums = {};
  let done = 0;
  for (const table of tables) {
    const sum = new RunningSum();
    // While rows are written, the next ones are read.
    let written: Promise<void> = Promise.resolve();
    for await (const rows of source.rows(table)) {
      await written;
      written = target.insert(table, rows);
      written.catch(() => undefined); // It is awaited below, or in the next turn.
      for (const row of rows) sum.add(row);
      done += rows.length;
      onProgress(done, total);
    }
    await written;
    sums[table.name] = sum.result();
  }
  return sums;
}

/** Reads all rows of these tables. */
export async function sumTables(
  source: TableSource,
  names: readonly string[],
  onProgress: (done: number, total: number) => void,
): Promise<Sums> {
  const found = await source.tables();
  const tables = names.map((name) => ({ name, columns: [...(found.get(name) ?? [])].sort() }));
  const total = await countAll(source, tables);
  const sums: Sums = {};
  let done = 0;
  for (const table of tables) {
    const sum = new RunningSum();
    for await (const rows of source.rows(table)) {
      for (const row of rows) sum.add(row);
      done += rows.length;
      onProgress(done, total);
    }
    sums[table.name] = sum.result();
  }
  return sums;
}

/** Returns the names of the tables in which the two differ. */
export function differingTables(one: Sums, other: Sums): string[] {
  return Object.keys({ ...one, ...other }).filter((name) => {
    const [a, b] = [one[name], other[name]];
    return a?.rows !== b?.rows || a?.sum !== b?.sum;
  });
}

/** The tables of the target, with their columns in one order for both. */
async function sharedTables(
  inSource: Map<string, string[]>,
  inTarget: Map<string, string[]>,
): Promise<TransferredTable[]> {
  return [...inTarget]
    .filter(([name]) => !history.test(name))
    .map(([name, found]) => {
      const columns = [...found].sort();
      const given = [...(inSource.get(name) ?? [])].sort();
      if (columns.join() === given.join()) return { name, columns };
      throw new Error(
        `The table ${name} of the source has other columns than this version makes (${given.join(', ') || 'none'} instead of ${columns.join(', ')}). Start the gateway once on the source with this version, and stop it again.`,
      );
    });
}

async function countAll(source: TableSource, tables: readonly TransferredTable[]): Promise<number> {
  let total = 0;
  for (const { name } of tables) total += await source.count(name);
  return total;
}

/** 64 bits of the hash of each row, added up. */
class RunningSum {
  #rows = 0;
  #sum = 0n;

  add(row: TransferredRow): void {
    const hash = createHash('sha256')
      .update(JSON.stringify(row.map(asWritten)))
      .digest();
    this.#sum = BigInt.asUintN(64, this.#sum + hash.readBigUInt64BE(0));
    this.#rows += 1;
  }

  result(): TableSum {
    return { rows: this.#rows, sum: this.#sum.toString(16).padStart(16, '0') };
  }
}

/** Returns a value as both engines give it back. A fraction has the precision of `real`, which Postgres keeps in four bytes. */
function asWritten(value: TransferredValue): unknown {
  if (typeof value === 'number') return Number.isInteger(value) ? value : Math.fround(value);
  return value instanceof Uint8Array ? [Buffer.from(value).toString('base64')] : value;
}
