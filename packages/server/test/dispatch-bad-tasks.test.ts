import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anyWorkflow, type DispatchPool, startPool } from './support/dispatch-pool.ts';

const node = anyWorkflow['1'];
const megabyte = 1024 * 1024;
const options = { config: { server: { large_body_limit: megabyte } } };

describe('a task that cannot be accepted', () => {
  let pool: DispatchPool;

  beforeAll(async () => {
    pool = await startPool(options);
  });

  afterAll(async () => {
    expect((await pool.user.call('GET', '/api/tasks')).data.total).toBe(0);
    expect(pool.workers[0]?.stats.accepted).toBe(0);
    await pool.close();
  });

  const submit = (body: unknown) => pool.user.request('POST', '/api/tasks', { body });

  it.each([
    ['no workflow', {}, 'validation_failed', 'body.workflow'],
    ['a workflow that is a list', { workflow: [] }, 'validation_failed', 'body.workflow'],
    ['a workflow that is a text', { workflow: '{}' }, 'validation_failed', 'body.workflow'],
    ['params that are a list', { workflow: anyWorkflow, params: [1] }, 'validation_failed', 'body.params'],
    ['an unknown field', { workflow: anyWorkflow, colour: 1 }, 'validation_failed', 'body.colour'],
    ['an empty note', { workflow: anyWorkflow, note: '' }, 'validation_failed', 'body.note'],
    [
      'a note that is too long',
      { workflow: anyWorkflow, note: 'x'.repeat(2_001) },
      'validation_failed',
      'body.note',
    ],
    ['a priority of 101', { workflow: anyWorkflow, priority: 101 }, 'validation_failed', 'body.priority'],
    ['no time', { workflow: anyWorkflow, timeoutSeconds: 0 }, 'validation_failed', 'body.timeoutSeconds'],
    ['11 attempts', { workflow: anyWorkflow, maxAttempts: 11 }, 'validation_failed', 'body.maxAttempts'],
    ['another policy', { workflow: anyWorkflow, retry: 'always' }, 'validation_failed', 'body.retry'],
    ['the same tag twice', { workflow: anyWorkflow, tags: ['a', 'a'] }, 'validation_failed', 'body.tags'],
    ['no nodes', { workflow: {} }, 'invalid_workflow', 'body.workflow'],
    ['a node that is no object', { workflow: { '1': 5 } }, 'invalid_workflow', 'body.workflow.1'],
    [
      'a node without class',
      { workflow: { '1': { inputs: {} } } },
      'invalid_workflow',
      'body.workflow.1.class_type',
    ],
    [
      'a link to nowhere',
      { workflow: { '1': { ...node, inputs: { image: ['9', 0] } } } },
      'invalid_workflow',
      'body.workflow.1.inputs.image',
    ],
    [
      'a cycle',
      {
        workflow: {
          '1': { ...node, inputs: { image: ['2', 0] } },
          '2': { ...node, inputs: { image: ['1', 0] } },
        },
      },
      'invalid_workflow',
      'body.workflow.1',
    ],
    [
      'a param of the wrong type',
      { workflow: anyWorkflow, params: { '1.width': 'wide' } },
      'invalid_param',
      'body.params.1.width',
    ],
    [
      'a file that there is not',
      { workflow: anyWorkflow, params: { '2.filename_prefix': { $file: 'none' } } },
      'invalid_param',
      'body.params.2.filename_prefix',
    ],
    [
      'a strict param that fits nothing',
      { workflow: anyWorkflow, strict: true, params: { '1.widht': 5 } },
      'unknown_param',
      'body.params.1.widht',
    ],
  ])('for %s is refused, with the place and what to do', async (_what, body, error, path) => {
    const answer = await submit(body);
    expect(answer.status).toBe(422);
    expect(answer.body).toMatchObject({ code: 422, error, data: null });
    expect(answer.body.details.map((fault: { path: string }) => fault.path)).toContain(path);
    expect(answer.body.message.length).toBeGreaterThan(10);
  });

  it('gets all faults of its graph at once', async () => {
    const { body } = await submit({
      workflow: { '1': 5, '2': { inputs: {} }, '3': { class_type: 'X', inputs: 4 } },
    });
    expect(body.details.map(({ path }: { path: string }) => path)).toEqual([
      'body.workflow.1',
      'body.workflow.2.class_type',
      'body.workflow.3.inputs',
    ]);
  });

  it('in the format of the editor gets an explanation of how to export the other format', async () => {
    const { status, body } = await submit({ workflow: { nodes: [], links: [], version: 0.4 } });
    expect({ status, error: body.error }).toEqual({ status: 422, error: 'ui_format_workflow' });
    expect(body.message).toContain('Export (API)');
  });

  it('that no instance can run gets an error that names what is missing', async () => {
    const { status, body } = await submit({
      workflow: { ...anyWorkflow, '9': { class_type: 'KSampler', inputs: {} } },
    });
    expect({ status, error: body.error }).toEqual({ status: 422, error: 'no_capable_instance' });
    expect(body.message).toContain('KSampler (0 of 1 instances have it)');
    expect(body.details).toEqual([{ name: 'KSampler', instancesWithIt: 0, instanceIds: [] }]);
  });

  it('with more nodes than are allowed is refused', async () => {
    const workflow = Object.fromEntries(Array.from({ length: 5_001 }, (_, index) => [index, node]));
    const { status, body } = await submit({ workflow });
    expect({ status, error: body.error }).toEqual({ status: 422, error: 'invalid_workflow' });
    expect(body.message).toContain('5000');
  });

  it.each([
    ['not JSON', '{"workflow":', 422],
    ['not UTF-8', new Uint8Array([0x22, 0xff, 0x22]), 400],
    ['nested too deep', `{"workflow":${'['.repeat(200)}${']'.repeat(200)}}`, 422],
    ['larger than allowed', `{"workflow":{"1":"${'x'.repeat(2 * megabyte)}"}}`, 413],
    ['with U+0000', '{"workflow":{"1":{"class_type":"a\\u0000b","inputs":{}}}}', 422],
    ['with a lone surrogate', '{"workflow":{"1":{"class_type":"\\ud800","inputs":{}}}}', 422],
    [
      'with a prototype',
      '{"workflow":{"__proto__":{"class_type":"A","inputs":{}}},"__proto__":{"a":1}}',
      422,
    ],
  ])('whose body is %s is refused', async (_what, body, status) => {
    const answer = await fetch(new URL('/api/tasks', pool.gateway.url), {
      method: 'POST',
      headers: { authorization: `Bearer ${pool.user.token}`, 'content-type': 'application/json' },
      body,
    });
    expect(answer.status).toBe(status);
    expect(await answer.json()).toMatchObject({ code: status, data: null });
  });

  it('that matches nothing is refused when strict and accepted with a warning otherwise', async () => {
    const answer = await submit({ workflow: anyWorkflow, params: { '1.widht': 5 } });
    expect(answer.status).toBe(200);
    expect(answer.body.data.warnings).toEqual([expect.stringContaining('Nearest: "1.width"')]);
    const [[unknown, nearest]] = answer.body.data.warningSentences;
    expect(unknown).toEqual({ code: 'param_unknown', values: { param: '1.widht' } });
    expect(nearest).toMatchObject({ code: 'param_nearest' });
    await pool.user.ended(answer.body.data.id);
    await pool.gateway.stop();
    await pool.workers[0]?.close();
    pool = await startPool(options);
  });
});
