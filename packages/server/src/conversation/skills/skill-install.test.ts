import { mkdir, mkdtemp, open, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { zip } from '../../../test/support/zip.ts';
import { ChangeLock } from '../../platform/ownership/change-lock.ts';
import { ExtensionsFile } from '../mcp/extensions-file.ts';
import { CustomSkills } from './custom-skills.ts';
import { SkillFolders } from './skill-folders.ts';
import { SkillInstall } from './skill-install.ts';
import { Skills } from './skills.ts';

let home: string;
let custom: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'switchyard-install-'));
  custom = join(home, 'skills/custom');
});
afterEach(() => rm(home, { recursive: true }));

const nowMs = Date.parse('2030-01-01T00:00:00Z');

function installer({ reserveBytes = 0 } = {}) {
  const log = { warn: () => {} };
  const folders = new SkillFolders({ path: join(home, 'skills'), shipped: null, log });
  const extensions = new ExtensionsFile(home);
  const skills = new Skills({ folders, extensions });
  return new SkillInstall({
    custom: new CustomSkills({
      folders,
      skills,
      extensions,
      changes: new ChangeLock(null),
      clock: () => nowMs,
    }),
    access: { require: async () => null },
    files: { open: (_whose, path) => open(join(home, path)) },
    reserveBytes,
  });
}

const owner = { user: 'root' };
const from = { threadId: 't', path: 'x.skill', author: 'root' };
async function archive(name: string): Promise<void> {
  const text = `---\nname: ${name}\ndescription: x\n---\n`;
  const entries = [
    { name: 'SKILL.md', content: Buffer.from(text) },
    { name: 'bin/run.sh', content: Buffer.from('#!/bin/sh\n'), claims: { mode: 0o100777 } },
  ];
  await writeFile(join(home, 'x.skill'), zip(entries));
}
const placed = async () => (await readdir(custom)).filter((name) => !name.startsWith('.'));

it('a skill that is installed twice at the same time exists once', async () => {
  await archive('brew-tea');
  const install = installer();
  const ends = await Promise.allSettled([install.install(owner, from), install.install(owner, from)]);
  expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  expect(ends.find(({ status }) => status === 'rejected')).toMatchObject({
    reason: { code: 'skill_exists' },
  });
  expect(await placed()).toEqual(['brew-tea']);
});

it('the files of an installed skill belong to the gateway alone and cannot be executed', async () => {
  await archive('brew-tea');
  await installer().install(owner, from);
  expect(await readFile(join(custom, 'brew-tea/bin/run.sh'), 'utf8')).toBe('#!/bin/sh\n');
  expect((await stat(join(custom, 'brew-tea/bin/run.sh'))).mode & 0o777).toBe(0o600);
  expect((await stat(join(custom, 'brew-tea/bin'))).mode & 0o777).toBe(0o700);
});

it('a full disk leaves nothing behind', async () => {
  await archive('brew-tea');
  const install = installer({ reserveBytes: Number.MAX_SAFE_INTEGER });
  await expect(install.install(owner, from)).rejects.toMatchObject({ code: 'storage_full' });
  expect(await placed()).toEqual([]);
  expect(await readdir(join(custom, '.staging'))).toEqual([]);
});

it('an install removes what an interrupted one left behind, once that is an hour old', async () => {
  await archive('brew-tea');
  for (const [name, minutes] of [
    ['old', 61],
    ['young', 59],
  ] as const) {
    const left = join(custom, '.staging', name);
    await mkdir(left, { recursive: true });
    const changed = new Date(nowMs - minutes * 60_000);
    await utimes(left, changed, changed);
  }
  await installer().install(owner, from);
  expect(await readdir(join(custom, '.staging'))).toEqual(['young']);
});
