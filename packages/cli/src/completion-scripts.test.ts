import { spawnSync } from 'node:child_process';
import { Readable } from 'node:stream';
import { beforeAll, describe, expect, it } from 'vitest';
import { runCli } from './cli.ts';
import { type CompletedShell, completedShells } from './completion-scripts.ts';

const scripts = new Map<CompletedShell, string>();

beforeAll(async () => {
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
    const { status, stderr } = spawnSync(shell, [readOnly[shell]], {
      input: scripts.get(shell),
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([0, '']);
  });
});

describe.skipIf(!isInstalled('bash'))('in bash, where bash is installed', () => {
  function completed(...words: string[]): string[] {
    const list = ['switchyard', ...words].map((word) => `'${word}'`).join(' ');
    const line = `COMP_WORDS=(${list}); COMP_CWORD=${words.length}; _switchyard; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout, stderr } = spawnSync('bash', ['-c', `${scripts.get('bash')}\n${line}`], {
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    return stdout.split('\n').filter((word) => word !== '');
  }

  it('completes commands, their commands, options, and the values of an option', () => {
    expect(completed('us')).toEqual(['usage', 'users']);
    expect(completed('users', 'set')).toEqual(['set-role']);
    expect(completed('users', 'list', '--se')).toEqual(['--search']);
    expect(completed('users', 'list', '-o', '')).toEqual(['table', 'json']);
    expect(completed('users', 'list', '-o', 'json', '--li')).toEqual(['--limit']);
    expect(completed('tasks', 'list', '--status', 'fa')).toEqual(['failed']);
  });

  it('offers nothing of its own where a value is free, so that the shell offers files', () => {
    expect(completed('agents', 'create', 'x', '--soul', 'pain')).toEqual([]);
  });
});
