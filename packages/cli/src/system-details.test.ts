import type { SystemReport } from '@switchyard/contract/system';
import { expect, it } from 'vitest';
import { describeSystem } from './system-details.ts';

const report: SystemReport = {
  takenAt: '2026-01-02T00:00:00.000Z',
  startedAt: '2026-01-01T00:00:00.000Z',
  versions: { gateway: '1.0.0', node: '24.0.0', platform: 'linux-x64', libraries: { sharp: '0.35.5' } },
  process: { pid: 1, memoryBytes: 120_000_000, heapBytes: 1 },
  dependencies: [{ name: 'database', kind: 'sqlite', ok: false, latencyMs: 2_000, detail: 'It is away.' }],
  replicas: [
    {
      id: 'r1',
      isThis: true,
      holds: [{ key: 'dispatch', what: 'places tasks and looks after the workers' }],
    },
    { id: 'r2', isThis: false, holds: [] },
  ],
  deadJobs: {
    total: 1,
    items: [{ id: 'j1', kind: 'k', key: null, attempts: 7, lastError: 'full\u001b[2J', diedAt: 'then' }],
  },
  schedules: [],
  storage: {
    byKind: [{ kind: 'files', bytes: 4_000, count: 2 }],
    byUser: [{ userId: 'u', email: null, fileBytes: 4_000, files: 2, threadBytes: 0 }],
    foldersTakenAt: null,
    foldersComplete: false,
    freeBytes: [{ folder: '/data', bytes: 1_000_000 }],
  },
  retention: [
    { what: 'files', keptSeconds: 86_400, nextAt: 'soon', count: 10_000, countIsMinimum: true, bytes: 5_000 },
    { what: 'audit', keptSeconds: null, nextAt: null, count: 0, countIsMinimum: false, bytes: null },
  ],
};

it('says on one screen how the gateway is', () => {
  expect(describeSystem(report)).toBe(`gateway    1.0.0
node       24.0.0 on linux-x64
libraries  sharp 0.35.5
started    2026-01-01T00:00:00.000Z
memory     120 MB

DEPENDENCY  KIND    STATE  LATENCY  DETAIL
database    sqlite  FAILS  2000 ms  It is away.

Replica r1 (this one)
  places tasks and looks after the workers
Replica r2
  holds nothing

Dead jobs: 1
ID  KIND  DIED  ERROR
j1  k     then  full [2J

files  4 kB in 2
free   1 MB at /data
The folders are measured for the first time; ask again.
USER  FILES  FILE SIZE  THREADS
u     2      4 kB       0 bytes

DELETED NEXT  COUNT   SIZE  WHEN  KEPT FOR
files         10000+  5 kB  soon  1 days
audit         0       -     -     ever
`);
});
