import { readdirSync, readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { runCli } from './cli.ts';

const source = fileURLToPath(new URL('../../console/src', import.meta.url));

/** The first two words of each command that the console shows, with the options that stand in the same line. */
function shownCommands(): { words: string[]; options: string[] }[] {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /(?<!\.test)\.tsx?$/.test(name),
  );
  return files.flatMap((name) =>
    [
      ...readFileSync(`${source}/${name}`, 'utf8').matchAll(/['"`]switchyard ([a-z-]+)(?: ([a-z-]+))?(.*)/g),
    ].map(([, first = '', second, rest = '']) => ({
      words: second === undefined ? [first] : [first, second],
      options: [...rest.matchAll(/ (--[a-z-]+)/g)].map(([, option = '']) => option),
    })),
  );
}

async function helpOf(words: readonly string[]): Promise<{ code: number; help: string }> {
  let help = '';
  const output = {
    write: (text: string) => {
      help += text;
    },
  };
  const terminal = { env: {}, cwd: source, stdin: Readable.from([]), stdout: output, stderr: output };
  return { code: await runCli([...words, '--help'], terminal), help };
}

it('the console shows only commands that exist, with options that they take', async () => {
  const commands = shownCommands();
  expect(commands.length).toBeGreaterThan(40);
  for (const { words, options } of commands) {
    const [group = ''] = words;
    const { help: ofGroup } = await helpOf([group]);
    const isGroup = / <?\[?command/.test(/Usage: .*/.exec(ofGroup)?.[0] ?? '');
    const path = isGroup ? words : [group];
    const { code, help } = await helpOf(path);
    expect([path, code]).toEqual([path, 0]);
    expect(help).toContain(`Usage: switchyard ${path.join(' ')}`);
    for (const option of options) expect([path, option, help.includes(option)]).toEqual([path, option, true]);
  }
});
