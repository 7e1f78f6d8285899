import { expect, it } from 'vitest';
import { inEach, say, sentencesOf, textOf, withDetail } from './sentences.ts';

const away = withDetail(say('call_broken_off', { address: '10.0.0.1:8188' }), 'ECONNRESET');

it('makes the text of sentences that hold others', () => {
  const handed = say('input_not_handed', { cause: away });
  expect(textOf(say('task_error', { error: 'rejected_by_worker', cause: handed }))).toBe(
    'rejected_by_worker: An input file could not be handed to the worker: 10.0.0.1:8188 broke off the connection. (ECONNRESET)',
  );
  expect(textOf(say('file_nowhere', { said: 'No picture.png' }))).toMatch(
    /^No picture\.png\. No instance has this/,
  );
  expect(textOf([...say('next'), ...say('no_instance')])).toBe('It is next. There is no instance.');
});

it('takes a text of somebody else for a quote, and an empty one for nothing', () => {
  expect(sentencesOf('CUDA out of memory')).toEqual([
    { code: 'quote', values: { text: 'CUDA out of memory' } },
  ]);
  expect(say('output_left_out', { cause: '' })).toEqual([{ code: 'output_left_out', values: {} }]);
});

it('has the values that its text names, and no other', () => {
  const given = { length: 8, count: 0 };
  expect(say('string_too_short', given)).toEqual([{ code: 'string_too_short', values: { length: '8' } }]);
});

it('changes names, numbers and quotes, and no sentence', () => {
  const said = say('output_left_out', { cause: 'No sy-1-cat.png' });
  expect(textOf(inEach(said, (text) => text.replace('sy-1-', '')))).toBe(
    'The worker leaves an output out: No cat.png',
  );
});
