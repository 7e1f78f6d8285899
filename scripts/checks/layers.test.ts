import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { layerRules } from './layer-rules.ts';
import { findLayerFaults } from './layers.ts';
import { parseSource } from './source-file.ts';

const server = 'packages/server/src';

/** The rules that a planted file breaks; `beside` are existing files, so that its imports lead to a file. */
function rulesBrokenBy(path: string, text: string, beside: string[] = []): string[] {
  const files = [parseSource(path, text), ...beside.map((other) => parseSource(other, ''))];
  return findLayerFaults(files).map((finding) => finding.rule);
}

function relative(from: string, to: string): string {
  const path = posix.relative(posix.dirname(from), to);
  return path.startsWith('.') ? path : `./${path}`;
}

/** One import that each rule forbids, and one close to it that it allows. */
const planted: Record<
  string,
  { forbidden: [string, string, string[]?]; allowed: [string, string, string[]?] }
> = {
  'left-only': {
    forbidden: [
      `${server}/lib/ids.ts`,
      "import { guard } from '../http/access/guard.ts'",
      [`${server}/http/access/guard.ts`],
    ],
    allowed: [
      `${server}/http/access/guard.ts`,
      "import { newId } from '../../lib/ids.ts'",
      [`${server}/lib/ids.ts`],
    ],
  },
  'areas-apart': {
    forbidden: [
      `${server}/dispatch/create-dispatch.ts`,
      "import { runs } from '../conversation/runs/runs.ts'",
      [`${server}/conversation/runs/runs.ts`],
    ],
    allowed: [
      `${server}/ops/doctor.ts`,
      "import { runs } from '../conversation/runs/runs.ts'",
      [`${server}/conversation/runs/runs.ts`],
    ],
  },
  'doors-apart': {
    forbidden: [
      `${server}/doors/comfy-api/jobs.ts`,
      "import { PromptFeed } from '../comfyui/prompt-feed.ts'",
      [`${server}/doors/comfyui/prompt-feed.ts`],
    ],
    allowed: [
      `${server}/doors/comfyui/comfyui-routes.ts`,
      "import { PromptFeed } from './prompt-feed.ts'",
      [`${server}/doors/comfyui/prompt-feed.ts`],
    ],
  },
  'left-inside-an-area': {
    forbidden: [
      `${server}/dispatch/tasks/task-store.ts`,
      "import type { Fleet } from '../fleet/fleet.ts'",
      [`${server}/dispatch/fleet/fleet.ts`],
    ],
    allowed: [
      `${server}/dispatch/fleet/fleet.ts`,
      "import { TaskStore } from '../tasks/task-store.ts'",
      [`${server}/dispatch/tasks/task-store.ts`],
    ],
  },
  'console-order': {
    forbidden: [
      'packages/console/src/features/chat/thread-page.tsx',
      "import { TaskPage } from '../tasks/task-page.tsx'",
      ['packages/console/src/features/tasks/task-page.tsx'],
    ],
    allowed: [
      'packages/console/src/app/pages.tsx',
      "import { TaskPage } from '../features/tasks/task-page.tsx'",
      ['packages/console/src/features/tasks/task-page.tsx'],
    ],
  },
  packages: {
    forbidden: [
      'packages/client/src/call.ts',
      "import { AppError } from '@switchyard/server/lib/app-error'",
      [`${server}/lib/app-error.ts`],
    ],
    allowed: [
      'packages/cli/src/up.ts',
      "import { AppError } from '@switchyard/server/lib/app-error'",
      [`${server}/lib/app-error.ts`],
    ],
  },
  'dev-env-in-tests': {
    forbidden: [
      `${server}/server.ts`,
      "import { startGateway } from '@switchyard/dev-env/gateway'",
      ['packages/dev-env/src/gateway.ts'],
    ],
    allowed: [
      `${server}/server.test.ts`,
      "import { startGateway } from '@switchyard/dev-env/gateway'",
      ['packages/dev-env/src/gateway.ts'],
    ],
  },
  'testing-in-tests': {
    forbidden: [
      `${server}/lib/ids.ts`,
      "import { runsFixture } from '../../testing/runs-fixture.ts'",
      ['packages/server/testing/runs-fixture.ts'],
    ],
    allowed: [
      `${server}/lib/ids.test.ts`,
      "import { runsFixture } from '../../testing/runs-fixture.ts'",
      ['packages/server/testing/runs-fixture.ts'],
    ],
  },
  'contract-imports-schemas-only': {
    forbidden: ['packages/contract/src/errors.ts', "import { createHash } from 'node:crypto'"],
    allowed: ['packages/contract/src/errors.ts', "import { Type } from 'typebox'"],
  },
  'langchain-below-agents': {
    forbidden: [
      `${server}/conversation/runs/runs.ts`,
      "import { Runnable } from '@langchain/core/runnables'",
    ],
    allowed: [`${server}/agents/load.ts`, "import { Runnable } from '@langchain/core/runnables'"],
  },
  'fastify-at-the-edge': {
    forbidden: [`${server}/accounts/accounts.ts`, "import type { FastifyRequest } from 'fastify'"],
    allowed: [`${server}/accounts/account-routes.ts`, "import type { FastifyRequest } from 'fastify'"],
  },
  'query-builder-in-stores': {
    forbidden: [`${server}/accounts/accounts.ts`, "import { sql } from 'kysely'"],
    allowed: [`${server}/accounts/account-store.ts`, "import { sql } from 'kysely'"],
  },
  'redis-in-its-place': {
    forbidden: [`${server}/accounts/accounts.ts`, "import { Redis } from 'ioredis'"],
    allowed: [`${server}/platform/redis/redis-server.ts`, "import { Redis } from 'ioredis'"],
  },
};

