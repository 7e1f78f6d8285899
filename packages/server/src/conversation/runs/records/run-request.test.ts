import type { RunCreate } from '@switchyard/contract/conversation/run';
import { describe, expect, test } from 'vitest';
import { AppError } from '../../../lib/app-error.ts';
import { kwargsOf, type RequestRules, streamModesOf, threadIdsIn } from './run-request.ts';

const rules: RequestRules = {
  assistant: { config: {}, context: {} },
  recursionLimit: { standard: 100, max: 1_000 },
  newMessageId: () => 'new-id',
};

function faultOf(body: RunCreate): unknown {
  try {
    kwargsOf(body, rules);
  } catch (error) {
    return error instanceof AppError ? error.faults?.[0] : error;
  }
  return undefined;
}

describe('a request to run', () => {
  test('with nulls means the same as an empty one', () => {
    const nulls: RunCreate = {
      assistant_id: null,
      input: null,
      command: null,
      metadata: null,
      config: null,
      context: null,
      checkpoint: null,
      checkpoint_id: null,
      interrupt_before: null,
      interrupt_after: null,
      stream_mode: null,
      stream_subgraphs: null,
      stream_resumable: null,
      multitask_strategy: null,
      on_disconnect: null,
      on_completion: null,
      if_not_exists: null,
      after_seconds: null,
      durability: null,
      checkpoint_during: null,
      webhook: null,
      feedback_keys: null,
      langsmith_tracer: null,
      follow_up_to_run_id: null,
    };
    expect(kwargsOf(nulls, rules)).toEqual(kwargsOf({}, rules));
    expect(kwargsOf({}, rules)).toMatchObject({ stream_mode: ['values'], on_disconnect: 'continue' });
  });

  test('cannot set who runs, where, or what the runtime reserves', () => {
    const sent = {
      thread_id: 'other',
      run_id: 'other',
      user_id: 'other',
      langgraph_auth_user: { identity: 'other' },
      langgraph_auth_permissions: ['all'],
      __pregel_resuming: true,
      checkpoint_ns: 'x',
      model_name: 'small',
    };
    const { config, context } = kwargsOf({ config: { configurable: sent }, context: sent }, rules);
    expect(config.configurable).toEqual({ model_name: 'small' });
    expect(context).toEqual({ model_name: 'small' });
  });

  test('overrides its assistant', () => {
    const assistant = {
      config: { configurable: { a: 1, b: 1 }, tags: ['x'], recursion_limit: 7 },
      context: { a: 1, b: 1 },
    };
    const body: RunCreate = {
      config: { configurable: { b: 2 }, tags: ['y', 'x'], context: { b: 2, c: 2 } },
      context: { c: 3 },
    };
    const { config, context } = kwargsOf(body, { ...rules, assistant });
    expect(config).toEqual({ configurable: { a: 1, b: 2 }, tags: ['x', 'y'], recursion_limit: 7 });
    expect(context).toEqual({ a: 1, b: 2, c: 3 });
  });

  test.each([
    [{ feedback_keys: ['score'] }, ['feedback_keys'], 'unsupported_run_option'],
    [{ langsmith_tracer: { project_name: 'x' } }, ['langsmith_tracer'], 'unsupported_run_option'],
    [{ config: { recursion_limit: 1_001 } }, ['config', 'recursion_limit'], 'less_than_equal'],
  ])('%j is refused, not dropped', (body, path, type) => {
    expect(faultOf(body)).toMatchObject({ in: 'body', path, type });
  });

  test('gives each message an id, so that a repeated start has the same message', () => {
    const { input } = kwargsOf({ input: { messages: [{ role: 'user', content: 'hi' }] } }, rules);
    expect(input).toEqual({ messages: [{ role: 'user', content: 'hi', id: 'new-id' }] });
  });

  test.each<[RunCreate, unknown]>([
    [{ checkpoint_id: 'a' }, { checkpoint_id: 'a' }],
    [{ checkpoint_id: 'a', checkpoint: { checkpoint_id: 'b' } }, { checkpoint_id: 'b' }],
    [{ config: { configurable: { checkpoint_id: 'c' } } }, { checkpoint_id: 'c' }],
    [{ checkpoint: { thread_id: 't', checkpoint_ns: '' } }, null],
    [
      { checkpoint: { checkpoint_id: 'a', checkpoint_ns: 'n:1', checkpoint_map: { '': 'b' } } },
      { checkpoint_id: 'a', checkpoint_ns: 'n:1', checkpoint_map: { '': 'b' } },
    ],
  ])('%j continues from the checkpoint %j', (body, checkpoint) => {
    expect(kwargsOf(body, rules).checkpoint).toEqual(checkpoint);
  });

  test('without checkpoints on the way is durable at its end', () => {
    expect(kwargsOf({ checkpoint_during: false }, rules).durability).toBe('exit');
    expect(kwargsOf({ checkpoint_during: false, durability: 'sync' }, rules).durability).toBe('sync');
  });
});

test('unknown stream modes are ignored', () => {
  expect(streamModesOf('values')).toEqual(['values']);
  expect(streamModesOf(['messages-tuple', 'lifecycle', 'custom'])).toEqual(['messages-tuple', 'custom']);
  expect(streamModesOf(['lifecycle'])).toEqual(['values']);
});

test('ids of threads are found wherever a body may name one', () => {
  const body: RunCreate = {
    config: { configurable: { thread_id: 'a' } },
    checkpoint: { thread_id: 'b', checkpoint_id: 'c' },
  };
  expect(threadIdsIn(body).map(({ id }) => id)).toEqual(['a', 'b']);
});
