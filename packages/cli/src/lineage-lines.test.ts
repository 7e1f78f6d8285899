import type { FileLineage } from '@switchyard/contract/dispatch/lineage';
import { expect, it } from 'vitest';
import { lineageLines } from './lineage-lines.ts';

const file = (id: string, fileId: string | null = id): FileLineage['files'][number] => ({
  id,
  fileId,
  filename: `${id}.png`,
  sha256: id,
  url: null,
  size: 1,
  contentType: 'image/png',
  source: 'output',
  createdAt: '2030-01-01T00:00:00.000Z',
  level: 0,
});
const task = (id: string, name: string | null = null): FileLineage['tasks'][number] => ({
  id,
  name,
  status: 'completed',
  instanceId: 'box-1',
  workflowId: null,
  createdAt: '2030-01-01T00:00:00.000Z',
  level: 0,
});
const lineage = (parts: Partial<FileLineage>): FileLineage => ({
  fileId: 'b',
  direction: 'both',
  depth: 20,
  files: [],
  tasks: [],
  edges: [],
  cut: null,
  ...parts,
});

it('shows what a file came from and what came of it', () => {
  const lines = lineageLines(
    lineage({
      files: [file('b'), file('a', null), file('c')],
      tasks: [task('t1', 'First'), task('t2')],
      edges: [
        { from: 'a', to: 't1' },
        { from: 't1', to: 'b' },
        { from: 'b', to: 't2' },
        { from: 't2', to: 'c' },
      ],
    }),
  );
  expect(lines).toEqual([
    'b.png  b',
    'came from:',
    '  task t1  First, completed, box-1',
    '    a.png  deleted',
    'became:',
    '  task t2  completed, box-1',
    '    c.png  c',
  ]);
});

it('shows what follows a node once, also when two ways lead to it', () => {
  const lines = lineageLines(
    lineage({
      files: [file('b'), file('x'), file('y'), file('z')],
      tasks: [task('t1'), task('t2')],
      edges: [
        { from: 't1', to: 'b' },
        { from: 'x', to: 't1' },
        { from: 'y', to: 't1' },
        { from: 't2', to: 'x' },
        { from: 't2', to: 'y' },
        { from: 'z', to: 't2' },
      ],
    }),
  );
  expect(lines.filter((line) => line.includes('task t2'))).toHaveLength(2);
  expect(lines.filter((line) => line.includes('z.png'))).toHaveLength(1);
});

it('is one line for a file alone', () => {
  expect(lineageLines(lineage({ files: [file('b')] }))).toEqual(['b.png  b']);
});
