import { describe, expect, it } from 'vitest';
import { AppError } from '../../lib/app-error.ts';
import { type NamedFile, namesByPattern, requireKnownTokens } from './archive-names.ts';

const file = (more: Partial<NamedFile['row']> & { workflow?: string; seed?: number } = {}): NamedFile => {
  const { workflow = null, seed = null, ...row } = more;
  return {
    row: {
      id: 'f1',
      filename: 'cat_00001_.png',
      taskId: 't1',
      createdAt: '2030-01-02T03:04:05.000Z',
      ...row,
    },
    workflow,
    seed,
  };
};

describe('names by a pattern', () => {
  it('have the values of the file, its place and its extension', () => {
    const pattern = '{workflow}-{date} {time}-{seed}-{n}-{name}-{id}-{task}';
    expect(namesByPattern(pattern, [file({ workflow: 'Night', seed: 42 })])).toEqual([
      'Night-2030-01-02 03-04-05-42-1-cat_00001_-f1-t1.png',
    ]);
    const many = Array.from({ length: 12 }, () => file({ taskId: null }));
    expect(namesByPattern('{n}-{workflow}{seed}{task}', many)[1]).toBe('02-nonenonenone.png');
  });

  it('are safe on every system, whatever stands in the values', () => {
    const nameOf = (workflow: string, filename = 'a.png') =>
      namesByPattern('{workflow}', [file({ workflow, filename })])[0];
    expect(nameOf('../../etc/passwd')).toBe('.._.._etc_passwd.png');
    expect(nameOf('C:\\a<b>|"?*')).toBe('C__a_b_____.png');
    expect(nameOf('con')).toBe('_con.png');
    expect(nameOf('\u202egnp\0.')).toBe('gnp.png');
    expect(nameOf(' . ')).toBe('file.png');
    expect(nameOf('{seed}')).toBe('{seed}.png');
    expect(nameOf('夜'.repeat(200))).toMatch(/^夜+\.png$/);
    expect(Buffer.byteLength(nameOf('夜'.repeat(200)) ?? '')).toBeLessThanOrEqual(255);
    expect(nameOf('night', 'README')).toBe('night');
    expect(nameOf('night', '.hidden')).toBe('night');
  });

  it('refuse a part that is not known, by its name and with the known ones', () => {
    const faultsOf = (pattern: string): string[] => {
      try {
        requireKnownTokens('query', pattern);
        return [];
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        return (error.faults ?? []).map(({ path, message }) => `${path}: ${message}`);
      }
    };
    expect(faultsOf('plain')).toEqual([]);
    expect(faultsOf('{workflow}-{sed}-{N}')).toEqual([
      'names: {sed} is not among the parts of a name. Known parts are {name}, {workflow}, {date}, {time}, {seed}, {n}, {id}, {task}.',
      expect.stringContaining('{N} is not among'),
    ]);
    for (const open of ['{seed', 'seed}', '{}', '{{seed}}', '{constructor}'])
      expect(faultsOf(open)).not.toEqual([]);
  });
});
