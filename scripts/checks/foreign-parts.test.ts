import { describe, expect, it } from 'vitest';
import { exceptions, findForeignParts, findUnusedExceptions } from './foreign-parts.ts';

const path = 'packages/server/src/agents/running/example.ts';
const found = (text: string, file = path): string[] =>
  findForeignParts(file, text).map(({ found: what }) => what);

describe('private members of libraries', () => {
  it.each([
    ['manager._parentRunId;', '_parentRunId'],
    ["socket['_socket']?.cork();", '_socket'],
    ['const { _queue } = store;', '_queue'],
    ['(graph as { builder?: unknown }).builder?._schema;', '_schema'],
    ['config.configurable?.__pregel_scratchpad;', '__pregel_scratchpad'],
    ['const config = { __pregel_stream: undefined };', '__pregel_stream'],
  ])('are found in %s', (text, name) => {
    expect(found(text)).toEqual([`the private member ${name}`]);
  });

  it('are none of our own: fields with #, data, and parameters that are not used', () => {
    const text = `class Own { #mine = 1; read(_unused: number) { return this.#mine; } }
      const node = { _meta: { title: 'x' }, _own: 1 };
      export const title = node._meta.title;`;
    expect(found(text)).toEqual([]);
  });
});

describe('replaced parts', () => {
  it.each([
    ['globalThis.fetch = own;', 'a replaced part: globalThis.fetch'],
    ['crypto.getRandomValues = own;', 'a replaced part: crypto.getRandomValues'],
    [
      'export function pool(web = globalThis.crypto) { web.getRandomValues = own; }',
      'a replaced part: web.getRandomValues',
    ],
    ["import fs from 'node:fs'; fs.readFile = own;", 'a replaced part: fs.readFile'],
    ['Object.defineProperty(globalThis, "fetch", { value: own });', 'a replaced part of globalThis'],
  ])('are found in %s', (text, what) => {
    expect(found(text)).toEqual([what]);
  });

  it('are found when a prototype is reached, under whatever name', () => {
    expect(found('Array.prototype.at = own;')).toContain('a replaced part: Array.prototype.at');
    expect(found('const queue = Store.prototype as unknown as Loose; queue.start = own;')).toEqual([
      'the prototype Store.prototype',
      'a replaced part: queue.start',
    ]);
  });

  it('are none where a thing of our own is changed, or a prototype is compared with', () => {
    const text = `import { Client } from 'pg';
      const client = new Client();
      client.port = 1;
      process.exitCode = 1;
      export const isPlain = Object.getPrototypeOf(client) === Object.prototype;`;
    expect(found(text)).toEqual([]);
  });

  it('may be in tests, which see what happens then', () => {
    expect(found('globalThis.fetch = own;', 'packages/server/src/lib/a.test.ts')).toEqual([]);
  });
});

describe('exceptions', () => {
  it('hold for their file alone', () => {
    const [first] = exceptions;
    const text = 'const queue = AsyncBatchedStore.prototype;';
    expect(found(text, first?.file)).toEqual([]);
    expect(found(text)).toEqual(['the prototype AsyncBatchedStore.prototype']);
  });

  it('that no file needs any more are found', () => {
    expect(findUnusedExceptions(() => exceptions.flatMap(({ names }) => names).join())).toEqual([]);
    expect(findUnusedExceptions(() => '')).toHaveLength(exceptions.flatMap(({ names }) => names).length);
  });
});
