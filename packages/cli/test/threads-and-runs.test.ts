import { run as runSchema } from '@switchyard/contract/conversation/run';
import { thread as threadSchema } from '@switchyard/contract/conversation/thread';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConversationServer, json, nothing, whole } from './conversation-server.ts';

let server: ConversationServer;

beforeEach(async () => {
  server = new ConversationServer();
  await server.start();
});
afterEach(() => server.close());

const thread = {
  thread_id: 't1',
  status: 'interrupted',
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-02T00:00:00.000Z',
  assistant_id: null,
  metadata: { topic: 'cats' },
  title: 'About cats',
  values: {
    title: 'About cats',
    messages: [
      { type: 'human', content: 'Draw a cat.' },
      { type: 'ai', content: '', tool_calls: [{ name: 'draw', args: { what: 'cat' }, id: 'c1' }] },
      { type: 'tool', name: 'draw', content: 'cat.png' },
      { type: 'ai', content: [{ type: 'text', text: 'Here\u001b[2J it is.' }] },
    ],
  },
  interrupts: { task1: [{ id: 'i1', value: 'Is it good?' }] },
  error: null,
};

describe('switchyard threads', () => {
  it('lists threads by status and metadata', async () => {
    server.on('POST /api/threads/search', json([thread]));
    const args = [
      'threads',
      'list',
      '--status',
      'interrupted',
      '--metadata',
      'topic=cats',
      '--metadata',
      'n=2',
    ];
    const { code, stdout, stderr } = await server.cli(args);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toBe(
      'ID  STATUS       UPDATED                   TITLE\nt1  interrupted  2026-01-02T00:00:00.000Z  About cats\n',
    );
    expect(server.requests[0]?.body).toEqual({
      status: 'interrupted',
      metadata: { topic: 'cats', n: 2 },
      limit: 50,
      offset: 0,
    });
  });

  it('says when there may be more', async () => {
    server.on('POST /api/threads/search', json([thread]));
    const { stderr } = await server.cli(['threads', 'list', '--limit', '1', '--offset', '4']);
    expect(stderr).toBe('There may be more; the next ones: --offset 5\n');
  });

  it('shows one with its messages and what it waits for', async () => {
    const answer = whole(threadSchema, thread);
    server.on('GET /api/threads/t1', json(answer));
    const { stdout } = await server.cli(['threads', 'show', 't1']);
    expect(stdout).toContain('waits for  Is it good?\n');
    expect(stdout).toContain(
      [
        '\n[you]\nDraw a cat.\n',
        '\n[ai]\n→ draw {"what":"cat"}\n',
        '\n[tool draw]\ncat.png\n',
        '\n[ai]\nHere [2J it is.\n',
      ].join(''),
    );
    expect(JSON.parse((await server.cli(['threads', 'show', 't1', '-o', 'json'])).stdout)).toEqual(answer);
  });

  it('deletes several, and stops at the first that is refused', async () => {
    server.on('DELETE /api/threads/t1', json({ success: true, message: 'Deleted local thread data for t1' }));
    server.on('DELETE /api/threads/t2', json({ detail: 'Thread has work in flight.' }, 409));
    const { code, stderr } = await server.cli(['threads', 'delete', 't1', 't2', 't3']);
    expect([code, stderr]).toEqual([6, 'Deleted local thread data for t1\nThread has work in flight.\n']);
    expect(server.requests.map(({ path }) => path)).toEqual(['/api/threads/t1', '/api/threads/t2']);
  });

  it.each([
    [['threads', 'list', '--metadata', 'topic'], 2],
    [['threads', 'list', '--limit', '0'], 2],
    [['threads', 'show', 'gone'], 5],
  ])('ends %j with %i', async (args, code) => {
    server.on('GET /api/threads/gone', json({ detail: 'Thread gone not found' }, 404));
    expect((await server.cli(args)).code).toBe(code);
  });
});

