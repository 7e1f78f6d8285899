import { expect, it } from 'vitest';
import { fieldName, writtenLabel } from './field-name.ts';

const steps = { title: 'KSampler', input: 'batch_size' };

it('names a field by the label that a person gave, otherwise by its node and its input in words', () => {
  expect(fieldName({ ...steps, label: 'How many' })).toBe('How many');
  expect(fieldName({ ...steps, label: null })).toBe('KSampler: Batch size');
  expect(fieldName({ ...steps, label: null }, { alone: true })).toBe('Batch size');
  expect(fieldName({ title: 'KSampler', label: null, input: null })).toBe('KSampler');
  expect(fieldName({ title: 'Prompt', label: null, input: 'text' })).toBe('Prompt');
  expect(fieldName({ title: null, label: null, input: '__' })).toBe('__');
});

it('has the common inputs in the language of the page, and leaves the names of all others', () => {
  const chinese = { alone: true, wordOf: (word: string) => `[${word}]` };
  const named = (input: string) => fieldName({ title: 'KSampler', label: null, input }, chinese);
  expect(['noise_seed', 'ckpt_name', 'batch_size', 'blur_radius', 'constructor'].map(named)).toEqual([
    '[seed]',
    '[model]',
    '[batch]',
    'Blur radius',
    'Constructor',
  ]);
});

it('knows labels that were made, of this version and of earlier ones, from those that a person wrote', () => {
  const written = (label: string, placeholder: string | null = null) =>
    writtenLabel({ label, placeholder, sets: [steps] });
  const made = ['batch_size', 'KSampler: batch_size', 'Batch size', 'KSampler: Batch size'];
  expect(made.map((label) => written(label))).toEqual([null, null, null, null]);
  expect(written('Pictures')).toBe('Pictures');
  expect(written('batch_size', 'batch_size')).toBe('batch_size');
});
