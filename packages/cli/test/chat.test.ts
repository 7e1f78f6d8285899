import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { getRun } from '@switchyard/contract/conversation/runs';
import { thread, threadState } from '@switchyard/contract/conversation/thread';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConversationServer, type Frame, json, nothing, openRun, run, whole } from './conversation-server.ts';

let server: ConversationServer;
const endedAt = '2030-01-01T00:00:00.000Z';

/** The requests of the conversation itself, without those that mark it as read. */
function sent(): ConversationServer['requests'] {
  return server.requests.filter(({ path }) => !/\/(read|runs\/r1)$/.test(path));
}

beforeEach(async () => {
  server = new ConversationServer();
  await server.start();
  server.on('POST /api/threads', json(whole(thread, { thread_id: 't1', interrupts: {} })));
  server.on('GET /api/threads/t1/runs/r1', json(whole(getRun.schema.response[200], { ended_at: endedAt })));
  server.on('POST /api/threads/t1/read', json({ thread_id: 't1', unread: false, run_ended_at: endedAt }));
});
afterEach(() => server.close());

const metadata: Frame = ['metadata', { run_id: 'r1', thread_id: 't1', attempt: 1 }];
const word = (content: string, id = 'm1', more = {}): Frame => [
  'messages',
  [{ type: 'ai', id, content, ...more }, {}],
];
const streamed = 'POST /api/threads/t1/runs/stream';

