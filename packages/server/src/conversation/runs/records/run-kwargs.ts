import { isRecord } from '@switchyard/contract/is-record';
import type { RunRow } from '../../tables.ts';
import type { RunKwargs } from './run-request.ts';

/** The values of a request that has none. They are not stored: each run would repeat them. */
const usual: RunKwargs = {
  input: null,
  command: null,
  checkpoint: null,
  config: { configurable: {}, tags: [] },
  context: {},
  metadata: {},
  interrupt_before: null,
  interrupt_after: null,
  stream_mode: ['values'],
  stream_subgraphs: false,
  durability: null,
  on_disconnect: 'continue',
};

/** The form that is stored: what differs from the usual request. The metadata are in the row of the run. */
export function kwargsText({ metadata: _metadata, config, ...kwargs }: RunKwargs): string {
  return JSON.stringify({ ...unusual(kwargs, usual), config: unusual(config, usual.config) });
}

/** The whole request of a run. Rows of earlier versions hold all of it. */
export function kwargsIn(text: string, { metadata }: Pick<RunRow, 'metadata'>): RunKwargs {
  const stored = JSON.parse(text) as Partial<RunKwargs>;
  const config = { ...usual.config, ...stored.config };
  return { ...usual, metadata: JSON.parse(metadata) as RunKwargs['metadata'], ...stored, config };
}

function unusual(given: object, standard: object): Record<string, unknown> {
  const known = isRecord(standard) ? standard : {};
  const entries = Object.entries(given).filter(
    ([key, value]) => !Object.hasOwn(known, key) || JSON.stringify(value) !== JSON.stringify(known[key]),
  );
  return Object.fromEntries(entries);
}
