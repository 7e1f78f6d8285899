import { sentenceTexts } from '@switchyard/contract/sentences/sentence-texts';
import { say, textOf, withDetail } from '@switchyard/contract/sentences/sentences';
import { expect, it } from 'vitest';
import { readSentences } from './read-sentences.ts';

const example: Record<string, string> = {
  address: '10.0.0.1:8188',
  error: 'lost',
  said: 'No picture.png',
  expected: "'a' or 'b'",
  skillField: 'license',
};
const numbers = ['count', 'seconds', 'status', 'nodes', 'models', 'free', 'length', 'bytes', 'limit'];

function valuesOf(text: string): Record<string, string> {
  const slots = [...text.matchAll(/\{(\w+)\}/g)].map(([, slot = '']) => slot);
  return Object.fromEntries(
    slots.map((slot) => [slot, example[slot] ?? (numbers.includes(slot) ? '7' : slot)]),
  );
}

it.each(Object.entries(sentenceTexts))('finds %s again in its text', (code, text) => {
  const { cause, said, ...values } = valuesOf(text);
  const own = { code, values };
  const quoteOf = (words: string | undefined) =>
    words === undefined ? [] : [{ code: 'quote', values: { text: words } }];
  const read = readSentences(textOf([{ code, values: valuesOf(text) }]));
  expect(read).toEqual([...quoteOf(said), own, ...quoteOf(cause)]);
});

it('finds a sentence that another one ends with, and what stands in brackets behind it', () => {
  const away = withDetail(say('call_broken_off', { address: '10.0.0.1:8188' }), 'ECONNRESET');
  const text = say('task_error', {
    error: 'rejected_by_worker',
    cause: say('input_not_handed', { cause: away }),
  });
  expect(readSentences(textOf(text))).toEqual([
    { code: 'task_error', values: { error: 'rejected_by_worker' } },
    { code: 'input_not_handed', values: {} },
    { code: 'call_broken_off', values: { address: '10.0.0.1:8188', detail: 'ECONNRESET' } },
  ]);
});

it('finds each of several sentences', () => {
  const said = [...say('nodes_new', { names: 'A, B' }), ...say('models_gone', { names: 'x.safetensors' })];
  expect(readSentences(textOf(said))).toEqual(said);
});

it('finds the warnings of a task again', () => {
  const unknown = say('param_unknown', { param: '3.sead' });
  expect(readSentences(textOf([...unknown, ...say('param_nearest', { names: '"3.seed"' })]))).toEqual([
    { code: 'param_unknown', values: { param: '3.sead' } },
    { code: 'param_nearest', values: { names: '"3.seed"' } },
  ]);
  expect(readSentences(textOf(say('pool_missing', { pool: 'big' })))).toEqual([
    { code: 'pool_missing', values: { pool: 'big' } },
  ]);
  expect(readSentences(textOf(say('placeholder_unfilled', { placeholder: '{{seed}}' })))).toEqual([
    { code: 'placeholder_unfilled', values: { placeholder: '{{seed}}' } },
  ]);
});

it('finds what is wrong with a field again, with the description of its pattern', () => {
  expect(readSentences("String should match pattern '^a$' (A letter.)")).toEqual([
    { code: 'string_mismatch', values: { pattern: '^a$', detail: 'A letter.' } },
  ]);
  expect(readSentences("Input should be 'a', 'b' or 'c'")).toEqual([
    { code: 'value_not_listed', values: { expected: "'a', 'b' or 'c'" } },
  ]);
  expect(readSentences('Input should be something of its own')).toMatchObject([{ code: 'quote' }]);
});

it('takes what is not a sentence of the gateway for a quote', () => {
  const quotes = ['KSampler: CUDA out of memory', 'prompt: no', 'x'.repeat(5_000), 'It answered soon.'];
  for (const text of quotes) expect(readSentences(text)).toEqual([{ code: 'quote', values: { text } }]);
  expect(readSentences('')).toEqual([]);
});

it('looks for causes of causes to a depth only, so that no text of a worker takes long to read', () => {
  const text = `${'lost: '.repeat(100)}the rest`;
  const found = readSentences(text);
  expect(found).toHaveLength(6);
  expect(found.at(-1)).toEqual({ code: 'quote', values: { text: `${'lost: '.repeat(95)}the rest` } });
});
