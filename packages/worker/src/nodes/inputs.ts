import type { Input } from './node-class.ts';
import type { ImageValue, MaskValue } from './values.ts';

interface NumberRange {
  default: number;
  min: number;
  max: number;
  step?: number;
}

/** ComfyUI's own bound of sizes and offsets; the worker's `maxSide` may be smaller. */
const maxResolution = 16_384;

export const image = (): Input<ImageValue> => ({ type: 'IMAGE', options: {} });
export const mask = (): Input<MaskValue> => ({ type: 'MASK', options: {} });
export const anything = (): Input<unknown> => ({ type: '*', options: {} });
export const integer = (range: NumberRange): Input<number> => ({ type: 'INT', options: { ...range } });
export const decimal = (range: NumberRange): Input<number> => ({ type: 'FLOAT', options: { ...range } });
export const flag = (byDefault: boolean): Input<boolean> => ({
  type: 'BOOLEAN',
  options: { default: byDefault },
});

export const text = (options: { default?: string; multiline?: boolean } = {}): Input<string> => ({
  type: 'STRING',
  options,
});

export const choice = <const Choice extends string>(choices: readonly Choice[]): Input<Choice> => ({
  type: choices,
  options: {},
});

export const side = (byDefault: number, min = 1): Input<number> =>
  integer({ default: byDefault, min, max: maxResolution, step: 1 });

export const offset = (): Input<number> => side(0, 0);
