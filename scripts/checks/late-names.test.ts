import { describe, expect, it } from 'vitest';
import { findLateNames } from './late-names.ts';

const path = 'packages/server/src/conversation/create-conversation.ts';
const found = (text: string, file = path): string[] =>
  findLateNames(file, text).map(({ found: what }) => what);

describe('names that closures use before they are declared', () => {
  it('are found where the gateway is put together', () => {
    const late = `export function create() {
      const removal = new Removal({ stopWork: (id) => runs.stopWork(id) });
      const runs = createRuns({ removal });
      return runs;
    }`;
    expect(found(late)).toEqual(['a closure uses runs, which is declared below it']);
    expect(found(late, 'packages/server/src/lib/timer.ts')).toEqual([]);
  });

  it('are fine when they are declared first, are a parameter, or name a member', () => {
    const inOrder = `export function create() {
      const runs = createRuns();
      const removal = new Removal({ stopWork: (id) => runs.stopWork(id), other: (late) => late.runs, later: 1 });
      const late = { later: removal.later };
      return () => late;
    }`;
    expect(found(inOrder)).toEqual([]);
  });
});
