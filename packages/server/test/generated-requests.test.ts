import { randomInt } from 'node:crypto';
import type { AccountTables } from '@switchyard/server/accounts/tables';
import type { OpenApiDocument } from '@switchyard/server/http/docs/openapi';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ConversationCaller, says } from './support/conversation-caller.ts';
import { fixtureAgents } from './support/conversation-gateway.ts';
import { anyWorkflow, type DispatchPool, startPool } from './support/dispatch-pool.ts';
import { type Account, GeneratedCaller } from './support/generated/generated-caller.ts';
import { generatedRequest, routesOf } from './support/generated/generated-request.ts';
import { KnownThings, type Names } from './support/generated/known-things.ts';
import { SeededRandom } from './support/generated/seeded-random.ts';
import { makeThings } from './support/generated/things-of-a-user.ts';

/**
 * Valid and invalid requests to every route of the OpenAPI document, as a user and as an administrator of one process.
 * `GENERATED_REQUESTS` sets how many each of them sends, `GENERATED_SEED` repeats a test, `GENERATED_LOG=error` shows
 * causes.
 */
const count = Number(process.env.GENERATED_REQUESTS ?? 750);
const seed = Number(process.env.GENERATED_SEED ?? randomInt(2 ** 31));
const batch = 250;
/** Requests of one caller that are in flight at the same time. */
const lanes = 8;

const readAndWrite = ['dispatch:read', 'dispatch:write', 'conversation:read', 'conversation:write'] as const;
const samples = {
  workflow: [anyWorkflow],
  assistant_id: ['chat', 'lead_agent'],
  graph_id: ['chat'],
  input: [says('hello'), says('count to 3')],
  ip: ['127.0.0.1'],
  port: [9],
  url: ['http://127.0.0.1:9/x', 'http://example.invalid/'],
  email: Array.from({ length: 50 }, (_, index) => `new${index}@example.com`),
  username: ['other@example.com', 'admin'],
  password: ['correct horse battery'],
  current_password: ['correct horse battery'],
  new_password: ['correct horse battery'],
  events: [['task.completed']],
  rating: [1, -1],
  after_seconds: [0],
  wait: ['0', 1],
  path: ['mnt/user-data/uploads/a.txt'],
};

let pool: DispatchPool;
let document: OpenApiDocument;
const things = new KnownThings();
const callers: Partial<Record<'user' | 'admin', GeneratedCaller>> = {};
const statuses = new Map<string, number>();
let accounts = 0;

beforeAll(async () => {
  process.stderr.write(`Generated requests: GENERATED_SEED=${seed} GENERATED_REQUESTS=${count}\n`);
  pool = await startPool({
    config: {
      database: { backend: 'sqlite' },
      agents: fixtureAgents,
      doors: { mcp: { oauth: { enabled: true } } },
      auth: { lockout: { attempts: 1_000, duration: 1_000 } },
      observability: { log: { level: (process.env.GENERATED_LOG ?? 'silent') as 'silent' } },
    },
  });
  document = (await (await pool.gateway.fetch('/openapi.json')).json()) as OpenApiDocument;
  await makeThingsOfOthers();
  const { url } = pool.gateway;
  callers.user = new GeneratedCaller({ url, scopes: readAndWrite, makeAccount: newUser });
  callers.admin = new GeneratedCaller({ url, scopes: [...readAndWrite, 'admin'], makeAccount: newAdmin });
  for (const caller of Object.values(callers)) await caller.signIn();
});
afterAll(async () => {
  for (const caller of Object.values(callers)) caller.close();
  const sums = [...statuses].sort().map(([status, sum]) => `${status}: ${sum}`);
  process.stderr.write(`Answers by status: ${sums.join(', ')}\n`);
  await pool.close();
});

async function newUser(): Promise<Account> {
  accounts += 1;
  const account = { email: `generated${accounts}@example.com`, password: 'correct horse battery' };
  await pool.gateway.register(account.email, account.password);
  return account;
}

async function newAdmin(): Promise<Account> {
  const account = await newUser();
  await pool.gateway.context.database.withTables<AccountTables>().write(async (trx) => {
    await trx.updateTable('users').set({ system_role: 'admin' }).where('email', '=', account.email).execute();
  });
  return account;
}

/** Creates things of a user who sends none of the requests. */
async function makeThingsOfOthers(): Promise<void> {
  const session = await pool.gateway.register('other@example.com');
  const other = await ConversationCaller.of(pool.gateway.url, session, ['dispatch:read', 'dispatch:write']);
  await makeThings({ url: pool.gateway.url, token: other.token, things });
}

/** Describes a failed request, short enough to read. */
function described(index: number, { method, path, body }: ReturnType<typeof generatedRequest>): string {
  return `#${index} ${method} ${path.slice(0, 300)} ${body?.toString().slice(0, 600) ?? ''}`;
}

/** Sends the requests from `first`. Each has its own random choices, so that it can be repeated alone. */
async function failuresOf(role: 'user' | 'admin', first: number): Promise<string[]> {
  const routes = routesOf(document);
  const failures: string[] = [];
  const caller = callerOf(role);
  await makeThings({ url: pool.gateway.url, token: await caller.workingToken(), things });
  const send = async (index: number): Promise<void> => {
    const random = new SeededRandom(seed + index * 2 + (role === 'admin' ? 1 : 0));
    const route = routes[index % routes.length] ?? random.pick(routes);
    const request = generatedRequest(route, { random, things, samples });
    const { status, text } = await caller.send(request, random);
    statuses.set(`${status ?? 'left'}`, (statuses.get(`${status ?? 'left'}`) ?? 0) + 1);
    if (status === undefined) return;
    if (status >= 500) failures.push(`${described(index, request)} → ${status} ${text.slice(0, 300)}`);
    if (status < 300) learnFrom(text, route.path, request.names);
  };
  const last = Math.min(first + batch, count);
  let next = first;
  const lane = async (): Promise<void> => {
    while (next < last) {
      next += 1;
      await send(next - 1);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return failures;
}

function callerOf(role: 'user' | 'admin'): GeneratedCaller {
  const caller = callers[role];
  if (!caller) throw new Error(`No one is signed in as ${role}.`);
  return caller;
}

function learnFrom(text: string, path: string, around: Names): void {
  try {
    things.learn(JSON.parse(text), path, around);
  } catch {
    // Not every response is JSON.
  }
}

const batches = Array.from({ length: Math.ceil(count / batch) }, (_, index) => index * batch);

describe.each(['user', 'admin'] as const)(`of seed ${seed}, generated requests as %s`, (role) => {
  test.each(batches)('from number %i on are never an error of the gateway', async (first) => {
    expect(await failuresOf(role, first)).toEqual([]);
    expect((await pool.gateway.fetch('/readyz')).status).toBe(200);
  });
});

test('the routes of both areas were called, and the gateway still responds', async () => {
  expect(routesOf(document).length).toBeGreaterThan(150);
  expect(statuses.get('200')).toBeGreaterThan(count / 10);
  expect(statuses.get('422')).toBeGreaterThan(count / 10);
  const ada = await ConversationCaller.of(pool.gateway.url, await pool.gateway.register('last@example.com'));
  const answer = await ada.wait(await ada.thread(), { assistant_id: 'chat', input: says('count to 3') });
  expect(JSON.stringify(answer)).toContain('1 2 3');
});
