import { expect, it } from 'vitest';
import { readLanggraphConfig } from './langgraph-config.ts';

it('LANGGRAPH_CONFIG gives the assistant of a graph its config and its context', () => {
  const text = JSON.stringify({
    agent: { configurable: { tone: 'dry' }, recursion_limit: 7, tags: ['a'], context: { user: 'ada' } },
  });
  expect(readLanggraphConfig(text).get('agent')).toEqual({
    config: { configurable: { tone: 'dry' }, recursion_limit: 7, tags: ['a'] },
    context: { user: 'ada' },
  });
  expect(readLanggraphConfig(undefined).size).toBe(0);
});

it.each([
  ['{', 'LANGGRAPH_CONFIG: is not valid JSON'],
  ['[]', 'LANGGRAPH_CONFIG: must be an object'],
  ['{"agent": 3}', 'LANGGRAPH_CONFIG: agent must be an object'],
  ['{"agent": {"config": {}}}', 'LANGGRAPH_CONFIG: agent.config is unknown'],
  ['{"agent": {"configurable": []}}', 'LANGGRAPH_CONFIG: agent.configurable must be an object'],
  ['{"agent": {"tags": "a"}}', 'LANGGRAPH_CONFIG: agent.tags must be a list of texts'],
  ['{"agent": {"recursion_limit": 0}}', 'LANGGRAPH_CONFIG: agent.recursion_limit must be a whole number'],
])('LANGGRAPH_CONFIG is refused with its place: %s', (text, fault) => {
  expect(() => readLanggraphConfig(text)).toThrow(fault);
});
