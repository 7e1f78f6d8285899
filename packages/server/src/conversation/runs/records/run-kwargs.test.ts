import { describe, expect, it } from 'vitest';
import { kwargsIn, kwargsText } from './run-kwargs.ts';
import type { RunKwargs } from './run-request.ts';

const usual: RunKwargs = {
  input: { text: 'hello' },
  command: null,
  checkpoint: null,
  config: { configurable: {}, tags: [], recursion_limit: 100 },
  context: {},
  metadata: { team: 'blue' },
  interrupt_before: null,
  interrupt_after: null,
  stream_mode: ['values'],
  stream_subgraphs: false,
  durability: null,
  on_disconnect: 'continue',
};
const unusual: RunKwargs = {
  ...usual,
  input: null,
  command: { resume: null },
  config: { configurable: { step: 'blue' }, tags: ['a'] },
  context: { tone: 'dry' },
  agent_name: null,
  interrupt_before: '*',
  stream_mode: ['values', 'updates'],
  stream_subgraphs: true,
  durability: 'sync',
  on_disconnect: 'cancel',
};
const metadata = JSON.stringify(usual.metadata);

describe('the stored request of a run', () => {
  it.each([usual, unusual])('is read as it was given: %j', (kwargs) => {
    expect(kwargsIn(kwargsText(kwargs), { metadata })).toEqual(kwargs);
  });

  it('holds only what the request says', () => {
    expect(kwargsText(usual)).toBe('{"input":{"text":"hello"},"config":{"recursion_limit":100}}');
  });

  it('is read from rows of earlier versions, which hold all of it', () => {
    expect(kwargsIn(JSON.stringify(unusual), { metadata: '{"team":"of the row"}' })).toEqual(unusual);
  });
});