const oneRun = {
  run_id: 'r1',
  thread_id: 't1',
  assistant_id: 'lead_agent',
  status: 'error',
  attempt: 2,
  error: 'The model does not answer.',
  model_name: 'switchyard-demo',
  message_count: 3,
  llm_call_count: 2,
  total_tokens: 30,
  total_input_tokens: 20,
  total_output_tokens: 10,
  token_usage_by_model: { 'switchyard-demo': { tokens: 30, input_tokens: 20, output_tokens: 10, calls: 2 } },
  follow_up_to_run_id: null,
  first_human_message: 'Draw a cat.',
  last_ai_message: null,
  created_at: '2026-01-01T00:00:00.000Z',
  run_at: null,
  started_at: null,
  ended_at: null,
};

describe('switchyard runs', () => {
  it('lists the runs of a thread', async () => {
    server.on('GET /api/threads/t1/runs', json([oneRun]));
    const { code, stdout } = await server.cli(['runs', 'list', 't1', '--status', 'error']);
    expect(code).toBe(0);
    expect(stdout.split('\n')[1]).toMatch(/^r1 +error +3 +30 +2026-01-01T00:00:00.000Z +Draw a cat\.$/);
    expect(server.requests[0]?.path).toBe('/api/threads/t1/runs?status=error&limit=50&offset=0');
  });

  it('shows one with its tokens', async () => {
    const answer = whole(runSchema, oneRun);
    server.on('GET /api/threads/t1/runs/r1', json(answer));
    const { stdout } = await server.cli(['runs', 'show', 't1', 'r1']);
    expect(stdout).toMatch(/^error +The model does not answer\.$/m);
    expect(stdout).toMatch(/^tokens +30 \(20 in, 10 out\)$/m);
    expect(stdout).toMatch(/^ {2}switchyard-demo +30 in 2 calls$/m);
    expect(JSON.parse((await server.cli(['runs', 'show', 't1', 'r1', '-o', 'json'])).stdout)).toEqual(answer);
  });

  it('says what one waits for, with its tasks', async () => {
    const why = {
      run_id: 'r1',
      thread_id: 't1',
      status: 'running',
      waits_for: 'pool',
      waiting: 'It is at work, and a task of it waits for a worker. It is next.',
      position: null,
      ahead: null,
      starts_at: null,
      started_at: '2026-01-01T00:00:00.000Z',
      tasks: [{ task_id: 'k1', waiting: 'It is next.' }],
    };
    server.on('GET /api/threads/t1/runs/r1/why', json(why));
    const { code, stdout } = await server.cli(['runs', 'why', 't1', 'r1']);
    expect([code, stdout]).toEqual([0, `${why.waiting}\n\ntask  k1  It is next.\n`]);
    expect(JSON.parse((await server.cli(['runs', 'why', 't1', 'r1', '-o', 'json'])).stdout)).toEqual(why);
  });

  it('lists what happened in one', async () => {
    const event = (seq: number, event_type: string, content: unknown) => ({
      seq,
      event_type,
      category: 'message',
      content,
      metadata: {},
      created_at: '2026-01-01T00:00:00.000Z',
    });
    const events = [
      event(4, 'ai_message', { type: 'ai', content: 'Here\nit is.' }),
      event(7, 'run_end', { status: 'success' }),
    ];
    server.on('GET /api/threads/t1/runs/r1/events', json(events));
    const args = ['runs', 'events', 't1', 'r1'];
    const filters = ['--type', 'ai_message', '--type', 'run_end', '--after', '3', '--limit', '2'];
    const { code, stdout, stderr } = await server.cli([...args, ...filters]);
    expect(code).toBe(0);
    expect(stdout.split('\n').slice(1)).toEqual([
      '4    ai_message  message   2026-01-01T00:00:00.000Z  Here it is.',
      '7    run_end     message   2026-01-01T00:00:00.000Z  {"status":"success"}',
      '',
    ]);
    expect(stderr).toBe('There may be more; the next ones: --after 7\n');
    expect(server.requests[0]?.path).toBe(
      '/api/threads/t1/runs/r1/events?event_types=ai_message%2Crun_end&limit=2&after_seq=3',
    );
    expect(JSON.parse((await server.cli([...args, '-o', 'json'])).stdout)).toEqual(events);
  });

  it('writes one as a file, with its events and its timeline', async () => {
    const run = { run_id: 'r1', thread_id: 't1', ended_at: null };
    const event = { seq: 4, event_type: 'ai_message', category: 'message', content: 'hi', metadata: {} };
    const span = { id: 's', kind: 'run', start: '2026-01-01T00:00:00.000Z', links: {} };
    server.on('GET /api/threads/t1/runs/r1', json(whole(runSchema, run)));
    server.on('GET /api/threads/t1/runs/r1/events', json([event]));
    server.on(
      'GET /api/threads/t1/runs/r1/timeline',
      json({ run_id: 'r1', spans: [span], next_cursor: null, mark: 'm', live: true }),
    );
    const { code, stdout, stderr } = await server.cli(['runs', 'export', 't1', 'r1', '--no-pictures']);
    expect([code, stderr]).toEqual([0, 'The run goes on; this is its beginning.\n']);
    expect(JSON.parse(stdout)).toMatchObject({
      format: 'switchyard.run',
      version: 1,
      live: true,
      run,
      events: [event],
      spans: [span],
      pictures: [],
    });
  });

  it('cancels one', async () => {
    server.on(
      'POST /api/threads/t1/runs/r1/cancel',
      nothing,
      (response) => void response.writeHead(204).end(),
    );
    const told = await server.cli(['runs', 'cancel', 't1', 'r1']);
    expect([told.code, told.stderr]).toEqual([0, 'Run r1 is told to stop.\n']);
    const waited = await server.cli(['runs', 'cancel', 't1', 'r1', '--action', 'rollback', '--wait']);
    expect([waited.code, waited.stderr]).toEqual([0, 'Run r1 is cancelled.\n']);
    expect(server.requests.map(({ path }) => path)).toEqual([
      '/api/threads/t1/runs/r1/cancel?action=interrupt&wait=0',
      '/api/threads/t1/runs/r1/cancel?action=rollback&wait=1',
    ]);
  });

  it('ends with 6 when the run has ended in another way', async () => {
    server.on('POST /api/threads/t1/runs/r1/cancel', json({ detail: 'Run r1 has ended' }, 409));
    const { code, stderr } = await server.cli(['runs', 'cancel', 't1', 'r1']);
    expect([code, stderr]).toEqual([6, 'Run r1 has ended\n']);
  });
});

