import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import manifest from '../package.json' with { type: 'json' };

const root = fileURLToPath(new URL('../../..', import.meta.url));
/** `npx switchyard`, `npm exec switchyard`, `npm install -g switchyard`: each fetches the package of that bare name. */
const fetchesByBareName =
  /\b(?:npx|npm (?:exec|x|install|i|add))(?:[ \t]+-\S+)*[ \t]+switchyard(?![-\w/])(?:@\S+)?/;

function filesBelow(folder: string, ending: RegExp): string[] {
  return readdirSync(`${root}${folder}`, { recursive: true, encoding: 'utf8' })
    .filter(
      (name) => ending.test(name) && !/(^|\/)(node_modules|dist)\//.test(name) && !name.includes('.test.'),
    )
    .map((name) => `${folder}/${name}`);
}

it('is installed as switchyard-gateway and called switchyard', () => {
  expect(manifest.name).toBe('switchyard-gateway');
  expect(Object.keys(manifest.bin)).toEqual(['switchyard']);
});

it.each([
  'npx switchyard login',
  'npx -y switchyard up',
  'npm exec switchyard',
  'npm install -g switchyard',
  'npx switchyard@latest',
])('knows that "%s" fetches what is not ours', (line) => {
  expect(line).toMatch(fetchesByBareName);
});

it.each([
  'npm install /tmp/switchyard-gateway-0.1.0.tgz',
  'npx switchyard-gateway',
  'npm install\nswitchyard up',
])('knows that "%s" does not', (line) => {
  expect(line).not.toMatch(fetchesByBareName);
});

it('no document, help or message names the npm package of the bare name, which belongs to someone else', () => {
  const files = [
    'README.md',
    'CONTRIBUTING.md',
    'ARCHITECTURE.md',
    'AGENTS.md',
    ...filesBelow('docs', /\.md$/),
    ...filesBelow('packages', /(\.md|\.ts|\.mjs)$/),
    ...filesBelow('examples', /\.(md|ts|json)$/),
  ];
  const telling = files.filter((file) => fetchesByBareName.test(readFileSync(`${root}${file}`, 'utf8')));
  expect(telling).toEqual([]);
});
