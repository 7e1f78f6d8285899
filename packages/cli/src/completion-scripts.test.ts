import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli } from './cli.ts';
import { type CompletedShell, completedShells } from './completion-scripts.ts';

const scripts = new Map<CompletedShell, string>();
const folder = temporaryFolder();
const emptyFolder = join(folder.path, 'empty');
afterAll(() => folder.remove());

beforeAll(async () => {
  mkdirSync(emptyFolder);
  for (const shell of completedShells) {
    let script = '';
    const stdout = {
      write: (text: string) => {
        script += text;
      },
    };
    const terminal = { env: {}, cwd: '/', stdin: Readable.from([]), stdout, stderr: stdout };
    expect(await runCli(['completion', shell], terminal)).toBe(0);
    scripts.set(shell, script);
  }
});

const isInstalled = (shell: CompletedShell): boolean => spawnSync(shell, ['-c', 'true']).status === 0;
const readOnly: Record<CompletedShell, string> = { bash: '-n', zsh: '-n', fish: '--no-execute' };

describe.each(completedShells)('the script for %s', (shell) => {
  it('names the commands, their options and the values of an option', () => {
    const script = scripts.get(shell) ?? '';
    for (const part of ['users', 'set-role', 'system', 'output', 'table json'])
      expect(script).toContain(part);
  });

  it.skipIf(!isInstalled(shell))(`is accepted by ${shell}, where ${shell} is installed`, () => {
    const file = join(folder.path, shell);
    writeFileSync(file, scripts.get(shell) ?? '');
    const { status, stderr } = spawnSync(shell, [readOnly[shell], file], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
  });
});

/** Asks a shell what may stand in the place of the last word. */
const completedIn: Record<CompletedShell, (words: string[]) => { program: string; args: string[] }> = {
  bash: (words) => ({
    program: `${scripts.get('bash')}
COMP_WORDS=(switchyard ${quoted(words)}); COMP_CWORD=${words.length}; _switchyard; printf '%s\\n' "\${COMPREPLY[@]}"`,
    args: ['-c'],
  }),
  // Outside of its line editor, zsh has no command that takes the candidates: this one prints those that fit.
  zsh: (words) => ({
    program: `${scripts.get('zsh')}
compadd() { shift; print -rl -- "\${(M)@:#\${words[CURRENT]}*}" }
_files() { }
words=(switchyard ${quoted(words)}); CURRENT=${words.length + 1}; _switchyard`,
    args: ['-f', '-c'],
  }),
  fish: (words) => ({
    program: `${scripts.get('fish')}
complete -C ${quoted([['switchyard', ...words].join(' ')])} | string split --fields 1 \\t`,
    args: ['--no-config', '-c'],
  }),
};

function quoted(words: readonly string[]): string {
  return words.map((word) => `'${word}'`).join(' ');
}

describe.each(completedShells)('in %s', (shell) => {
  function completed(...words: string[]): string[] {
    const { program, args } = completedIn[shell](words);
    const { stdout, stderr } = spawnSync(shell, [...args, program], { encoding: 'utf8', cwd: emptyFolder });
    expect(stderr).toBe('');
    return stdout.split('\n').filter((word) => word !== '');
  }

  it.skipIf(!isInstalled(shell))(
    `completes commands, their commands, options, and the values of an option, where ${shell} is installed`,
    () => {
      expect(completed('us')).toEqual(['usage', 'users']);
      expect(completed('users', 'set')).toEqual(['set-role']);
      expect(completed('users', 'list', '--se')).toEqual(['--search']);
      expect(completed('users', 'list', '-o', '').sort()).toEqual(['json', 'table']);
      expect(completed('users', 'list', '-o', 'json', '--li')).toEqual(['--limit']);
      expect(completed('tasks', 'list', '--status', 'fa')).toEqual(['failed']);
    },
  );

  it.skipIf(!isInstalled(shell))(
    `offers nothing of its own where a value is free, so that the shell offers files, where ${shell} is installed`,
    () => {
      expect(completed('agents', 'create', 'x', '--soul', 'pain')).toEqual([]);
    },
  );
});
