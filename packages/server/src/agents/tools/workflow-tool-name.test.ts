import { describe, expect, it } from 'vitest';
import { toolNamesOf } from './workflow-tool-name.ts';

describe('names of tools', () => {
  it.each([
    [['Portrait'], ['workflow_portrait']],
    [['Mein Bild (größer)!'], ['workflow_mein_bild_gro_er']],
    [['Café'], ['workflow_cafe']],
    [
      ['A b', 'a-B', 'a_b'],
      ['workflow_a_b', 'workflow_a_b_2', 'workflow_a_b_3'],
    ],
    [['run_workflow'], ['workflow_run_workflow']],
    [['人像'], ['workflow_id_0']],
  ])('of %j are %j', (names, expected) => {
    const saved = names.map((name, index) => ({ id: `id-${index}`, name }));

    expect(toolNamesOf(saved)).toEqual(expected);
  });

  it('are never too long and still unique', () => {
    const names = toolNamesOf([1, 2, 3].map((id) => ({ id: String(id), name: 'x'.repeat(100) })));

    expect(new Set(names).size).toBe(3);
    for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
  });
});
