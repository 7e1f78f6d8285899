import { defineConfig } from 'vitest/config';

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
          name: 'unit',
          include: ['packages/*/src/**/*.test.ts', 'scripts/**/*.test.ts'],
          pool: 'threads',
          isolate: false,
          testTimeout: 10_000,
        },
      },
      {
        test: {
          name: 'http',
          include: ['packages/*/test/**/*.test.ts'],
          pool: 'threads',
          isolate: false,
          testTimeout: 20_000,
          hookTimeout: 30_000,
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          pool: 'forks',
          fileParallelism: false,
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'chaos',
          include: ['test/chaos/**/*.test.ts'],
          pool: 'forks',
          fileParallelism: false,
          testTimeout: 1_800_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