describe('the direction of imports', () => {
  it('has a planted import for every rule of the table', () => {
    expect(Object.keys(planted).sort()).toEqual(layerRules.map((rule) => rule.name).sort());
  });

  for (const [rule, { forbidden, allowed }] of Object.entries(planted)) {
    it(`${rule}: refuses ${forbidden[1]} in ${forbidden[0]}`, () => {
      expect(rulesBrokenBy(...forbidden)).toEqual([rule]);
    });
    it(`${rule}: allows ${allowed[1]} in ${allowed[0]}`, () => {
      expect(rulesBrokenBy(...allowed)).toEqual([]);
    });
  }

  const ways = {
    'a named import': "import { guard } from '../http/access/guard.ts';",
    'a type import': "import type { Guard } from '../http/access/guard.ts';",
    'an import for its effect': "import '../http/access/guard.ts';",
    'a re-export': "export { guard } from '../http/access/guard.ts';",
    'a re-export of everything': "export * from '../http/access/guard.ts';",
    'a dynamic import': "export const load = () => import('../http/access/guard.ts');",
    'a dynamic import by template': 'export const load = () => import(`../http/access/guard.ts`);',
    'a type query': "export type Guard = import('../http/access/guard.ts').Guard;",
    'a typeof query': "export type Guard = typeof import('../http/access/guard.ts');",
    'a require': "export const guard = require('../http/access/guard.ts');",
  };
  for (const [way, text] of Object.entries(ways)) {
    it(`sees ${way}`, () => {
      expect(rulesBrokenBy(`${server}/lib/ids.ts`, text, [`${server}/http/access/guard.ts`])).toEqual([
        'left-only',
      ]);
    });
  }

  it('takes no import from comments and strings', () => {
    const text =
      "// import '../http/access/guard.ts'\nexport const text = \"import '../http/access/guard.ts'\";";
    expect(rulesBrokenBy(`${server}/lib/ids.ts`, text, [`${server}/http/access/guard.ts`])).toEqual([]);
  });

  it('knows the order inside each area, and what puts an area together', () => {
    const broken = (from: string, to: string): string[] =>
      rulesBrokenBy(`${server}/${from}`, `import '${relative(from, to)}';`, [`${server}/${to}`]);
    expect(broken('agents/models/chat-models.ts', 'agents/lead/lead-agent.ts')).toEqual([
      'left-inside-an-area',
    ]);
    expect(broken('conversation/runs/records/run.ts', 'conversation/runs/execution/run-work.ts')).toEqual([
      'left-inside-an-area',
    ]);
    expect(broken('conversation/threads/threads.ts', 'conversation/create-conversation.ts')).toEqual([
      'left-inside-an-area',
    ]);
    expect(broken('conversation/create-conversation.ts', 'conversation/runs/runs.ts')).toEqual([]);
    expect(broken('conversation/runs/runs.ts', 'conversation/runs/execution/run-work.ts')).toEqual([]);
  });

  it('names the file, the line, the rule and a way out', () => {
    const file = parseSource(`${server}/lib/ids.ts`, "\n\nimport { sql } from 'kysely';");
    expect(findLayerFaults([file])).toEqual([
      {
        file: `${server}/lib/ids.ts`,
        line: 3,
        rule: 'query-builder-in-stores',
        found: 'imports kysely',
        fix: 'give the store a function that says what is wanted, and call that',
      },
    ]);
  });

  it('lets a test look at rows and requests, but not import to the right', () => {
    const path = `${server}/accounts/accounts.test.ts`;
    expect(rulesBrokenBy(path, "import { sql } from 'kysely'")).toEqual([]);
    expect(rulesBrokenBy(path, "import '../ops/doctor.ts'", [`${server}/ops/doctor.ts`])).toEqual([
      'left-only',
    ]);
  });
});

