import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HttpSession } from '@switchyard/dev-env/http-session';
import { SpawnedGateway } from '@switchyard/dev-env/spawned-gateway';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { afterAll, beforeAll, expect, it } from 'vitest';

const folder = temporaryFolder();
let gateway: SpawnedGateway;

beforeAll(async () => {
  const own = join(folder.path, 'my-skills/public/brew-tea');
  mkdirSync(own, { recursive: true });
  writeFileSync(join(own, 'SKILL.md'), '---\nname: brew-tea\ndescription: Brews tea.\n---\nBrew it.\n');
  writeFileSync(
    join(folder.path, 'switchyard.yaml'),
    `version: 1\nskills: { path: ${JSON.stringify(join(folder.path, 'my-skills'))} }\n`,
  );
  gateway = await SpawnedGateway.start({ home: folder.path });
});

afterAll(async () => {
  await gateway.stop();
  folder.remove();
});

it('the binary has its own skills, beside those of its host', async () => {
  const account = { email: 'ada@example.com', password: 'correct horse battery' };
  const session = await HttpSession.register(gateway.url, account);
  const { skills, broken } = await session.get<{ skills: { name: string }[]; broken: unknown[] }>(
    '/api/skills',
  );

  const names = skills.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['brew-tea', 'make-contact-sheet', 'write-skill']));
  expect(broken).toEqual([]);
});
