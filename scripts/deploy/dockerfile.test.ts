/** What a registry, a cluster and a user expect of the image, read from the Dockerfile. `try-image` builds and starts it. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Copy, DockerfileParser, type Instruction } from 'dockerfile-ast';
import { expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(`${root}/${file}`, 'utf8');
const { version } = JSON.parse(read('package.json')) as { version: string };
const dockerfile = DockerfileParser.parse(read('deploy/Dockerfile'));
const instructions = dockerfile.getInstructions();
const finalStage = instructions.slice(
  instructions.findLastIndex((instruction) => instruction.getKeyword() === 'FROM'),
);

it('the base is an argument with a public Node image that the gateway runs on', () => {
  const froms = dockerfile.getFROMs();
  expect(froms.map((from) => withArguments(from))).toEqual([
    expect.stringMatching(/^node:2[24]-bookworm-slim AS install$/),
    expect.stringMatching(/^node:2[24]-bookworm-slim$/),
  ]);
  expect(froms.map((from) => from.getVariables().map((variable) => variable.getName()))).toEqual([
    ['BASE'],
    ['BASE'],
  ]);
});

it('what it copies of the repository is the package of this version, and nothing else is sent to the builder', () => {
  const copied = dockerfile
    .getCOPYs()
    .filter((copy) => copy.getFromFlag() === null)
    .map((copy) => sources(copy));
  expect(copied).toEqual([[`.build/package/switchyard-gateway-${version}.tgz`]]);
  const rules = read('.dockerignore')
    .split('\n')
    .filter((line) => line && !line.startsWith('#'));
  const [beginning = '', end = ''] = rules[1]?.slice(1).split('*') ?? [];
  expect(rules).toEqual(['*', `!${beginning}*${end}`]);
  expect(copied.flat().every((file) => file.startsWith(beginning) && file.endsWith(end))).toBe(true);
});

it('stages are copied from by their names', () => {
  const names = dockerfile.getFROMs().flatMap((from) => from.getBuildStage() ?? []);
  const used = dockerfile.getCOPYs().flatMap((copy) => copy.getFromFlag()?.getValue() ?? []);
  expect(new Set(used)).toEqual(new Set(names));
});

it('it runs as a user that a cluster knows is not root, with one volume', () => {
  expect(inFinalStage('USER')).toEqual([expect.stringMatching(/^[1-9]\d*:[1-9]\d*$/)]);
  expect(inFinalStage('VOLUME').map((text) => JSON.parse(text))).toEqual([['/data']]);
});

it('no shell stands between the gateway and the signals, and none is needed for its health', () => {
  expect(inFinalStage('ENTRYPOINT').map((text) => JSON.parse(text))).toEqual([['switchyard']]);
  expect(inFinalStage('CMD').map((text) => JSON.parse(text))).toEqual([['up']]);
  const [health = '', ...more] = inFinalStage('HEALTHCHECK');
  expect(more).toEqual([]);
  expect(JSON.parse(health.replace(/^(--\S+\s+)*CMD/, ''))).toEqual([
    'node',
    '-e',
    expect.stringContaining('/readyz'),
  ]);
});

it('its labels name the version that it was built from', () => {
  expect(inFinalStage('LABEL').join()).toContain(`org.opencontainers.image.version="${version}"`);
});

function inFinalStage(keyword: string): string[] {
  return finalStage
    .filter((instruction) => instruction.getKeyword() === keyword)
    .map((instruction) => withArguments(instruction));
}

function sources(copy: Copy): string[] {
  return withArguments(copy)
    .split(/\s+/)
    .filter((word) => !word.startsWith('--'))
    .slice(0, -1);
}

/** Returns what follows the keyword, with the build arguments in their places. */
function withArguments(instruction: Instruction): string {
  return (instruction.getArgumentsContent() ?? '').replace(
    /\$\{([A-Z]+)\}/g,
    (text, name: string) => dockerfile.resolveVariable(name, instruction.getRange().start.line) ?? text,
  );
}
