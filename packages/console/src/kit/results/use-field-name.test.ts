import { inputWords } from '@switchyard/contract/dispatch/field-name';
import { expect, it } from 'vitest';
import english from './messages/en.json' with { type: 'json' };

it('has the words of the contract in English', () => {
  expect(english.word).toMatchObject(inputWords);
});
