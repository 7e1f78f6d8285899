import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { textOf } from '@switchyard/contract/sentences/sentences';
import {
  type FakeOpenAi,
  type FakeReply,
  type FakeRequest,
  startFakeOpenAi,
} from '@switchyard/dev-env/fake-openai';
import { readModels } from '@switchyard/server/config/models';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ExternalCall } from '../src/agents/tools/external-tool.ts';
import { externalTools } from '../src/agents/tools/external-tools.ts';
import { ExtensionsFile } from '../src/conversation/mcp/extensions-file.ts';
import { McpServers } from '../src/conversation/mcp/mcp-servers.ts';
import { McpTaskStore } from '../src/conversation/mcp/mcp-task-store.ts';
import { withoutPatterns } from '../src/conversation/mcp/schema-patterns.ts';
import { mcpNetwork } from '../src/ops/outbound-networks.ts';
import { Outbound } from '../src/platform/outbound/outbound.ts';
import { noProxies } from '../src/platform/outbound/proxy-rules.ts';
import { openConversationDatabase } from '../testing/journal-fixture.ts';
import { type Answer, says } from './support/conversation-caller.ts';
import { type ConversationGateway, startConversation } from './support/conversation-gateway.ts';
import { firstAdmin } from './support/first-admin.ts';
import { type McpHttpServer, startMcpHttpServer } from './support/mcp-http-server.ts';

/** A call outside of a run. */
const byNobody: ExternalCall = { signal: undefined, run: undefined, tell: () => undefined, ask: () => null };

const script = fileURLToPath(new URL('./fixtures/mcp/server.mjs', import.meta.url));
/** Processes start slowly on a busy machine. */
const processServer = { type: 'stdio' as const, command: 'node', args: [script] };

