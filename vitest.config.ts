import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    projects: [
      { test: { name: 'unit', include: ['packages/*/src/**/*.test.ts', 'scripts/**/*.test.ts'] } },
      { test: { name: 'http', include: ['packages/*/test/**/*.test.ts'] } },
      { test: { name: 'e2e', include: ['test/e2e/**/*.test.ts'], testTimeout: 120_000 } },
      { test: { name: 'chaos', include: ['test/chaos/**/*.test.ts'], testTimeout: 1_800_000 } },
    ],
  },
});
