import { toByte } from './values.ts';

export const blendModes = ['normal', 'multiply', 'screen', 'overlay', 'soft_light', 'difference'] as const;
export type BlendMode = (typeof blendModes)[number];

/** The result for every pair of bytes, at `(lower << 8) | upper`. A table is quicker than computing each pixel. */
export function blendTable(mode: BlendMode, factor: number): Uint8Array {
  const table = new Uint8Array(256 * 256);
  for (let lower = 0; lower < 256; lower += 1) {
    for (let upper = 0; upper < 256; upper += 1) {
      const a = lower / 255;
      const mixed = a * (1 - factor) + blended(mode, a, upper / 255) * factor;
      table[(lower << 8) | upper] = toByte(mixed * 255);
    }
  }
  return table;
}

function blended(mode: BlendMode, a: number, b: number): number {
  switch (mode) {
    case 'normal':
      return b;
    case 'multiply':
      return a * b;
    case 'screen':
      return 1 - (1 - a) * (1 - b);
    case 'overlay':
      return a <= 0.5 ? 2 * a * b : 1 - 2 * (1 - a) * (1 - b);
    case 'soft_light':
      return b <= 0.5 ? a - (1 - 2 * b) * a * (1 - a) : a + (2 * b - 1) * (softCurve(a) - a);
    case 'difference':
      return a - b;
  }
}

function softCurve(a: number): number {
  return a <= 0.25 ? ((16 * a - 12) * a + 4) * a : Math.sqrt(a);
}
