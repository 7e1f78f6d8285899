import type { WorkflowParameter } from '@switchyard/contract/dispatch/workflow';
import { expect, it } from 'vitest';
import { editsOf, faultyFields, fieldsOf, fieldsOver, moved, withField, withPin } from './form-edits.ts';

const parameters = ['seed', 'steps', 'cfg', 'text', 'size'].map((name) => parameter(name));
const fields = fieldsOf(parameters);
const names = (list: readonly { name: string }[]) => list.map(({ name }) => name);

it('sends only what was changed of how fields are shown', () => {
  expect(editsOf(parameters, fields)).toEqual([]);
  const changed = withField(withField(fields, 'seed', { label: ' Luck ' }), 'cfg', {
    hidden: true,
    description: 'How literal.',
    rename: 'strength',
  });
  expect(editsOf(parameters, changed)).toEqual([
    { name: 'seed', label: 'Luck' },
    { name: 'cfg', rename: 'strength', description: 'How literal.', hidden: true },
  ]);
});

it('moves one field with one edit, whichever way it goes, and leads to every order', () => {
  expect(editsOf(parameters, moved(fields, 0, 4))).toEqual([{ name: 'seed', position: 4 }]);
  expect(editsOf(parameters, moved(fields, 4, 0))).toEqual([{ name: 'size', position: 0 }]);
  const turned = fields.toReversed();
  expect(applied(editsOf(parameters, turned))).toEqual(names(turned));
  const mixed = [2, 4, 0, 3, 1].flatMap((at) => fields[at] ?? []);
  expect(applied(editsOf(parameters, mixed))).toEqual(names(mixed));
});

it('keeps pinned fields above the others, and neither crosses the border', () => {
  const pinned = withPin(withPin(fields, 'text', true), 'cfg', true);
  expect(names(pinned)).toEqual(['text', 'cfg', 'seed', 'steps', 'size']);
  expect(names(moved(pinned, 2, 0))).toEqual(names(pinned));
  expect(names(withPin(pinned, 'text', false))).toEqual(['cfg', 'text', 'seed', 'steps', 'size']);
  expect(applied(editsOf(parameters, pinned))).toEqual(names(pinned));
});

it('lays what was changed over a version that somebody else has saved, and leaves them the rest', () => {
  const mine = withField(withPin(fields, 'text', true), 'text', { label: 'What to draw' });
  const theirs = [...parameters.filter(({ name }) => name !== 'steps'), parameter('new')].map((each) =>
    each.name === 'text' ? { ...each, name: 'prompt', label: 'Prompt', description: 'Theirs.' } : each,
  );
  const over = fieldsOver({ base: parameters, theirs }, mine);
  expect(names(over)).toEqual(['prompt', 'seed', 'cfg', 'size', 'new']);
  expect(editsOf(theirs, over)).toEqual([
    { name: 'prompt', label: 'What to draw', pinned: true, position: 0 },
  ]);
  const relabelled = withField(fields, 'cfg', { label: 'Strength' });
  const turned = parameters.toReversed();
  const kept = fieldsOver({ base: parameters, theirs: turned }, relabelled);
  expect(names(kept)).toEqual(names(turned));
});

it('finds what the gateway would refuse', () => {
  const wrong = withField(withField(fields, 'seed', { label: ' ' }), 'cfg', { rename: 'a b' });
  expect([...faultyFields(withField(wrong, 'text', { rename: 'size' }))]).toEqual([
    ['seed', 'label'],
    ['cfg', 'name'],
    ['text', 'twice'],
    ['size', 'twice'],
  ]);
});

/** The order that the gateway would make of the edits. */
function applied(edits: readonly { name: string; position?: number }[]): string[] {
  const order = names(parameters);
  for (const { name, position } of edits) {
    if (position !== undefined) order.splice(position, 0, ...order.splice(order.indexOf(name), 1));
  }
  return order;
}

function parameter(name: string): WorkflowParameter {
  return {
    name,
    label: name,
    description: null,
    type: 'string',
    required: false,
    default: '',
    minimum: null,
    maximum: null,
    choices: null,
    multiline: false,
    hidden: false,
    pinned: false,
    sets: [{ node: '1', title: 'Node', input: name }],
    placeholder: null,
  };
}