describe('switchyard chat', () => {
  it('makes a thread, sends the message and prints the answer as it comes', async () => {
    server.on(streamed, run(metadata, word('I can '), word('draw.\nAnd '), word('count.')));
    const { code, stdout, stderr } = await server.cli(['chat', 'what', 'can you do?']);
    expect([code, stdout]).toEqual([0, 'I can draw.\nAnd count.\n']);
    expect(stderr).toBe('Go on with: switchyard chat --thread t1\n');
    expect(sent()[1]?.body).toEqual({
      input: { messages: [{ role: 'user', content: 'what can you do?' }] },
      stream_mode: ['messages-tuple', 'updates', 'custom'],
    });
  });

  it('marks the thread as read up to the end of its run, and says so when it cannot', async () => {
    server.on(streamed, run(metadata, word('Fine.')));
    await server.cli(['chat', 'go']);
    expect(server.requests.at(-1)).toMatchObject({
      path: '/api/threads/t1/read',
      body: { run_ended_at: endedAt },
    });
    server.on('POST /api/threads/t1/read', json({ detail: 'No.' }, 403));
    const { code, stdout, stderr } = await server.cli(['chat', 'go']);
    expect([code, stdout]).toEqual([0, 'Fine.\n']);
    expect(stderr).toContain('The thread stays unread: No.');
  });

  it('continues a thread, with a chosen agent and piped input', async () => {
    server.on('GET /api/threads/t1', json(whole(thread, { thread_id: 't1', interrupts: {} })));
    server.on(streamed, run(metadata, word('Fine.')));
    const args = ['chat', '--thread', 't1', '--agent', 'reviewer'];
    const { code, stdout } = await server.cli(args, {
      stdin: Readable.from(['look at this\n', 'and that\n']),
    });
    expect([code, stdout]).toEqual([0, 'Fine.\n']);
    expect(sent().map(({ path }) => path)).toEqual(['/api/threads/t1', '/api/threads/t1/runs/stream']);
    expect(sent()[1]?.body).toMatchObject({
      assistant_id: 'reviewer',
      input: { messages: [{ role: 'user', content: 'look at this\nand that' }] },
    });
  });

  it('shows on standard error the tools that are called, their arguments and their results', async () => {
    const call = {
      type: 'ai',
      content: '',
      id: 'm1',
      tool_calls: [{ name: 'search', args: { q: 'cats' }, id: 'c1' }],
    };
    const result = { type: 'tool', content: 'x'.repeat(300), name: 'search', tool_call_id: 'c1' };
    const failed = {
      type: 'tool',
      content: 'no\u001b[31m way',
      name: 'draw',
      status: 'error',
      tool_call_id: 'c2',
    };
    server.on(
      streamed,
      run(
        metadata,
        word('Let me see.'),
        ['updates', { model_request: { messages: [call] } }],
        ['updates', { tools: { messages: [result, failed] } }],
        [
          'updates',
          {
            nothing: null,
            title: { title: 'Cats', messages: [{ type: 'human', content: 'go' }, call, result] },
          },
        ],
        word('There.', 'm2'),
      ),
    );
    const { stdout, stderr } = await server.cli(['chat', 'go']);
    expect(stdout).toBe('Let me see.\nThere.\n');
    expect(stderr.split('\n').slice(0, 3)).toEqual([
      '→ search q="cats"',
      `✓ search  ${'x'.repeat(200)}…`,
      '✗ draw  no [31m way',
    ]);
    expect(stderr.match(/search/g)).toHaveLength(2);
  });

  it('shows the progress and the result of a task on the pool', async () => {
    const task = { task_id: 'k1', tool_call_id: 'c1' };
    const file = { file_id: 'f', filename: 'cat.png', url: 'http://g/f', content_type: 'image/png', size: 9 };
    const frames: Frame[] = [
      metadata,
      ['custom', { type: 'worker_task_progress', ...task, progress: 50, node: 'Draw', instance: 'w1' }],
      ['custom', { type: 'worker_task_completed', ...task, files: [file] }],
      ['custom', { type: 'worker_task_failed', ...task, error: { code: 'lost', message: 'It went away.' } }],
      ['custom', { type: 'task_started', task_id: 'c2', description: 'research' }],
      ['custom', { type: 'task_timed_out', task_id: 'c2', error: 'too slow' }],
      ['custom', 'anything else'],
      ['custom', { type: 'task_started' }],
      word('Done.'),
    ];
    server.on(streamed, run(...frames));
    const plain = await server.cli(['chat', 'draw']);
    expect(plain.stderr.split('\n').slice(0, 7)).toEqual([
      'k1  running on w1',
      '  task k1 completed',
      '    cat.png  switchyard files download f',
      '  task k1 failed: It went away.',
      '  sub-agent: research',
      '  sub-agent timed out: too slow',
      '  sub-agent: ',
    ]);
    const seen = await server.cli(['chat', 'draw'], { isTTY: true });
    expect(seen.stderr).toContain(`${'█'.repeat(12) + '░'.repeat(12)}  50%  Draw\r\u001b[K`);
    expect(seen.stdout).toBe('Done.\n');
  });

  it('marks a simulated answer', async () => {
    const last = { response_metadata: { simulated: true, model_name: 'switchyard-demo' } };
    server.on(streamed, run(metadata, word('Hello.'), word('', 'm1', last)));
    const { stdout, stderr } = await server.cli(['chat', 'hi']);
    expect(stdout).toBe('Hello.\n');
    expect(stderr).toContain('(A simulated answer of switchyard-demo: no model is configured.)\n');
  });

  it('removes control sequences of a terminal', async () => {
    server.on(streamed, run(metadata, word('a\u001b]0;owned\u0007b\tc\n\u202ed')));
    expect((await server.cli(['chat', 'hi'])).stdout).toBe('a ]0;owned b\tc\nd\n');
  });

  it('prints only frames with --json', async () => {
    server.on(streamed, run(metadata, word('Hello.')));
    const { stdout, stderr } = await server.cli(['chat', 'hi', '--json']);
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toMatchObject([
      { event: 'metadata', id: '1' },
      { event: 'messages', id: '2', namespace: [] },
    ]);
    expect(stderr).toBe('');
  });

  it('ends with 1 and the reason when the run fails', async () => {
    const error = { error: 'BadModel', message: 'The model does not answer.', name: 'BadModel' };
    server.on(streamed, run(metadata, word('I thi'), ['error', error]));
    const { code, stdout, stderr } = await server.cli(['chat', 'hi']);
    expect([code, stdout, stderr]).toEqual([1, 'I thi\n', 'The model does not answer.\n']);
  });

  it.each([
    ['no message', ['chat'], 2],
    ['a thread that is not there', ['chat', 'hi', '--thread', 'gone'], 5],
  ])('ends with its code for %s', async (_name, args, code) => {
    server.on('GET /api/threads/gone', json({ detail: 'Thread gone not found' }, 404));
    const outcome = await server.cli(args);
    expect([outcome.code, outcome.stdout]).toEqual([code, '']);
    expect(outcome.stderr).not.toBe('');
  });

  it('cancels the run with Ctrl-C, waits for its end and ends with 130', async () => {
    let stream: ServerResponse | undefined;
    server.on(streamed, (response) => {
      stream = response;
      openRun(response, [metadata, word('Once upon')]);
      setTimeout(() => process.emit('SIGINT'), 20);
    });
    server.on('POST /api/threads/t1/runs/r1/cancel', (response, request) => {
      nothing(response, request);
      stream?.end('event: updates\nid: 3\ndata: {}\n\n');
    });
    const { code, stdout, stderr } = await server.cli(['chat', 'tell me']);
    expect([code, stdout]).toEqual([130, 'Once upon\n']);
    expect(stderr).toContain('Cancelling; once more leaves at once.\n');
    expect(sent().at(-1)?.path).toBe('/api/threads/t1/runs/r1/cancel');
  });

  it('accepts that the run ended before it could be cancelled', async () => {
    let stream: ServerResponse | undefined;
    server.on(streamed, (response) => {
      stream = response;
      openRun(response, [metadata, word('Done')]);
      setTimeout(() => process.emit('SIGINT'), 20);
    });
    server.on('POST /api/threads/t1/runs/r1/cancel', (response, request) => {
      json({ detail: 'Run r1 has ended' }, 409)(response, request);
      stream?.end();
    });
    const { code, stderr } = await server.cli(['chat', 'tell me']);
    expect(code).toBe(130);
    expect(stderr).not.toContain('has ended');
  });

  it('says what the agent waits for, and answers it with the next message', async () => {
    const value = { action_requests: [{ name: 'send', args: { to: 'b' } }] };
    const interrupts = [{ id: 'i1', value }];
    server.on(streamed, run(metadata, ['updates', { __interrupt__: interrupts }]));
    const asked = await server.cli(['chat', 'send it']);
    expect(asked.code).toBe(0);
    expect(asked.stderr).toContain('The agent waits for an answer:\nsend {"to":"b"}\nAnswer "approve"');
    server.on(
      'GET /api/threads/t1',
      json(whole(thread, { thread_id: 't1', interrupts: { task1: interrupts } })),
    );
    await server.cli(['chat', '--thread', 't1', 'approve']);
    expect(sent().at(-1)?.body).toMatchObject({
      command: { resume: { decisions: [{ type: 'approve' }] } },
    });
  });

  it('shows the stored answer when part of the stream was missed', async () => {
    server.on(streamed, run(metadata, ['gap', { code: 'stream_replay_gap' }], word('the end.')));
    const messages = [
      { type: 'human', content: 'hi', id: 'h' },
      { type: 'ai', content: 'From the start to the end.', id: 'm1' },
    ];
    server.on('GET /api/threads/t1/state', json(whole(threadState, { values: { messages } })));
    const { stdout, stderr } = await server.cli(['chat', 'hi']);
    expect(stdout).toBe('the end.\nFrom the start to the end.\n');
    expect(stderr).toContain('(Part of the answer was missed; this is the whole of it.)');
  });

  it('shows an answer that begins again after a crash of the gateway a second time, and not a third time', async () => {
    server.on(
      streamed,
      run(
        metadata,
        word('Once '),
        ['gap', { code: 'stream_replay_gap' }],
        ['metadata', { run_id: 'r1', thread_id: 't1', attempt: 2 }],
        word('Once '),
        word('upon.'),
      ),
    );
    server.on(
      'GET /api/threads/t1/state',
      json(whole(threadState, { values: { messages: [{ type: 'ai', content: 'Once upon.', id: 'm1' }] } })),
    );
    const { stdout, stderr } = await server.cli(['chat', 'hi']);
    expect(stdout).toBe('Once \nOnce upon.\n');
    expect(stderr).toContain('(The gateway was restarted; the run goes on.)');
    expect(stderr).not.toContain('missed');
  });

  it('shows the text of a model call that breaks off once, and then the whole answer', async () => {
    const retry: Frame = ['custom', { type: 'llm_retry', message: 'The model broke off; asking it again.' }];
    const words = (id: string, text: string): Frame => [
      'messages',
      [{ type: 'AIMessageChunk', id, content: text }, {}],
    ];
    const update: Frame = ['updates', { model: { messages: [] } }];
    server.on(
      streamed,
      run(
        metadata,
        words('try1', 'Once '),
        words('try1', 'upon '),
        retry,
        words('try2', 'There '),
        words('try2', 'was '),
        retry,
        words('try3', 'Once '),
        words('try3', 'again.'),
        update,
        words('next', 'More.'),
      ),
    );
    const { stdout, stderr } = await server.cli(['chat', 'hi']);
    expect(stdout).toBe('Once upon \nOnce again.\nMore.\n');
    expect(stderr.match(/broke off/g)).toHaveLength(2);
  });

  it('reconnects to a stream that breaks', async () => {
    server.on(streamed, (response) => {
      openRun(response, [metadata, word('One, ')]);
      setTimeout(() => response.destroy(), 5);
    });
    server.on('GET /api/threads/t1/runs/r1/stream', run(metadata, word('One, '), word('two.')));
    const { code, stdout, stderr } = await server.cli(['chat', 'count']);
    expect([code, stdout]).toEqual([0, 'One, \ntwo.\n']);
    expect(stderr).toMatch(/^\(The connection broke\. Trying again in 1 s\.\)\n/);
  });
});

