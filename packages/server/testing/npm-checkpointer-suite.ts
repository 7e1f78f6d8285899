import { deltaChannelHistoryTests, validate } from '@langchain/langgraph-checkpoint-validation';
import * as vitest from 'vitest';
import type { Checkpointer } from '../src/agents/checkpoints/saver.ts';

/**
 * Tests of LangChain's suite that fail on purpose, each with its reason. If one of them passes, that is an error too.
 */
const exceptions: ReadonlyMap<string, string> = new Map([
  [
    'should only store channel_values that have changed (based on newVersions)',
    'A fork comes with an empty list of new versions and with values that its parent lacks; leaving them out would lose state.',
  ],
  [
    'should migrate pending sends',
    'Checkpoints of the formats before 4 are older than this checkpointer, which has never written one.',
  ],
]);

interface Variant {
  open(): Promise<Checkpointer>;
  close(checkpointer: Checkpointer): Promise<void>;
}

/** Runs the suite of @langchain/langgraph-checkpoint-validation, which expects its test runner in global variables. */
export function npmSuite(name: string, { open, close }: Variant): void {
  const initializer = { checkpointerName: name, createCheckpointer: open, destroyCheckpointer: close };
  const { describe, expect, beforeAll, beforeEach, afterAll, afterEach } = vitest;
  const it = Object.assign(itUnlessExcepted, { each: vitest.it.each.bind(vitest.it) });
  Object.assign(globalThis, { describe, it, expect, beforeAll, beforeEach, afterAll, afterEach });
  validate(initializer);
  deltaChannelHistoryTests(initializer);
}

function itUnlessExcepted(title: string, test: () => void | Promise<void>): void {
  const reason = exceptions.get(title);
  if (reason === undefined) vitest.it(title, test);
  else vitest.it.fails(`${title} [excepted: ${reason}]`, test);
}
