import type { CompiledQuery } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Deferred, newDeferred } from '../../../lib/async/deferred.ts';
import { UnitStatements } from './unit-statements.ts';

const statement = (kind: string, sql: string): CompiledQuery =>
  ({ query: { kind }, sql, parameters: [] }) as unknown as CompiledQuery;
const read = statement('SelectQueryNode', 'a read');
const lock = statement('RawNode', 'select a lock');
const write = statement('InsertQueryNode', 'a write');
const laterRead = statement('SelectQueryNode', 'a later read');

let begun: Deferred<void>;
let sent: string[];
let unit: UnitStatements;
const ask = (...queries: CompiledQuery[]): Promise<unknown> => Promise.all(queries.map(unit.run));

beforeEach(() => {
  begun = newDeferred();
  sent = [];
  unit = new UnitStatements(async ({ sql }) => {
    sent.push(sql);
    if (sql === 'begin') await begun.promise;
    return { rows: [] };
  });
});

describe('before the transaction has begun', () => {
  it('reads are sent', async () => {
    void ask(lock, read);
    expect(sent).toEqual(['begin', 'select a lock', 'a read']);
  });

  it('a write and everything behind it wait, and keep their order', async () => {
    const asked = ask(read, write, laterRead);
    await Promise.resolve();
    expect(sent).toEqual(['begin', 'a read']);
    begun.resolve();
    await unit.hasBegun();
    expect(sent).toEqual(['begin', 'a read', 'a write', 'a later read']);
    await asked;
  });
});

it('once it has begun, nothing waits', async () => {
  begun.resolve();
  await ask(lock);
  await unit.hasBegun();
  void ask(write);
  expect(sent).toEqual(['begin', 'select a lock', 'a write']);
});

it('nothing is written when the transaction could not begin', async () => {
  const asked = ask(read, write);
  begun.reject(new Error('no'));
  await expect(asked).rejects.toThrow('no');
  await expect(ask(write)).rejects.toThrow('no');
  await expect(unit.end([write])).rejects.toThrow('no');
  expect(sent).toEqual(['begin', 'a read']);
});

describe('at its end', () => {
  it('the last statements and the commit are sent together', async () => {
    begun.resolve();
    await ask(write);
    await unit.end([write, laterRead]);
    expect(sent).toEqual(['begin', 'a write', 'a write', 'a later read', 'commit']);
  });

  it('a unit of one statement sends that one alone', async () => {
    await unit.end([write]);
    expect(sent).toEqual(['a write']);
    expect(await unit.hasBegun()).toBe(false);
  });

  it('a unit that asked for nothing sends nothing', async () => {
    await unit.end([]);
    expect(sent).toEqual([]);
  });
});
