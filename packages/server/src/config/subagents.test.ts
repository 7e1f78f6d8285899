import { describe, expect, it } from 'vitest';
import { ConfigError } from './faults.ts';
import { loadConfig } from './load.ts';
import { readSubagents } from './subagents.ts';

const keys = { description: 'Finds things.', system_prompt: 'You find things.' };

describe('sub-agents', () => {
  it('can be written as a list, or as a map keyed by name', () => {
    expect(readSubagents({ finder: keys })).toEqual(readSubagents([{ name: 'finder', ...keys }]));
    expect(readSubagents({ finder: { ...keys, tools: ['run_workflow'], max_turns: '7' } })).toEqual([
      {
        name: 'finder',
        ...keys,
        tools: ['run_workflow'],
        model: null,
        max_turns: 7,
        timeout_seconds: null,
      },
    ]);
  });

  it.each([
    ['text', 'a list of sub-agents, or a map'],
    [['finder'], '[0] must hold keys: name'],
    [{ Finder: keys }, '.Finder.name must be a name of small letters'],
    [{ finder: { system_prompt: 'x' } }, '.finder.description is missing'],
    [{ finder: null }, '.finder.description is missing'],
    [
      [
        { name: 'a', ...keys },
        { name: 'a', ...keys },
      ],
      'two sub-agents of the name "a"',
    ],
    [{ finder: { ...keys, prompt: 'x' } }, '.finder has the unknown key "prompt"'],
    [{ finder: { ...keys, tools: 'all' } }, '.finder.tools must be a list of names'],
    [{ finder: { ...keys, max_turns: 0 } }, '.finder.max_turns must be a whole number, from 1 to 500'],
    [{ finder: { ...keys, timeout_seconds: 0.5 } }, '.finder.timeout_seconds must be a whole number'],
  ])('refuse %j', (data, message) => {
    expect(() => readSubagents(data)).toThrow(RangeError);
    expect(() => readSubagents(data)).toThrow(message);
  });

  it('must use models that exist', () => {
    const env = (model: string) => ({
      SWITCHYARD__MODELS: '{"fast":{}}',
      SWITCHYARD__SUBAGENTS__AGENTS: JSON.stringify({ finder: { ...keys, model } }),
    });

    expect(loadConfig({ env: env('fast'), cwd: '/nowhere' }).config.subagents.agents).toMatchObject([
      { name: 'finder', model: 'fast' },
    ]);
    expect(() => loadConfig({ env: env('slow'), cwd: '/nowhere' })).toThrow(ConfigError);
  });
});
