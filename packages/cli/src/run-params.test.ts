import { describe, expect, it } from 'vitest';
import { parseParams } from './run-params.ts';

describe('-p', () => {
  it.each([
    ['4.seed=7', '4.seed', { value: 7 }],
    ['flag=true', 'flag', { value: true }],
    ['list=[1,2]', 'list', { value: [1, 2] }],
    ['prompt=a red kite', 'prompt', { value: 'a red kite' }],
    ['prompt="7"', 'prompt', { value: '7' }],
    ['prompt=', 'prompt', { value: '' }],
    ['sum=a=b', 'sum', { value: 'a=b' }],
    ['Picture.image=@cat.png', 'Picture.image', { path: 'cat.png' }],
    ['handle=@@cat', 'handle', { value: '@cat' }],
  ])('%s', (text, name, given) => {
    expect([...parseParams([text])]).toEqual([[name, given]]);
  });

  it.each(['nothing', '=value', ''])('"%s" is refused with what to write', (text) => {
    expect(() => parseParams([text])).toThrow('write key=value or key=@file');
  });

  it('refuses a name that is given twice', () => {
    expect(() => parseParams(['a=1', 'a=2'])).toThrow('-p a is given twice.');
  });
});
