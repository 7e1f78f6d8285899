import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { type SourceProject, sourceProject } from '../../../testing/source-project.ts';
import { isProcessAlive } from '../../lib/is-process-alive.ts';
import { KeptSchemas } from './kept-schemas.ts';
import { type ProgramLimits, programLimits } from './source-program.ts';
import { SourceSchemas } from './source-schemas.ts';

/** Notes who asks a compiler that stands for a real one, and waits for a gate when the source has one. */
const noting = `
const fs = require('node:fs');
const { file } = JSON.parse(process.argv[2]);
const note = (what) => fs.appendFileSync(__dirname + '/noted', what + '\\n');
const pause = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
note('begin ' + process.pid);
while (file.includes('held') && !fs.existsSync(__dirname + '/open')) pause(10);
pause(file.includes('slow') ? 1_000 : 10);
note('end ' + process.pid);
`;
const files = {
  'a.ts': '',
  'slow-a.ts': '',
  'slow-b.ts': '',
  'held.ts': '',
  'context.ts': "import { Annotation } from '@langchain/langgraph';",
};

let project: SourceProject | undefined;
let schemas: SourceSchemas | undefined;
let reasons: string[] = [];
afterEach(() => {
  schemas?.close();
  project?.remove();
});

function begin({
  text,
  limits,
  maxWaiting,
}: {
  text: string | null;
  limits?: Partial<ProgramLimits>;
  maxWaiting?: number;
}): (name: string, lacking?: 'state' | 'context') => ReturnType<SourceSchemas['of']> {
  const made = sourceProject({ files, compiler: text === null ? null : { version: '5.9.3', text } });
  project = made;
  reasons = [];
  const asked = new SourceSchemas({
    kept: new KeptSchemas({ folder: made.file('kept'), version: '1' }),
    log: { warn: (facts) => void reasons.push((facts as { reason: string }).reason) },
    limits: { ...programLimits, ...limits },
    ...(maxWaiting !== undefined && { maxWaiting }),
  });
  schemas = asked;
  return (name, lacking = 'state') => asked.of({ file: made.file(name), exportName: 'graph' }, lacking);
}

/** Returns the lines that the compiler has noted. */
function noted(): string[] {
  const file = project?.file('node_modules/typescript/noted') ?? '';
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
}
const pidOf = (line: string | undefined) => Number(line?.split(' ')[1]);

describe('what the compiler of a project says', () => {
  it('is asked for once by callers at the same time, and again after the graphs are loaded again', async () => {
    const ask = begin({ text: noting });
    expect(await Promise.all([ask('a.ts'), ask('a.ts')])).toEqual([null, null]);
    await ask('a.ts');
    expect(noted()).toHaveLength(2);
    expect(reasons).toHaveLength(1);
    schemas?.forget();
    await ask('a.ts');
    expect(noted()).toHaveLength(4);
  });

  it('is asked for a context alone when the file names Annotation or cannot be read', async () => {
    const ask = begin({ text: noting });
    expect(await ask('a.ts', 'context')).toBeNull();
    expect(noted()).toEqual([]);
    expect(reasons).toEqual([]);
    await Promise.all([ask('context.ts', 'context'), ask('context.ts')]);
    expect(noted()).toHaveLength(2);
    await ask('gone.ts', 'context');
    expect(noted()).toHaveLength(4);
  });

  it('comes from one process at a time', async () => {
    const ask = begin({ text: noting });
    await Promise.all([ask('slow-a.ts'), ask('slow-b.ts')]);
    const whats = noted().map((line) => line.split(' ')[0]);
    expect(whats).toEqual(['begin', 'end', 'begin', 'end']);
  });

  it('is not waited for when too many sources wait, and is asked for later', async () => {
    const ask = begin({ text: noting, maxWaiting: 0 });
    const held = ask('held.ts');
    await expect.poll(noted).toHaveLength(1);
    expect(await ask('a.ts')).toBeNull();
    expect(reasons).toEqual(['too many other sources wait for the compiler']);
    appendFileSync(project?.file('node_modules/typescript/open') ?? '', '');
    await held;
    await ask('a.ts');
    expect(noted()).toHaveLength(4);
  });

  it.each<[string, string | null, Partial<ProgramLimits>, string]>([
    ['is missing', null, {}, 'the project has no package `typescript`'],
    ['has no interface', '', {}, "the project's typescript (no version) has no interface for programs"],
    ['never returns', 'for (;;);', { timeMs: 1_500 }, 'the compiler took longer than 1500 ms'],
    [
      'takes all memory',
      'const all = []; for (;;) all.push(new Array(1_000).fill(all.length));',
      { memoryMegabytes: 64 },
      'the compiler needs more than 64 MB',
    ],
    [
      'writes without end',
      "for (;;) require('node:fs').writeSync(1, 'x'.repeat(1_000));",
      { answerBytes: 10_000 },
      'the schemas are larger than 10000 bytes',
    ],
    [
      'ends its process',
      "console.error('no licence'); process.exit(3);",
      {},
      'the compiler ended early: no licence',
    ],
    [
      'writes something else',
      "console.log('hello'); process.exit();",
      {},
      'the compiler wrote something else than schemas',
    ],
  ])('is nothing, with a warning, when it %s', async (_, text, limits, reason) => {
    const ask = begin({ text, limits });
    expect(await ask('a.ts')).toBeNull();
    expect(reasons).toEqual([expect.stringContaining(reason)]);
  });

  it('leaves no process behind when the gateway closes', async () => {
    const ask = begin({ text: noting });
    const asked = ask('held.ts');
    await expect.poll(noted).toHaveLength(1);
    schemas?.close();
    expect(await asked).toBeNull();
    await expect.poll(() => isProcessAlive(pidOf(noted()[0]))).toBe(false);
    expect(noted()).toHaveLength(1);
    expect(reasons).toEqual([]);
  });
});
