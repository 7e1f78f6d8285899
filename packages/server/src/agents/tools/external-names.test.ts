import { describe, expect, it } from 'vitest';
import { withNamesOfTheirOwn } from './external-names.ts';
import type { ExternalTool } from './external-tool.ts';

const taken = new Set(['read_file', 'mcp_read_file', 'write_todos']);

describe('names of tools of other servers', () => {
  it.each([
    [['git_log'], ['git_log']],
    [['write_todos'], ['mcp_write_todos']],
    [['read_file'], ['mcp_read_file_2']],
    [['workflow_portrait'], ['mcp_workflow_portrait']],
    [
      ['mcp_write_todos', 'write_todos'],
      ['mcp_write_todos', 'mcp_write_todos_2'],
    ],
  ])('of %j are %j', (names, expected) => {
    expect(named(names)).toEqual(expected);
  });

  it('are never too long', () => {
    const long = `workflow_${'x'.repeat(55)}`;

    expect(named([long, `${long.slice(0, 60)}yyyy`]).map(({ length }) => length)).toEqual([64, 64]);
    expect(new Set(named([long, `${long.slice(0, 60)}yyyy`])).size).toBe(2);
  });

  it('that differ from those of the servers are logged', () => {
    const lines: [object, string][] = [];
    const log = { warn: (details: object, message: string) => lines.push([details, message]) };
    withNamesOfTheirOwn([tool('git_log'), tool('write_todos')], { taken, log });

    expect(lines).toEqual([
      [
        { server: 'git', tool: 'write_todos', name: 'mcp_write_todos' },
        'A tool of an MCP server has the name of a gateway tool; agents see it under another name',
      ],
    ]);
  });
});

function named(names: string[]): string[] {
  return withNamesOfTheirOwn(names.map(tool), { taken, log: { warn: () => {} } }).map(({ name }) => name);
}

function tool(name: string): ExternalTool {
  return {
    name,
    server: 'git',
    description: '',
    inputSchema: {},
    call: async () => ({ text: '', files: [] }),
  };
}
