import { expect, it } from 'vitest';
import { unknownInstance } from './instance-state.ts';
import type { InstanceRow } from './instance-store.ts';
import { columnsOf, viewInstance } from './instance-view.ts';

const row = {
  id: 'box:8188',
  tags: '[]',
  devices: '[]',
  enabled: 1,
  removed: 0,
  system: null,
  lastError: null,
  lastErrorSentences: null,
} as InstanceRow;
const report = {
  version: '0.3.64',
  devices: [{ name: 'GPU 0', memoryTotalBytes: 8, memoryFreeBytes: 6 }],
  system: { pytorchVersion: '2.8.0' },
};

it('shows from the row alone what the worker told the gateway in charge', () => {
  const live = { ...unknownInstance, ...report };
  const stored = { ...row, ...columnsOf(row, live) };
  expect(viewInstance(stored, null)).toMatchObject(report);
  expect(viewInstance(stored, null)).toEqual(viewInstance(row, live));
});

it('has no system before the worker has answered', () => {
  expect(viewInstance(row, null)).not.toHaveProperty('system');
  expect(viewInstance({ ...row, ...columnsOf(row, unknownInstance) }, null)).not.toHaveProperty('system');
});
