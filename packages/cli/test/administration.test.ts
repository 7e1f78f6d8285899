import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { listAccessTokens } from '@switchyard/contract/accounts/access-token';
import { listUsers } from '@switchyard/contract/accounts/user';
import { listAgents } from '@switchyard/contract/conversation/agents';
import { getConsoleUsage } from '@switchyard/contract/conversation/console';
import { listGraphs } from '@switchyard/contract/conversation/graphs';
import { listUnreadThreads } from '@switchyard/contract/conversation/read-threads';
import { listSkills } from '@switchyard/contract/conversation/skill';
import { webhook } from '@switchyard/contract/dispatch/webhook';
import { systemReport } from '@switchyard/contract/system';
import { type DevGateway, startGateway } from '@switchyard/dev-env/gateway';
import { HttpSession } from '@switchyard/dev-env/http-session';
import { type TSchema, Type } from 'typebox';
import { Value } from 'typebox/value';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli } from '../src/cli.ts';

const admin = { email: 'admin@example.com', password: 'correct horse battery' };
let gateway: DevGateway;
let token: string;
let userToken: string;

beforeAll(async () => {
  gateway = await startGateway({
    config: { database: { backend: 'sqlite' }, dispatch: { webhooks_to_private_addresses: true } },
  });
  await gateway.fetch('/api/v1/auth/initialize', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(admin),
  });
  const all = ['dispatch:read', 'dispatch:write', 'conversation:read', 'conversation:write'];
  token = await tokenOf(await HttpSession.login(gateway.url, admin), [...all, 'admin']);
  userToken = await tokenOf(await gateway.register('user@example.com'), all);
});

afterAll(async () => {
  await gateway.stop();
});

async function tokenOf(session: HttpSession, scopes: string[]): Promise<string> {
  return (await session.post<{ token: string }>('/api/v1/auth/tokens', { name: 'test', scopes })).token;
}

interface Given {
  token?: string | null;
  /** The password of the administrator is piped in. */
  withPassword?: true;
  /** Arguments with spaces in them. */
  args?: readonly string[];
}

async function cli(line: string, { token: given = token, withPassword, args = [] }: Given = {}) {
  const written = { stdout: '', stderr: '' };
  const output = (name: keyof typeof written) => ({
    write: (text: string) => {
      written[name] += text;
    },
  });
  const stdin = Object.assign(new PassThrough(), { isTTY: false });
  stdin.end(withPassword ? `${admin.password}\n` : '');
  const signIn = withPassword
    ? ['--email', admin.email, '--password-stdin']
    : given
      ? ['--token', given]
      : [];
  const env = { NO_COLOR: '1', XDG_CONFIG_HOME: '/nonexistent' };
  const terminal = { env, cwd: '/nonexistent', stdin, stdout: output('stdout'), stderr: output('stderr') };
  const code = await runCli([...line.split(' '), ...args, ...signIn, '--url', gateway.url], terminal);
  return { code, ...written };
}

async function json(line: string, given: Given = {}) {
  const { code, stdout, stderr } = await cli(`${line} -o json`, given);
  expect([line, code, stderr]).toEqual([line, 0, '']);
  return JSON.parse(stdout);
}

describe('data as JSON', () => {
  const shapes: [line: string, schema: TSchema][] = [
    ['users list', listUsers.schema.response[200]],
    ['tokens list', listAccessTokens.schema.response[200]],
    ['usage --days 3', getConsoleUsage.schema.response[200]],
    ['webhooks list', Type.Array(webhook)],
    ['skills list', listSkills.schema.response[200]],
    ['mcp list', Type.Record(Type.String(), Type.Object({}))],
    ['agents list', listAgents.schema.response[200]],
    ['agents list', listGraphs.schema.response[200]],
    ['threads unread', listUnreadThreads.schema.response[200]],
    ['system', systemReport],
    [
      'status',
      Type.Object({
        url: Type.String(),
        health: Type.Object({ status: Type.String() }),
        pool: Type.Object({
          overview: Type.Object({}),
          instances: Type.Array(Type.Object({})),
          queue: Type.Object({ pauses: Type.Array(Type.Object({})) }),
          running: Type.Object({ items: Type.Array(Type.Object({})) }),
          waiting: Type.Object({ items: Type.Array(Type.Object({})) }),
        }),
        conversations: Type.Object({
          runs: Type.Array(Type.Object({})),
          asking: Type.Array(Type.Object({})),
          unread: Type.Object({ total: Type.Integer() }),
        }),
      }),
    ],
  ];
  it.each(shapes)('of %s has the shape that the API describes', async (line, schema) => {
    const data = await json(line);
    expect([...Value.Errors(schema, data)]).toEqual([]);
  });
});

