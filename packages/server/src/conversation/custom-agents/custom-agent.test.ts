import { describe, expect, it } from 'vitest';
import { agentNameIn, changed, newCustomAgent, settingsIn, settingsText } from './custom-agent.ts';

const settingsOf = (description: string) => {
  const { soul: _soul, ...settings } = changed(newCustomAgent('a'), { description });
  return settings;
};

describe('the settings of an agent', () => {
  const hard = [
    'yes',
    'null',
    '1e3',
    '',
    ' spaces \n\n around\t',
    'a: b # c\n---\n...\n- d',
    '\r\n\r',
    '"quoted" \'twice\' \\n',
    'é 🦩 \u2028 \u0085 \ufeff \u0001',
    `${'long words '.repeat(150)}`,
    '*alias &anchor !tag |\n>',
  ];
  it.each(hard)('are read from their file as they were written: %j', (description) => {
    expect(settingsIn('a', settingsText(settingsOf(description), null))).toEqual(settingsOf(description));
  });

  it('have defaults for what the file leaves out, and ignore what it adds', () => {
    expect(settingsIn('a', 'name: other\nsoul: stolen\nskills: [x]\n')).toEqual({
      ...settingsOf(''),
      skills: ['x'],
    });
  });

  it('keep unknown keys, and overwrite their own', () => {
    const text = settingsText(settingsOf('new'), 'description: old\nmodel_settings: { temperature: 1 }\n');
    expect(settingsIn('a', text).description).toBe('new');
    expect(text).toContain('temperature: 1');
  });

  it('do not change the prototype of any object', () => {
    const text = settingsText(settingsOf('x'), '__proto__: { polluted: true }\n');
    expect(settingsIn('a', text).description).toBe('x');
    expect(Object.keys({})).toEqual([]);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it.each(['[', 'a', '3', '', '[1]', `${'['.repeat(2_000)}`, 'description: !!binary eA==', 'model: 3'])(
    'are refused as broken: %.20j',
    (text) => {
      expect(() => settingsIn('a', text)).toThrow(expect.objectContaining({ code: 'agent_corrupted' }));
    },
  );
});

describe('the name of an agent', () => {
  it.each([
    ['Image_Maker', 'image-maker'],
    [' a1 ', 'a1'],
    ['A--B-', 'a--b-'],
  ])('%j is %s', (written, name) => expect(agentNameIn(written)).toBe(name));

  it.each(['', ' ', '..', 'a/b', 'a.b', 'K\u212aé', 'x'.repeat(65), 'a\u0000'])('is not %j', (written) =>
    expect(agentNameIn(written)).toBeNull(),
  );
});
