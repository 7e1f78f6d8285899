import { defineConfig } from 'vitest/config';

/**
 * What ends a test that hangs, for ever so slow a machine: no test measures time by it, and none waits for less than its
 * event. What a test asks again and again until it is so fails a little earlier, so that it says what it has seen.
 */
const patienceMs = 120_000;
const patience = {
  testTimeout: patienceMs,
  hookTimeout: patienceMs,
  expect: { poll: { timeout: patienceMs / 2 } },
};

/**
 * unit and http are quick and run on any machine; they share their modules between files, which halves the time and is safe
 * while nothing of ours keeps state in a module. e2e and chaos start the built binary in processes of their own, one
 * test file at a time, so that each has the machine for itself.
 */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          ...patience,
          name: 'unit',
          include: ['packages/*/src/**/*.test.ts', 'scripts/**/*.test.ts'],
          pool: 'threads',
          isolate: false,
        },
      },
      {
        test: {
          ...patience,
          name: 'http',
          include: ['packages/*/test/**/*.test.ts'],
          pool: 'threads',
          isolate: false,
        },
      },
      {
        test: {
          ...patience,
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          pool: 'forks',
          fileParallelism: false,
          testTimeout: 2 * patienceMs,
        },
      },
      {
        test: {
          ...patience,
          name: 'chaos',
          include: ['test/chaos/**/*.test.ts'],
          pool: 'forks',
          fileParallelism: false,
          testTimeout: 1_800_000,
        },
      },
    ],
  },
});
