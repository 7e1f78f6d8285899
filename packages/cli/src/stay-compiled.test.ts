import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';

/**
 * Two thousand functions run once and are left alone, while so many collections come that half of the compiled code is gone,
 * or until the rounds are over. The heap is small, so that they come soon. In a process of its own: the engine's flags hold
 * for a whole process.
 */
const leftAlone = ({ prepare, rounds }: { prepare: string; rounds: number }) => `
import { setTimeout } from 'node:timers/promises';
import { getHeapCodeStatistics } from 'node:v8';
import { runInThisContext } from 'node:vm';
${prepare}
const compiled = () => getHeapCodeStatistics().bytecode_and_metadata_size;
const sources = Array.from({ length: 2_000 }, (_, i) => 'function f' + i + '(a) { return a + ' + i + '; }');
const functions = runInThisContext('[' + sources + ']');
for (const each of functions) each(1);
const all = compiled();
let held = [];
let round = 0;
for (; round < ${rounds} && compiled() > all / 2; round += 1) {
  for (let i = 0; i < 20_000; i += 1) held.push({ i, list: [i] });
  if (round % 10 === 9) held = [];
  await setTimeout(1);
}
process.stdout.write(JSON.stringify({ left: compiled() / all, rounds: round, functions: functions.length }));
`;

function runAlone(left: { prepare: string; rounds: number }): { left: number; rounds: number } {
  const script = [
    '--max-old-space-size=40',
    '--import',
    'tsx',
    '--input-type=module',
    '--eval',
    leftAlone(left),
  ];
  return JSON.parse(execFileSync(process.execPath, script, { encoding: 'utf8' }));
}

const source = new URL('./stay-compiled.ts', import.meta.url).href;
const prepare = `const { stayCompiled } = await import(${JSON.stringify(source)});\nstayCompiled();`;

it('keeps code that has not run for a while, which the engine throws away by itself', () => {
  const byItself = runAlone({ prepare: '', rounds: 5_000 });
  expect(byItself.left).toBeLessThan(0.5);
  expect(runAlone({ prepare, rounds: byItself.rounds }).left).toBeGreaterThan(0.7);
});