describe('without a login', () => {
  it.each([[['chat', 'hi']], [['threads', 'list']], [['runs', 'list', 't1']]])('%j says so', async (args) => {
    const { code, stdout, stderr } = await server.cli(args, { token: null });
    expect([code, stdout]).toEqual([4, '']);
    expect(stderr).toMatch(/^You are not signed in to http:\S+\. Sign in with: switchyard login\n$/);
    expect(server.requests.map(({ path }) => path)).toEqual(['/healthz']);
  });

  it.each([[['chat', 'hi']], [['threads', 'list']], [['login', '--email', 'admin', '--password-stdin']]])(
    '%j ends with 7 where no gateway is',
    async (args) => {
      const { port } = server;
      await server.close();
      const { code, stderr } = await server.cli(args, { token: null });
      expect([code, stderr]).toEqual([7, expect.stringContaining(`http://127.0.0.1:${port}`)]);
    },
  );
});

describe('at the address of another server', () => {
  it.each([
    [['tasks', 'list'], 'GET /api/tasks'],
    [['instances', 'test', 'x'], 'POST /api/instances/x/test'],
    [['threads', 'list'], 'POST /api/threads/search'],
    [['chat', 'hi'], 'POST /api/threads'],
  ])('%j is a sentence', async (args, line) => {
    server.on(line, json({ hello: 'world' }));
    const { code, stdout, stderr } = await server.cli(args);
    expect([code, stdout]).toEqual([7, '']);
    expect(stderr).toContain('answered something that no Switchyard gateway answers');
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  it('https:// to a port without TLS gives a readable error', async () => {
    const { code, stderr } = await server.cli(['tasks', 'list'], { scheme: 'https' });
    expect(code).toBe(7);
    expect(stderr).toContain('it does not speak TLS; try http:// in place of https://.');
  });
});
