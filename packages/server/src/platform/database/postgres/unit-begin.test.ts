import type { CompiledQuery } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Deferred, newDeferred } from '../../../lib/async/deferred.ts';
import { UnitBegin } from './unit-begin.ts';

const statement = (kind: string, sql: string): CompiledQuery =>
  ({ query: { kind }, sql, parameters: [] }) as unknown as CompiledQuery;
const read = statement('SelectQueryNode', 'a read');
const lock = statement('RawNode', 'select a lock');
const write = statement('InsertQueryNode', 'a write');
const laterRead = statement('SelectQueryNode', 'a later read');

let begin: Deferred<void>;
let sent: string[];
let unit: UnitBegin;
const ask = (...queries: CompiledQuery[]): Promise<unknown> => Promise.all(queries.map(unit.run));

beforeEach(() => {
  begin = newDeferred();
  sent = [];
  unit = new UnitBegin(begin.promise, async ({ sql }) => {
    sent.push(sql);
    return { rows: [] };
  });
});

describe('before the transaction has begun', () => {
  it('reads are sent', async () => {
    await ask(lock, read);
    expect(sent).toEqual(['select a lock', 'a read']);
  });

  it('a write and everything behind it wait, and keep their order', async () => {
    const asked = ask(read, write, laterRead);
    await Promise.resolve();
    expect(sent).toEqual(['a read']);
    begin.resolve();
    await unit.begun;
    expect(sent).toEqual(['a read', 'a write', 'a later read']);
    await asked;
  });
});

it('once it has begun, nothing waits', async () => {
  begin.resolve();
  await unit.begun;
  await ask(write);
  expect(sent).toEqual(['a write']);
});

it('nothing is written when the transaction could not begin', async () => {
  const asked = ask(read, write);
  begin.reject(new Error('no'));
  await expect(asked).rejects.toThrow('no');
  await expect(ask(write)).rejects.toThrow('no');
  await expect(unit.begun).rejects.toThrow('no');
  expect(sent).toEqual(['a read']);
});