describe('switchyard users', () => {
  it('makes an account whose one-time password alone is on standard output, and works on it by its address', async () => {
    const made = await cli('users add second@studio.example', { withPassword: true });
    expect([made.code, made.stdout.trim().length > 7, made.stdout.trim()]).toEqual([
      0,
      true,
      expect.not.stringMatching(/\s/),
    ]);
    const signedIn = await HttpSession.login(gateway.url, {
      email: 'second@studio.example',
      password: made.stdout.trim(),
    });
    expect(await signedIn.get('/api/v1/auth/me')).toMatchObject({ system_role: 'user' });

    const changed = await json('users set-role second@studio.example admin', { withPassword: true });
    expect(changed).toMatchObject({ email: 'second@studio.example', system_role: 'admin' });
    expect((await cli('users disable second@studio.example', { withPassword: true })).stderr).toBe(
      'second@studio.example is disabled.\n',
    );
    expect((await cli('users list --search second')).stdout).toMatch(
      /second@studio\.example +admin +disabled/,
    );
    await cli('users enable second@studio.example', { withPassword: true });
    const reset = await json('users reset-password second@studio.example', { withPassword: true });
    expect(reset.one_time_password).not.toBe(made.stdout.trim());
    expect((await cli('users delete second@studio.example')).code).toBe(0);
    expect((await json('users list --search second')).total).toBe(0);
  });

  it('ends with 5 for an account that is not there, and with 4 for an ordinary user', async () => {
    const missing = await cli('users disable nobody@example.com', { withPassword: true });
    expect([missing.code, missing.stderr]).toEqual([
      5,
      expect.stringContaining('no account nobody@example.com'),
    ]);
    expect((await cli('users list', { token: userToken })).code).toBe(4);
    expect((await cli('users add x@example.com')).code).toBe(2);
  });
});

describe('switchyard tokens', () => {
  it('prints a new token alone, which works until it is revoked', async () => {
    const made = await cli('tokens create laptop --scope dispatch:read --days 7', { withPassword: true });
    expect([made.code, made.stdout]).toEqual([0, expect.stringMatching(/^sy_pat_\S+\n$/)]);
    const own = made.stdout.trim();
    expect((await cli('webhooks list', { token: own })).code).toBe(0);
    const { items } = await json('tokens list');
    const { id } = items.find(({ name }: { name: string }) => name === 'laptop');
    expect((await cli(`tokens revoke ${id}`, { withPassword: true })).code).toBe(0);
    expect((await cli('webhooks list', { token: own })).code).toBe(4);
    expect((await cli('tokens create x --scope everything', { withPassword: true })).code).toBe(2);
  });

  it('prints the address for a client of ComfyUI, which opens the door', async () => {
    const made = await cli('tokens create krita --address', { withPassword: true });
    const address = made.stdout.trim();
    expect(address.startsWith(`${gateway.url}/comfy/t/sy_pat_`)).toBe(true);
    expect((await fetch(`${address}/queue`)).status).toBe(200);
    const both = await cli('tokens create x --address --scope admin', { withPassword: true });
    expect([both.code, both.stdout]).toEqual([2, '']);
  });
});

describe('switchyard schedules', () => {
  it('makes, changes, pauses, runs and deletes a scheduled task', async () => {
    const made = await json('schedules add hello --agent lead_agent --timezone Asia/Tokyo', {
      args: ['--cron', '0 9 * * 1-5'],
    });
    expect(made).toMatchObject({ title: 'hello', status: 'enabled', schedule_spec: { cron: '0 9 * * 1-5' } });
    const changed = await json(`schedules change ${made.id} --title Greeting`, {
      args: ['--cron', '0 8 * * *'],
    });
    expect(changed).toMatchObject({ title: 'Greeting', schedule_spec: { cron: '0 8 * * *' } });
    expect((await cli(`schedules pause ${made.id}`)).stderr).toBe(`${made.id} rests.\n`);
    expect((await cli('schedules list')).stdout).toMatch(/paused +0 8 \* \* \* Asia\/Tokyo/);
    expect((await cli(`schedules history ${made.id}`)).stderr).toBe('It has not run yet.\n');
    expect(await json(`schedules trigger ${made.id}`)).toEqual({ id: made.id, triggered: true });
    expect(await json(`schedules history ${made.id}`)).toMatchObject([{ trigger: 'manual' }]);
    expect(await json(`schedules resume ${made.id}`)).toMatchObject({ status: 'enabled' });
    expect((await cli(`schedules delete ${made.id}`, { token: userToken })).code).toBe(5);
    expect((await cli(`schedules delete ${made.id}`)).code).toBe(0);
  });

  it('has to be told when it runs, and in which thread', async () => {
    expect((await cli('schedules add hello')).code).toBe(2);
    expect((await cli('schedules add hello --at 2999-01-01T09:00 --cron x')).code).toBe(2);
    const inThread = 'schedules add hello --at 2999-01-01T09:00 --thread not-there';
    expect((await cli(inThread)).code).toBe(5);
  });
});

