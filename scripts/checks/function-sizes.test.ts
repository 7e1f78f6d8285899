import { describe, expect, it } from 'vitest';
import { findLongFunctions } from './function-sizes.ts';

const path = 'packages/server/src/conversation/create-conversation.ts';
const lines = (count: number, line: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => line(index)).join('\n');
const found = (text: string, file = path): string[] =>
  findLongFunctions(file, text).map(({ line, found: what }) => `${line}: ${what}`);

describe('functions of more than 100 lines', () => {
  const steps = lines(99, (index) => `const step${index} = run(${index});`);
  const tooLong = 'a function of 101 lines, and at most 100 are allowed';

  it('are found, in each way in which a function is written', () => {
    expect(found(`export function create() {\n${steps}\n}`)).toEqual([`1: ${tooLong}`]);
    expect(found(`\nexport const create = () => {\n${steps}\n};`)).toEqual([`2: ${tooLong}`]);
    expect(found(`class A {\ncreate() {\n${steps}\n}\n}`)).toEqual([`2: ${tooLong}`]);
    expect(found(`export const a = { create() {\n${steps}\n} };`)).toEqual([`1: ${tooLong}`]);
  });

  it('are counted with the functions inside them', () => {
    const inner = `const inner = () => {\n${lines(97, (index) => `run(${index});`)}\n};`;
    expect(found(`export function create() {\n${inner}\n}`)).toEqual([`1: ${tooLong}`]);
  });

  it('are not found when they have 100 lines', () => {
    expect(found(`export function create() {\n${lines(98, () => 'const a = 1;')}\n}`)).toEqual([]);
  });

  it('may be a table: one literal, or a list of calls', () => {
    const entries = lines(120, (index) => `key${index}: ${index},`);
    expect(found(`export const table = () => ({\n${entries}\n});`)).toEqual([]);
    expect(found(`export function table() {\nreturn {\n${entries}\n};\n}`)).toEqual([]);
    const calls = lines(120, (index) => `await db.createTable('t${index}');`);
    expect(found(`export async function up(db) {\n${calls}\n}`)).toEqual([]);
  });

  it('are no table when they branch or declare a name between the calls', () => {
    const calls = lines(120, (index) => `app.route(${index});`);
    expect(found(`export function routes(app) {\nif (app.old) return;\n${calls}\n}`)).toHaveLength(1);
    expect(found(`export function routes(app) {\nconst old = app.old;\n${calls}\n}`)).toHaveLength(1);
  });

  it('may stand in tests and their support, where a suite is one long function', () => {
    const text = `export function create() {\n${steps}\n}`;
    expect(found(text, 'packages/server/src/lib/ids.test.ts')).toEqual([]);
    expect(found(text, 'packages/server/testing/jobs-conformance.ts')).toEqual([]);
    expect(found(text, 'benchmarks/measures/start.ts')).toHaveLength(1);
  });
});
