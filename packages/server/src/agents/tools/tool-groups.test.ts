import { toolGroups } from '@switchyard/contract/conversation/agent';
import { describe, expect, it } from 'vitest';
import { hasTool, serversOf } from './tool-groups.ts';

const servers = serversOf([
  { name: 'a_b_list', server: 'a' },
  { name: 'a_b_list_2', server: 'a_b' },
  { name: 'workflow_like', server: 'workflow' },
]);
const has = (groups: readonly string[] | null, name: string) => hasTool(groups, name, servers);

describe('tool groups', () => {
  it('set no limit when there are none', () => {
    expect(['ls', 'task', 'a_b_list', 'workflow_x', 'unheard_of'].every((name) => has(null, name))).toBe(
      true,
    );
  });

  it('leave every agent what it needs for any turn', () => {
    expect(['ask_clarification', 'present_files', 'write_todos'].every((name) => has([], name))).toBe(true);
    expect(['ls', 'task', 'a_b_list', 'workflow_x', 'unheard_of'].some((name) => has([], name))).toBe(false);
  });

  it.each([
    ['file:read', 'read_file', 'write_file'],
    ['file:write', 'write_file', 'read_file'],
    ['workflows', 'workflow_portrait', 'task'],
    ['workflows', 'run_workflow', 'a_b_list'],
    ['subagents', 'task', 'run_workflow'],
  ])('%s has %s and not %s', (group, one, other) => {
    expect([has([group], one), has([group], other)]).toEqual([true, false]);
  });

  it('distinguish tools of different servers that have the same name', () => {
    expect([has(['mcp:a'], 'a_b_list'), has(['mcp:a'], 'a_b_list_2')]).toEqual([true, false]);
    expect([has(['mcp:a_b'], 'a_b_list'), has(['mcp:a_b'], 'a_b_list_2')]).toEqual([false, true]);
    expect(has(['mcp'], 'a_b_list')).toBe(true);
  });

  it('of a server take precedence over the names of its tools', () => {
    expect([has(['workflows'], 'workflow_like'), has(['mcp:workflow'], 'workflow_like')]).toEqual([
      false,
      true,
    ]);
  });

  it('together contain only known tools', () => {
    expect(has([...toolGroups], 'unheard_of')).toBe(false);
  });
});
