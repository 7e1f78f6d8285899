import { describe, expect, test } from 'vitest';
import { readSubmitAnswer } from './submit-answer.ts';

const promptId = '01939b1c-7f3a-7c11-9d2e-5a4f0c1b2d3e';

function read(status: number, body: unknown) {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  return readSubmitAnswer({ status, body: bytes }, { promptId, label: 'box:8188' });
}

function refused(type: string, message: string, extra: { details?: string; node_errors?: unknown } = {}) {
  const { details = '', node_errors = {} } = extra;
  return read(400, { error: { type, message, details, extra_info: {} }, node_errors });
}

function nodeError(type: string, message: string, details = '') {
  return {
    '5': {
      class_type: 'KSampler',
      dependent_outputs: ['9'],
      errors: [{ type, message, details, extra_info: {} }],
    },
  };
}

test('an accepted prompt has its number', () => {
  expect(read(200, { prompt_id: promptId, number: 7, node_errors: {} })).toEqual({
    outcome: 'accepted',
    number: 7,
    skipped: [],
  });
});

test('a prompt that is accepted in part names what is left out', () => {
  const answer = {
    prompt_id: promptId,
    number: 7,
    node_errors: nodeError('required_input_missing', 'Required input is missing', 'model'),
  };
  expect(read(200, answer)).toMatchObject({
    outcome: 'accepted',
    skipped: [{ nodeId: '5', message: 'Node 5 (KSampler): Required input is missing: model' }],
  });
});

test('an answer with another id means that the worker is too old', () => {
  expect(read(200, { prompt_id: 'other', number: 1, node_errors: {} })).toEqual({
    outcome: 'other_id',
    promptId: 'other',
  });
});

describe('refusals', () => {
  test('the reason is that of the first node when the general one says nothing', () => {
    const outcome = refused('prompt_outputs_failed_validation', 'Prompt outputs failed validation', {
      node_errors: nodeError('value_bigger_than_max', 'Value 999 bigger than max of 100', 'steps'),
    });
    expect(outcome).toMatchObject({
      outcome: 'invalid',
      error: { nodeId: '5', nodeClass: 'KSampler', type: 'value_bigger_than_max' },
    });
  });

  test.each([
    refused('prompt_no_outputs', 'Prompt has no outputs'),
    refused('prompt_outputs_failed_validation', 'Prompt outputs failed validation'),
    refused('invalid_prompt', 'Cannot execute because a node is missing the class_type property.', {
      details: "Node ID '#3'",
    }),
    read(400, { error: 'a plain sentence', node_errors: [] }),
  ])('without node errors the general reason stands', (outcome) => {
    expect(outcome).toMatchObject({ outcome: 'invalid', error: { message: expect.any(String) } });
  });

  test('a class that the worker does not have counts as missing there, and the node is named', () => {
    const outcome = refused('invalid_prompt', 'Cannot execute because node Magic does not exist.', {
      details: "Node ID '#3'",
    });
    expect(outcome).toMatchObject({ outcome: 'incapable', error: { nodeId: '3' } });
    expect(refused('missing_node_type', "Node 'Magic' not found.").outcome).toBe('incapable');
  });

  test('a choice that the worker does not offer counts as missing there', () => {
    const outcome = refused('prompt_outputs_failed_validation', '', {
      node_errors: nodeError('value_not_in_list', 'Value not in list', "ckpt_name: 'x' not in []"),
    });
    expect(outcome.outcome).toBe('incapable');
  });

  test('a choice that the worker does not offer, together with a real fault, is the fault of the graph', () => {
    const node = nodeError('value_not_in_list', 'Value not in list')['5'];
    const errors = {
      '5': node,
      '6': { ...node, errors: [{ type: 'required_input_missing', message: 'x', details: '' }] },
    };
    expect(refused('prompt_outputs_failed_validation', '', { node_errors: errors }).outcome).toBe('invalid');
  });

  test('an input file that is not there any more has its own outcome', () => {
    const outcome = refused('prompt_outputs_failed_validation', '', {
      node_errors: nodeError(
        'custom_validation_failed',
        'Custom validation failed for node',
        'image - Invalid image file: gw/ab.png',
      ),
    });
    expect(outcome.outcome).toBe('input_missing');
  });

  test('a reason as long as a list of all models is shortened', () => {
    const outcome = refused('prompt_outputs_failed_validation', '', {
      node_errors: nodeError('value_not_in_list', 'Value not in list', 'x'.repeat(100_000)),
    });
    if (outcome.outcome !== 'incapable') throw new Error(outcome.outcome);
    expect(outcome.error.message.length).toBeLessThan(600);
  });
});

test.each([
  [413, 'refused_size'],
  [401, 'wants_password'],
  [403, 'wants_password'],
  [302, 'not_comfyui'],
  [404, 'not_comfyui'],
  [405, 'not_comfyui'],
  [429, 'bad_answer'],
])('status %i is a clear no', (status, cause) => {
  expect(read(status, 'text')).toMatchObject({ outcome: 'not_taken', cause });
});

test('a 400 without a readable reason is also a refusal', () => {
  expect(read(400, 'Bad Request')).toMatchObject({ outcome: 'not_taken', cause: 'bad_answer' });
});

test.each([500, 502, 503, 504])('status %i may mean anything', (status) => {
  expect(read(status, 'oops')).toMatchObject({ outcome: 'unknown' });
});

test.each(['', 'garbage', '[]', '{}', '{"prompt_id":5,"number":1}'])(
  'a 200 with the body %j may mean anything',
  (body) => {
    expect(read(200, body)).toMatchObject({ outcome: 'unknown', cause: 'bad_answer' });
  },
);
