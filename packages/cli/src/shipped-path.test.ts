import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SkillFolders } from '@switchyard/server/conversation/skills/skill-folders';
import { nodeClasses } from '@switchyard/worker/nodes/node-classes';
import { expect, it } from 'vitest';
import { shippedPath } from './shipped-path.ts';

const program = fileURLToPath(new URL('../bin/switchyard.mjs', import.meta.url));

const log = { warn: () => {} };
const shipped = new SkillFolders({ path: 'none', shipped: shippedPath('skills', program), log });

it('the skills that come with the program can be used', async () => {
  const { skills, broken } = await shipped.find();
  expect(broken).toEqual([]);
  expect(skills.map(({ name }) => name)).toEqual([
    'edit-pictures',
    'fix-failed-task',
    'make-contact-sheet',
    'save-and-run-workflow',
    'write-skill',
  ]);
});

it('they are found when run from source, and through the link that npm makes', () => {
  const source = fileURLToPath(new URL('./main.ts', import.meta.url));
  expect(shippedPath('skills', source)).toBe(shippedPath('skills', program));
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-bin-'));
  try {
    symlinkSync(program, join(folder, 'switchyard'));
    expect(shippedPath('skills', join(folder, 'switchyard'))).toBe(shippedPath('skills', program));
  } finally {
    rmSync(folder, { recursive: true });
  }
});

interface Node {
  class_type: string;
  inputs: Record<string, unknown>;
}

it('their workflows give the nodes of the reference worker all inputs that they need', async () => {
  let nodes = 0;
  for (const { folder } of (await shipped.find()).skills) {
    const text = await readFile(join(folder, 'SKILL.md'), 'utf8');
    for (const [, json = ''] of text.matchAll(/```json\n(.*?)```/gs)) {
      for (const { class_type: name, inputs } of Object.values(JSON.parse(json) as Record<string, Node>)) {
        const known = nodeClasses.find((each) => each.name === name);
        expect(Object.keys(inputs).sort(), name).toEqual(Object.keys(known?.inputs.required ?? {}).sort());
        nodes += 1;
      }
    }
  }
  expect(nodes).toBeGreaterThan(10);
});