let server: ConversationGateway;
let http: McpHttpServer;
let model: Pick<FakeOpenAi, 'requests' | 'close'> & { answer: (request: FakeRequest) => FakeReply };
let admin: (method: string, path: string, body?: unknown) => Promise<Pick<Answer, 'status' | 'body'>>;
beforeAll(async () => {
  http = await startMcpHttpServer();
  const fake = await startFakeOpenAi((request) => model.answer(request));
  model = { answer: () => ({ text: 'ok' }), requests: fake.requests, close: fake.close };
  server = await startConversation({
    mcp: { allowed_commands: ['node'] },
    models: readModels({ fake: { base_url: fake.url, api_key: 'sk-test', model: 'fake-1' } }),
  });
  const { token } = await firstAdmin(server.gateway);
  admin = async (method, path, body) => {
    const answer = await server.gateway.fetch(`/api/mcp${path}`, {
      method,
      headers: { 'x-api-key': token, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: await answer.json() };
  };
});
afterAll(async () => {
  await server.close();
  await http.close();
  await model.close();
});

const put = (servers: object) => admin('PUT', '/config', { mcp_servers: servers });
const storedFile = () => join(server.gateway.home, 'extensions_config.json');
const stored = () => JSON.parse(readFileSync(storedFile(), 'utf8')).mcpServers;

describe('the configuration of MCP servers', () => {
  beforeEach(() => put({}));

  it('is for administrators only, reading included', async () => {
    expect((await server.ada.get('/mcp/config')).status).toBe(403);
    expect((await server.ada.call('PUT', '/mcp/config', { body: { mcp_servers: {} } })).status).toBe(403);
    expect((await server.ada.post('/mcp/servers/x/test')).status).toBe(403);
  });

  it('shows no secret, and keeps masked values that are sent back', async () => {
    const answer = await put({ tools: { ...processServer, env: { SECRET: 'hush', OTHER: 'x' } } });
    expect(answer.body.mcp_servers.tools).toMatchObject({
      enabled: true,
      env: { SECRET: '***', OTHER: '***' },
      tool_call_timeout: 60,
    });
    expect(statSync(storedFile()).mode & 0o777).toBe(0o600);

    const { tools } = (await admin('GET', '/config')).body.mcp_servers;
    await put({ tools: { ...tools, env: { SECRET: '***', OTHER: 'new' }, description: 'changed' } });
    expect(stored().tools).toMatchObject({ env: { SECRET: 'hush', OTHER: 'new' }, description: 'changed' });
  });

  it('gives a stored secret only to the server that it was given for', async () => {
    await put({ web: { type: 'http', url: http.url, headers: { authorization: 'Bearer hush' } } });
    const masked = { authorization: '***' };
    const elsewhere = await put({ web: { type: 'http', url: 'https://evil.example/mcp', headers: masked } });
    expect(elsewhere.status).toBe(400);
    expect(elsewhere.body.detail).toContain('mcp_servers.web.headers.authorization');
    const elsePath = await put({ web: { type: 'http', url: `${http.url}/other`, headers: masked } });
    expect(elsePath.status).toBe(400);
    expect((await put({ other: { type: 'http', url: http.url, headers: masked } })).status).toBe(400);
    expect(stored().web.headers.authorization).toBe('Bearer hush');
  });

  it.each([
    ['a program that is not listed', { type: 'stdio', command: 'bash', args: [] }],
    ['a path to a program', { type: 'stdio', command: '/usr/bin/node', args: [] }],
    ['code in its arguments', { type: 'stdio', command: 'node', args: ['-e', 'process.exit()'] }],
    ['code in one argument', { type: 'stdio', command: 'node', args: ['--eval=1'] }],
    ['a module that is loaded first', { type: 'stdio', command: 'node', args: ['--import', 'data:,1'] }],
    ['a variable that runs code', { ...processServer, env: { NODE_OPTIONS: '--require=/tmp/x' } }],
    ['a loader of the system', { ...processServer, env: { LD_PRELOAD: '/tmp/x.so' } }],
    ['another scheme', { type: 'http', url: 'file:///etc/passwd' }],
    ['credentials in the address', { type: 'http', url: 'https://me:secret@mcp.example' }],
    ['a metadata service', { type: 'http', url: 'http://169.254.169.254/latest/meta-data' }],
    ['one in disguise', { type: 'http', url: 'http://[::ffff:a9fe:a9fe]/' }],
    ['one by its name', { type: 'http', url: 'http://metadata.google.internal/' }],
    ['every address at once', { type: 'http', url: 'http://0.0.0.0:9/' }],
    ['a header that has no name', { type: 'http', url: 'https://mcp.example', headers: { 'a b': 'x' } }],
    ['two headers in one', { type: 'http', url: 'https://mcp.example', headers: { a: 'x\r\nb: y' } }],
  ])('refuses %s', async (_what, given) => {
    const answer = await put({ x: given });
    expect(answer.status).toBe(400);
    expect(answer.body.detail).toContain('mcp_servers.x.');
    // Both the place and the reason are codes, so that a page can say them in its language.
    const [place, ...reasons] = answer.body.sentences.map(({ code }: { code: string }) => code);
    expect([place, reasons.length > 0, reasons.includes('quote')]).toEqual(['mcp_setting', true, false]);
  });

  it.each([
    ['an unknown key', { x: { ...processServer, shell: true } }],
    ['an unknown transport', { x: { type: 'carrier pigeon' } }],
    ['a name that is no name', { 'a/b': processServer }],
    ['a time without end', { x: { ...processServer, tool_call_timeout: 1e9 } }],
  ])('finds %s invalid', async (_what, servers) => {
    expect((await put(servers)).status).toBe(422);
  });

  it('switches one server on or off', async () => {
    await put({ a: processServer, b: processServer });
    const { body } = await admin('PATCH', '/config', { server_name: 'a', enabled: false });
    expect([body.mcp_servers.a.enabled, body.mcp_servers.b.enabled]).toEqual([false, true]);
    expect(await admin('PATCH', '/config', { server_name: 'c', enabled: false })).toEqual({
      status: 404,
      body: { detail: "MCP server 'c' not found" },
    });
  });
});

describe('a test of an MCP server', () => {
  it('lists the tools of a process', async () => {
    await put({ tools: { ...processServer, enabled: false } });
    const { body } = await admin('POST', '/servers/tools/test');
    expect(body).toMatchObject({ success: true, error: null });
    expect(body.tools.map(({ name }: { name: string }) => name)).toContain('echo');
  });

  it('lists the tools of a server over HTTP, which gets its headers', async () => {
    await put({ web: { type: 'http', url: http.url, headers: { 'x-key': 'hush' } } });
    const { body } = await admin('POST', '/servers/web/test');
    expect(body).toMatchObject({ success: true, tools: [{ name: 'add', description: 'Adds.' }] });
    expect(http.headers.at(-1)).toMatchObject({ 'x-key': 'hush' });
  });

  it('says what is wrong with a server that cannot be used', async () => {
    await put({
      gone: { type: 'http', url: 'http://127.0.0.1:9/mcp' },
      away: { type: 'http', url: http.redirectUrl },
      silent: { type: 'http', url: http.silentUrl, session_init_timeout: 1 },
      endless: { type: 'http', url: http.endlessUrl },
      broken: { type: 'stdio', command: 'node', args: ['/nowhere.mjs'] },
    });
    const saidOf = async (name: string) => {
      const { status, body } = await admin('POST', `/servers/${name}/test`);
      expect({ status, body }).toMatchObject({ status: 200, body: { success: false, tools: [] } });
      expect(textOf(body.sentences)).not.toBe('');
      return body.sentences[0].code;
    };
    expect([await saidOf('gone'), await saidOf('away'), await saidOf('silent')]).toEqual([
      'server_refused',
      'server_leads_on',
      'no_answer_within',
    ]);
    expect([await saidOf('endless'), await saidOf('broken')]).toEqual(['answer_too_large', 'program_ended']);
    expect((await admin('POST', '/servers/none/test')).status).toBe(404);
    expect((await admin('POST', '/servers/constructor/test')).status).toBe(404);
  });

  it('does not read an endless list of tools', async () => {
    await put({ pages: { type: 'http', url: http.pagesUrl, session_init_timeout: 300 } });
    const { body } = await admin('POST', '/servers/pages/test');
    expect(body).toEqual({ success: true, tools: [], error: null, sentences: [] });
  });
});

it('runs no regular expression that a server sends', async () => {
  const [tool] = externalTools(
    [
      {
        name: 'paint',
        server: 'box',
        description: '',
        inputSchema: withoutPatterns({ properties: { code: { type: 'string', pattern: '^(a+)+$' } } }),
        call: async ({ code }) => ({ text: `painted ${String(code).length}`, files: [] }),
      },
    ],
    null,
  );
  // With the pattern, this would take longer than a human life.
  expect(await tool?.invoke({ code: `${'a'.repeat(200)}!` })).toBe('painted 201');
});

/** Titles are requested without tools. */
const lastCall = () => model.requests.findLast(({ tools }) => tools.length > 0);

it('gives the lead agent the tools of MCP servers, and what is remembered about its user', async () => {
  model.answer = ({ messages, tools }) => {
    const result = messages.find(({ role }) => role === 'tool');
    if (result) return { text: `It said ${result.content}` };
    if (!JSON.stringify(messages).includes('use the box') || !tools.includes('box_echo'))
      return { text: 'ok' };
    return { calls: [{ id: 'call_1', name: 'box_echo', args: { text: 'hello' } }] };
  };
  await put({ box: processServer });
  await expect
    .poll(async () => {
      await server.ada.wait(await server.ada.thread(), { assistant_id: 'lead_agent', input: says('hello') });
      return lastCall()?.tools;
    })
    .toContain('box_echo');
  await server.ada.ok('POST', '/memory/facts', { content: 'Ada keeps kites' });
  const threadId = await server.ada.thread();
  const run = { assistant_id: 'lead_agent', input: says('use the box') };
  const { messages } = await server.ada.wait(threadId, run);

  expect(messages.at(-1).content).toBe('It said echo: hello');
  expect(lastCall()?.tools).toContain('box_echo');
  expect(JSON.stringify(lastCall()?.messages)).toContain('Ada keeps kites');

  await put({});
  await server.bob.wait(await server.bob.thread(), { ...run, input: says('and now?') });
  expect(lastCall()?.tools).not.toContain('box_echo');
  expect(JSON.stringify(model.requests)).toContain('and now?');
  expect(JSON.stringify(lastCall()?.messages)).not.toContain('kites');
});

it('lets no tool of a server replace one of the gateway or of a workflow', async () => {
  model.answer = ({ messages, tools }) => {
    if (messages.at(-1)?.role === 'tool') return { text: `It is ${messages.at(-1)?.content}` };
    if (!tools.includes('mcp_workflow_add')) return { text: 'ok' };
    return { calls: [{ id: 'call_1', name: 'mcp_workflow_add', args: { a: 2, b: 3 } }] };
  };
  await put({ workflow: { type: 'http', url: http.url } });
  const answer = async () => {
    const { messages } = await server.ada.wait(await server.ada.thread(), { input: says('add') });
    return messages.at(-1).content;
  };

  await expect.poll(answer).toBe('It is 5');
  expect(lastCall()?.tools).not.toContain('workflow_add');
  await put({});
});

describe('tools of MCP servers', () => {
  const open: McpServers[] = [];
  afterAll(async () => {
    await Promise.all(open.map((servers) => servers.close()));
  });

  const now = 0;
  let database: Awaited<ReturnType<typeof openConversationDatabase>>;
  beforeAll(async () => {
    database = await openConversationDatabase({ backend: 'memory' });
  });
  async function serversOf(
    given: Parameters<McpServers['replace']>[0],
    folder = join(server.gateway.home, `mcp-${open.length}`),
  ): Promise<McpServers> {
    const servers = new McpServers({
      file: new ExtensionsFile(folder),
      allowedCommands: ['node'],
      version: '0',
      network: mcpNetwork(new Outbound(noProxies)),
      tasks: new McpTaskStore(database),
      clock: () => now,
      log: { warn: () => {} },
    });
    open.push(servers);
    await servers.replace(given);
    return servers;
  }
  const answerOf = async (servers: McpServers, name: string, input: Record<string, unknown> = {}) =>
    (await (await toolOf(servers, name)).call(input, byNobody)).text;
  const toolOf = async (servers: McpServers, name: string) => {
    // The first call may not wait until the process has started.
    for (;;) {
      const found = (await servers.tools()).find((tool) => tool.name === name);
      if (found) return found;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };

  it('are called with their input, in a separate environment', async () => {
    const web = { type: 'http', url: http.url } as const;
    const servers = await serversOf({ web, box: { ...processServer, env: { SECRET: 'hush' } } });
    process.env.SWITCHYARD_HOME = 'not for others';
    expect(await answerOf(servers, 'web_add', { a: 2, b: 3 })).toBe('5');
    expect(await answerOf(servers, 'box_echo', { text: 'hi' })).toBe('echo: hi');
    const secret = await answerOf(servers, 'box_secret');
    delete process.env.SWITCHYARD_HOME;
    expect(secret).toBe('secret: hush; home of gateway: none');
  });

  it('are listed once, until the server says that they have changed', async () => {
    const servers = await serversOf({ box: processServer });
    await toolOf(servers, 'box_echo');
    const before = await servers.tools();
    expect(await servers.tools()).toBe(before);

    await (await toolOf(servers, 'box_grow')).call({}, byNobody);
    await expect.poll(async () => (await servers.tools()).map(({ name }) => name)).toContain('box_grown');
    expect(before.map(({ name }) => name)).not.toContain('box_grown');
  });

  it('change as soon as another replica changes their servers, and not when it changes something else', async () => {
    const folder = join(server.gateway.home, 'mcp-shared');
    const web = { type: 'http', url: http.url } as const;
    const here = await serversOf({ web }, folder);
    const there = await serversOf({ web }, folder);
    await toolOf(here, 'web_add');
    const before = await here.tools();

    await new ExtensionsFile(folder).change((all) => ({ ...all, skills: { some: { enabled: false } } }));
    expect(await here.tools()).toBe(before);
    await there.replace({ other: web });
    await toolOf(here, 'other_add');
    expect((await here.tools()).map(({ name }) => name)).not.toContain('web_add');
    await there.replace({});
    expect(await here.tools()).toEqual([]);
  });

  it('tell the model what went wrong', async () => {
    const servers = await serversOf({ box: { ...processServer, tool_call_timeout: 1 } });
    const failure = async (name: string) =>
      (await toolOf(servers, name)).call({}, byNobody).catch((error: unknown) => error);
    expect(await failure('box_fail')).toMatchObject({ code: 'mcp_tool_failed', message: 'out of paper' });
    expect(await failure('box_hang')).toMatchObject({
      code: 'mcp_server_failed',
      message: expect.stringContaining('timed out'),
    });
    expect(await answerOf(servers, 'box_echo', { text: 'on' })).toBe('echo: on');
  });

  it('work again after their server has crashed', async () => {
    const servers = await serversOf({ box: processServer });
    const crash = await toolOf(servers, 'box_crash');
    await expect(crash.call({}, byNobody)).rejects.toMatchObject({ code: 'mcp_server_failed' });
    expect(await answerOf(servers, 'box_echo', { text: 'again' })).toBe('echo: again');
  });

  it('end with the run that called them', async () => {
    const servers = await serversOf({ box: processServer });
    const abort = new AbortController();
    const call = (await toolOf(servers, 'box_hang')).call({}, { ...byNobody, signal: abort.signal });
    abort.abort(new Error('cancelled'));
    await expect(call).rejects.toThrow('cancelled');
    expect(await answerOf(servers, 'box_echo', { text: 'on' })).toBe('echo: on');
  });

  it('of other servers do not wait for a server that is silent or gone', async () => {
    const servers = await serversOf({
      // Longer than this test takes.
      silent: { type: 'http', url: http.silentUrl, session_init_timeout: 300 },
      gone: { type: 'stdio', command: 'node', args: ['/nowhere.mjs'] },
      box: processServer,
    });
    await toolOf(servers, 'box_echo');
    expect((await servers.tools()).map(({ name }) => name)).toContain('box_echo');
  });

  it('are removed with their server', async () => {
    const servers = await serversOf({ box: processServer });
    const echo = await toolOf(servers, 'box_echo');
    await servers.switch('box', false);
    expect(await servers.tools()).toEqual([]);
    await expect(echo.call({ text: 'x' }, byNobody)).rejects.toMatchObject({ code: 'mcp_server_failed' });
  });
});
