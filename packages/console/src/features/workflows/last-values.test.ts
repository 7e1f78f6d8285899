import type { WorkflowParameter } from '@switchyard/contract/dispatch/workflow';
import { expect, it } from 'vitest';
import { draftOf, type FormDraft } from '../../kit/fields/field-draft.ts';
import { browserStorage } from '../../lib/browser-storage.ts';
import { lastValuesOf } from './last-values.ts';

const seed = field('seed', { type: 'integer', default: 1 });
const text = field('text');
const cfg = field('cfg');

it('keeps what was typed into a field that is renamed, moved or hidden, and through a version without it', () => {
  const typed = { values: { seed: '42', text: 'a kite', cfg: '7' }, seeds: { seed: 'random' as const } };
  lastValuesOf('a', [seed, text, cfg]).keep(typed);
  const renamed = [{ ...cfg, hidden: true }, { ...text, name: 'prompt' }, seed];
  const draft = opened('a', renamed);
  expect(draft).toEqual({ values: { prompt: 'a kite', seed: '42' }, seeds: { seed: 'random' } });
  lastValuesOf('a', renamed).keep({ ...draft, values: { ...draft.values, prompt: 'a red kite' } });
  expect(opened('a', [seed]).values).toEqual({ seed: '42' });
  expect(opened('a', [seed, cfg, text]).values).toEqual({ seed: '42', cfg: '7', text: 'a red kite' });
});

it('reads what an earlier page kept by names, and nothing of what is not a form', () => {
  browserStorage.setItem('switchyard.form.b', JSON.stringify({ values: { text: 'old' }, seeds: {} }));
  expect(opened('b', [text]).values).toEqual({ text: 'old' });
  browserStorage.setItem('switchyard.form.b', '{"values":7}');
  expect(opened('b', [text]).values).toEqual({ text: '' });
});

it('keeps a prompt that the browser has no room for as long as the page, and forgets it when asked', () => {
  const values = { text: 'x'.repeat(2_000_000) };
  lastValuesOf('c', [text]).keep({ values, seeds: {} });
  expect(opened('c', [{ ...text, name: 'prompt' }]).values.prompt).toHaveLength(2_000_000);
  expect(browserStorage.getItem('switchyard.form.c')).toBeNull();
  lastValuesOf('c').forget();
  expect(opened('c', [text]).values).toEqual({ text: '' });
});

function opened(workflowId: string, parameters: WorkflowParameter[]): FormDraft {
  return draftOf(parameters, lastValuesOf(workflowId, parameters).read());
}

function field(name: string, more: Partial<WorkflowParameter> = {}): WorkflowParameter {
  const shown = { name, label: name, description: null, hidden: false, pinned: false, required: false };
  const limits = { minimum: null, maximum: null, choices: null, multiline: false };
  const sets = [{ node: '1', title: 'Node', input: name }];
  return { ...shown, ...limits, type: 'string', default: '', sets, placeholder: null, ...more };
}
