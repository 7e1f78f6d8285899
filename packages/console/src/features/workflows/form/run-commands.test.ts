import { shellWord } from '@switchyard/contract/shell-word';
import { expect, it } from 'vitest';
import { runCommands } from './run-commands.ts';

it('writes the same run for a terminal, for the command line and for a program', () => {
  const commands = runCommands({
    origin: 'http://gate.lan:7300',
    workflowId: 'w1',
    name: 'my portrait',
    params: { prompt: "it's a kite", steps: 30, note: '12', at: '@home' },
  });
  expect(commands.cli).toBe(
    `switchyard workflows run 'my portrait' -p 'prompt=it'\\''s a kite' -p steps=30 -p 'note="12"' -p at=@@home --wait`,
  );
  expect(commands.curl).toContain('curl -X POST http://gate.lan:7300/api/workflows/w1/run');
  expect(commands.curl).toContain('"steps":30');
  expect(commands.client).toContain('params: {"prompt":"it\'s a kite"');
});

it('quotes for the shell what the shell would read', () => {
  expect(shellWord('cat.png')).toBe('cat.png');
  expect(shellWord('$(rm -rf)')).toBe("'$(rm -rf)'");
  expect(shellWord('')).toBe("''");
});