describe('statements', () => {
  it('are built in stores alone, also without an import of the query builder', () => {
    const text = "export const add = (trx) => trx.insertInto('tasks').values({}).execute();";
    expect(rulesBrokenBy(`${server}/dispatch/webhooks/webhooks.ts`, text)).toEqual(['queries-in-stores']);
    expect(rulesBrokenBy(`${server}/dispatch/webhooks/webhook-store.ts`, text)).toEqual([]);
    expect(rulesBrokenBy(`${server}/dispatch/webhooks/webhooks.test.ts`, text)).toEqual([]);
  });
});

describe('the place of a file', () => {
  it('may be the support folder of its own package, for tests', () => {
    const support = "import { client } from '../../test/support/client.ts'";
    expect(rulesBrokenBy(`${server}/lib/ids.test.ts`, support)).toEqual([]);
    expect(rulesBrokenBy(`${server}/lib/ids.ts`, support)).toEqual(['explicit-path']);
  });

  it('must be one that the layer line names', () => {
    expect(rulesBrokenBy(`${server}/helpers/strings.ts`, '')).toEqual(['known-place']);
    expect(rulesBrokenBy(`${server}/utils.ts`, '')).toEqual(['known-place']);
    expect(rulesBrokenBy('packages/extras/src/a.ts', '')).toEqual(['known-place']);
  });

  it('is written out in every import', () => {
    const ids = [`${server}/lib/ids.ts`];
    expect(rulesBrokenBy(`${server}/lib/a.ts`, "import './ids'", ids)).toEqual(['explicit-path']);
    expect(rulesBrokenBy(`${server}/lib/a.ts`, "import './gone.ts'", ids)).toEqual(['explicit-path']);
    expect(rulesBrokenBy(`${server}/lib/a.ts`, "import '@switchyard/server/lib/ids'", ids)).toEqual([
      'explicit-path',
    ]);
    const crossing = "import '../../server/src/lib/ids.ts'";
    expect(rulesBrokenBy('packages/cli/src/up.ts', crossing, ids)).toEqual(['explicit-path']);
  });
});

it.each([
  ['lib', '../kit/button.tsx', 'packages/console/src/lib/gateway.ts', 'packages/console/src/kit/button.tsx'],
  [
    'kit',
    '../features/tasks/task-page.tsx',
    'packages/console/src/kit/button.tsx',
    'packages/console/src/features/tasks/task-page.tsx',
  ],
  [
    'features',
    '../../app/app.tsx',
    'packages/console/src/features/tasks/task-page.tsx',
    'packages/console/src/app/app.tsx',
  ],
])('in the console, %s does not import %s, which stands to its right', (_place, specifier, from, to) => {
  expect(rulesBrokenBy(from, `import { x } from '${specifier}'`, [to])).toContain('console-order');
});
