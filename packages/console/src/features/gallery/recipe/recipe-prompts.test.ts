import type { RecipeValue } from '@switchyard/contract/dispatch/recipe';
import { expect, it } from 'vitest';
import { promptsIn } from './recipe-prompts.ts';

const entry = (input: string, value: RecipeValue['value']): RecipeValue => ({
  param: `1.${input}`,
  title: 'Node',
  label: null,
  input,
  hidden: false,
  value,
});

it('are the texts that a person has written', () => {
  const prompts = promptsIn([
    entry('seed', 5),
    entry('sampler_name', 'euler'),
    entry('text', 'kite'),
    entry('negative', ' '),
    entry('filename_prefix', 'kite over the harbour'),
    entry('style', 'in the manner of a woodcut'),
  ]);
  expect(prompts.map(({ input }) => input)).toEqual(['text', 'style']);
});