describe('switchyard webhooks', () => {
  it('adds, switches and deletes a webhook of its user alone', async () => {
    const made = await json('webhooks add https://example.org/hook --event task.failed');
    expect(made).toMatchObject({ url: 'https://example.org/hook', events: ['task.failed'], enabled: true });
    expect((await json(`webhooks disable ${made.id}`)).enabled).toBe(false);
    expect((await cli(`webhooks deliveries ${made.id}`)).stderr).toBe('Nothing was sent to it.\n');
    expect((await cli(`webhooks test ${made.id}`, { token: userToken })).code).toBe(5);
    expect((await cli(`webhooks delete ${made.id}`, { token: userToken })).code).toBe(5);
    expect((await cli(`webhooks delete ${made.id}`)).code).toBe(0);
    expect((await json('webhooks list')).map(({ id }: { id: string }) => id)).not.toContain(made.id);
  });
});

describe('switchyard webhooks test', () => {
  it('says how the receiver took the call, and ends with 1 when it did not', async () => {
    const receiver = createServer((_request, response) => response.end());
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    const { port } = receiver.address() as AddressInfo;
    const { id } = await json(`webhooks add http://127.0.0.1:${port}/hook`);
    expect((await cli(`webhooks test ${id}`)).stderr).toMatch(/^The receiver answered 200 after \d+ ms\.\n$/);
    await new Promise((resolve) => receiver.close(resolve));
    const refused = await cli(`webhooks test ${id}`);
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining(
        'was not delivered. Nothing listens at the address of the receiver. (ECONNREFUSED)',
      ),
    ]);
    await cli(`webhooks delete ${id}`);
  });
});

describe('switchyard agents', () => {
  it('makes, shows, changes and deletes an agent of its user alone', async () => {
    expect((await cli('agents create painter --tools file:read --description paints')).code).toBe(0);
    expect((await cli('agents show painter')).stdout).toBe(
      'name         painter\ndescription  paints\nmodel        the default\ntools        file:read\nskills       all\n',
    );
    expect(await json('agents change painter --description draws')).toMatchObject({ description: 'draws' });
    expect((await cli('agents show painter', { token: userToken })).code).toBe(5);
    expect((await cli('agents create painter')).code).toBe(6);
    expect(await json('agents delete painter')).toEqual({ name: 'painter', deleted: true });
  });
});

describe('switchyard status', () => {
  it('says on one screen what waits, and why', async () => {
    const workflow = {
      '1': { class_type: 'EmptyImage', inputs: {} },
      '2': { class_type: 'SaveImage', inputs: {} },
    };
    const headers = { 'x-api-key': userToken, 'content-type': 'application/json' };
    const answer = await gateway.fetch('/api/tasks', {
      method: 'POST',
      headers,
      body: JSON.stringify({ workflow, pool: 'far away' }),
    });
    const { data: task } = (await answer.json()) as { data: { id: string } };
    const { code, stdout } = await cli('status', { token: userToken });
    expect(code).toBe(0);
    expect(stdout).toContain(`${gateway.url} is well (0.0.0-dev).`);
    expect(stdout).toContain('Workers: 0 of 0 answer, 0 busy.');
    expect(stdout).toMatch(/Tasks: 0 running, 1 waiting\./);
    expect(stdout).toContain(task.id);
    expect(stdout).toContain('Threads: 0 unread.');
  });
});

describe('switchyard system', () => {
  it('shows administrators how the gateway is, and refuses others', async () => {
    expect((await cli('system')).stdout).toMatch(/^gateway +0\.0\.0-dev/);
    expect((await cli('system', { token: userToken })).code).toBe(4);
    const missing = await cli('system retry-job none');
    expect([missing.code, missing.stderr]).toEqual([5, expect.stringContaining('switchyard system')]);
  });
});

describe('switchyard threads', () => {
  it('lists what is unread, and marks it as read', async () => {
    const headers = { 'x-api-key': userToken, 'content-type': 'application/json' };
    const post = async (path: string, body: object) =>
      (await gateway.fetch(path, { method: 'POST', headers, body: JSON.stringify(body) })).json() as Promise<{
        thread_id: string;
      }>;
    const { thread_id: id } = await post('/api/threads', {});
    const given = { token: userToken };
    expect((await cli('threads unread', given)).stderr).toBe('You have read everything.\n');
    expect((await cli(`threads read ${id} --undo`, given)).stderr).toBe(`${id} is unread.\n`);
    expect((await cli('threads unread', given)).stdout).toContain(id);
    expect(await json(`threads read ${id}`, given)).toMatchObject([{ thread_id: id, unread: false }]);
    expect((await cli(`threads read ${id}`)).code).toBe(5);
  });
});

describe('switchyard skills and mcp', () => {
  it('switches a skill for all agents, as an administrator', async () => {
    expect((await cli('skills disable no-such-skill')).code).toBe(5);
    expect((await cli('skills enable no-such-skill', { token: userToken })).code).toBe(4);
  });

  it('says that there is no MCP server of this name', async () => {
    expect((await cli('mcp test nothing')).code).toBe(5);
    expect((await cli('mcp list', { token: userToken })).code).toBe(4);
    expect((await cli('mcp reload')).code).toBe(0);
  });
});