describe('a conversation on the terminal', () => {
  const talk = (...typed: string[]) => server.cli(['chat'], { isTTY: true, stdin: Readable.from(typed) });
  const asked = () =>
    sent()
      .slice(1)
      .map(({ body }) => (body as { input?: unknown }).input);
  const says = (content: string) => ({ messages: [{ role: 'user', content }] });

  it('takes turn after turn in one thread until Ctrl-D', async () => {
    server.on(streamed, run(metadata, word('First.')), run(metadata, word('Second.', 'm2')));
    const { code, stdout } = await talk('one\n', '\n', 'two\n', '\u0004');
    expect([code, stdout]).toEqual([0, 'First.\nSecond.\n']);
    expect(asked()).toEqual([says('one'), says('two')]);
  });

  it('ends on Ctrl-C while no run is going on', async () => {
    expect((await talk('\u0003')).code).toBe(0);
    expect(sent()).toHaveLength(1);
  });

  it('loses no line of several that are pasted at once', async () => {
    server.on(streamed, run(metadata, word('Yes.')));
    await talk('one\ntwo\nthree\n', '\u0004');
    expect(asked()).toEqual([says('one'), says('two'), says('three')]);
  });

  it('continues after a failed turn and after a cancelled one', async () => {
    const error = { error: 'BadModel', message: 'The model does not answer.', name: 'BadModel' };
    let stream: ServerResponse | undefined;
    server.on(
      streamed,
      run(metadata, ['error', error]),
      (response) => {
        stream = response;
        openRun(response, [metadata]);
        setTimeout(() => process.emit('SIGINT'), 20);
      },
      run(metadata, word('Here I am.')),
    );
    server.on('POST /api/threads/t1/runs/r1/cancel', (response, request) => {
      nothing(response, request);
      stream?.end();
    });
    const { code, stdout, stderr } = await talk('one\n', 'two\n', 'three\n', '\u0004');
    expect([code, stdout]).toEqual([0, 'Here I am.\n']);
    expect(stderr).toContain('The model does not answer.\n');
    expect(stderr).toContain('Cancelled.\n');
  });

  it('answers what the agent waits for with the next line', async () => {
    server.on(
      streamed,
      run(metadata, ['updates', { __interrupt__: [{ id: 'i1', value: 'Which colour?' }] }]),
      run(metadata, word('Blue it is.')),
    );
    const { stdout, stderr } = await talk('paint\n', 'blue\n', '\u0004');
    expect(stdout).toBe('Blue it is.\n');
    expect(stderr).toContain('The agent waits for an answer:\nWhich colour?\n');
    expect(sent().at(-1)?.body).toMatchObject({ command: { resume: 'blue' } });
  });
});
