import { expect, it } from 'vitest';
import { graphTexts } from './graph-texts.ts';

const workflow = {
  '1': { class_type: 'KSampler', inputs: { seed: 5, sampler_name: 'euler', model: ['4', 0] } },
  '2': { class_type: 'Encode', inputs: { text: 'a {{thing}} in the wind' }, _meta: { title: 'Positive' } },
  '3': { class_type: 'Encode', inputs: { text: 'blurry' } },
  '4': 'no node',
};

it('are the texts that a person has written, with the params of the task in them', () => {
  expect(graphTexts(workflow, { thing: 'red kite', '3.text': 'low quality' })).toEqual([
    { key: '2.text', title: 'Positive', value: 'a red kite in the wind' },
    { key: '3.text', title: 'Encode', value: 'low quality' },
  ]);
});

it('keeps a placeholder that has no value', () => {
  expect(graphTexts(workflow, {})[0]?.value).toBe('a {{thing}} in the wind');
});
