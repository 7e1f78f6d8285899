import { expect, it } from 'vitest';
import { interruptId } from './interrupt-id.ts';
import { wireValue } from './wire-values.ts';

const older = { value: 'sure?', when: 'during', resumable: true, ns: ['answer:1', 'ask:5f2d8283'] };

it.each([
  ['of LangGraph 0.2 has the id of its task', older, '5f2d8283'],
  ['of LangGraph 0.3 has an id under another name', { ...older, interrupt_id: 'a1' }, 'a1'],
  ['of newer ones has an id', { id: 'b2', value: 'sure?' }, 'b2'],
  ['does not get the id of another record', { value: 'sure?', ns: ['ask:5f2d8283'] }, undefined],
])('a question %s', (_name, question, id) => {
  expect(interruptId(question)).toBe(id);
  expect(wireValue(question)).toEqual({ ...question, ...(id !== undefined && { id }) });
});
