import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ThreadFiles } from './thread-files.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'switchyard-threads-'));
});
afterEach(() => rmSync(home, { recursive: true }));

function write(...path: string[]): string {
  const folder = join(home, ...path);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'note.txt'), 'note');
  return folder;
}

describe('files of a thread', () => {
  it('are removed from both layouts, and nothing else is', async () => {
    const gone = [write('users', 'anna', 'threads', 't'), write('threads', 't')];
    const kept = [write('users', 'bert', 'threads', 't'), write('users', 'anna', 'threads', 'other')];
    await new ThreadFiles(home).remove({ thread_id: 't', user_id: 'anna' });
    expect(gone.filter(existsSync)).toEqual([]);
    expect(kept.filter(existsSync)).toEqual(kept);
  });

  it('are removed for every user of a shared thread', async () => {
    const gone = [write('users', 'anna', 'threads', 't'), write('users', 'bert', 'threads', 't')];
    await new ThreadFiles(home).remove({ thread_id: 't', user_id: null });
    expect(gone.filter(existsSync)).toEqual([]);
  });

  it('may be missing', async () => {
    await new ThreadFiles(join(home, 'nowhere')).remove({ thread_id: 't', user_id: null });
  });

  it.each(['..', '../..', '', 'a/../..'])('are never looked for under the id %j', async (thread_id) => {
    const kept = write('users', 'anna', 'threads', 'other');
    await new ThreadFiles(home).remove({ thread_id, user_id: 'anna' });
    expect(existsSync(kept)).toBe(true);
  });
});
