import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';
import { memoryFolder } from './packages/dev-env/src/memory-folder.ts';

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
 * One more than there are cores, since a test file waits for a good part of its time. A worker takes half a gigabyte and
 * connections of the one Postgres server, so there is a limit.
 */
const maxWorkers = Math.min(availableParallelism() + 1, 8);

/** What a user has chosen counts. */
const temporary = process.env.TMPDIR ?? memoryFolder();
const quick = {
  ...patience,
  pool: 'forks',
  isolate: false,
  maxWorkers,
  env: temporary === undefined ? {} : { TMPDIR: temporary },
} as const;

/** Named after the engine or the replicas that every case of them needs. */
const services = ['packages/*/{src,test}/**/*{postgres,redis,bullmq,replicas,s3-server}*.test.ts'];
const exclude = [...configDefaults.exclude, ...services];

/**
 * What an HTTP client sees of the package: these run against its processes, which see neither the memory nor the modules of a test.
 * Few gateways, and something of every area.
 */
const testsOfPackage = [
  'conversation-thread-search',
  'custom-agents',
  'dispatch-push',
  'dispatch-upload',
  'dispatch-workflows',
  'framed-files',
  'query-numbers',
  'upgrades',
].map((name) => `packages/server/test/${name}.test.ts`);

/**
 * unit and http are quick and run on any machine; services needs PostgreSQL and Redis. Their files run side by side in a few
 * processes. The files of one process share their modules, which halves the time and is safe while nothing of ours keeps state in
 * a module. built, e2e, browser, the four try-…, chaos and drill start the built binary in processes of their own, one test file at a
 * time, so that each has the machine for itself. built names the package whose binary that is, so another one can be named in its place.
 */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          ...quick,
          name: 'unit',
          include: ['packages/*/src/**/*.test.ts', 'scripts/**/*.test.ts'],
          exclude,
        },
      },
      {
        test: {
          ...quick,
          name: 'http',
          include: ['packages/*/test/**/*.test.ts'],
          exclude,
        },
      },
      { test: { ...quick, name: 'services', include: services } },
      {
        test: {
          ...patience,
          name: 'built',
          include: ['test/built/**/*.test.ts', ...testsOfPackage],
          pool: 'forks',
          fileParallelism: false,
          env: { SWITCHYARD_TEST_PACKAGE: process.env.SWITCHYARD_TEST_PACKAGE ?? 'packages/cli' },
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
          name: 'browser',
          include: ['test/browser/**/*.test.ts'],
          pool: 'forks',
          fileParallelism: false,
          testTimeout: 5 * patienceMs,
        },
      },
      {
        test: {
          ...patience,
          name: 'try-deploy',
          include: ['test/deploy/**/*.test.ts'],
          pool: 'forks',
          fileParallelism: false,
          testTimeout: 2 * patienceMs,
        },
      },
      {
        test: {
          ...patience,
          name: 'try-proxies',
          include: ['test/proxies/**/*.test.ts'],
          pool: 'forks',
          fileParallelism: false,
          testTimeout: 2 * patienceMs,
        },
      },
      {
        test: {
          ...patience,
          name: 'try-image',
          include: ['test/containers/image.test.ts'],
          pool: 'forks',
          // The first time, the base image is made of Debian's packages.
          hookTimeout: 10 * patienceMs,
          testTimeout: 2 * patienceMs,
        },
      },
      {
        test: {
          ...patience,
          name: 'try-compose',
          include: ['test/containers/compose.test.ts'],
          pool: 'forks',
          hookTimeout: 10 * patienceMs,
          testTimeout: 5 * patienceMs,
        },
      },
      {
        test: {
          ...patience,
          name: 'chaos',
          include: ['test/chaos/**/*.test.ts'],
          pool: 'forks',
          fileParallelism: false,
          // Fifty rounds, in each of which the hooks pause for seconds between their attempts to connect.
          testTimeout: 3_600_000,
        },
      },
      {
        test: {
          ...patience,
          name: 'drill',
          include: ['test/drill/**/*.test.ts'],
          pool: 'forks',
          fileParallelism: false,
          // Three replicas start one after the other.
          hookTimeout: 10 * patienceMs,
          // A hundred rounds.
          testTimeout: 4 * 3_600_000,
        },
      },
    ],
  },
});
