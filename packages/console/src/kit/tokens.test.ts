import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const css = readFileSync(new URL('./tokens.css', import.meta.url), 'utf8');
const [light = '', dark = ''] = [...css.matchAll(/^:root[^{]*\{([^}]*)\}/gm)].map(([, rules = '']) => rules);

function tokensOf(rules: string): Map<string, string> {
  return new Map(
    [...rules.matchAll(/--([\w-]+): (#[\da-f]{6});/g)].map(([, name = '', hex = '']) => [name, hex]),
  );
}

/** As WCAG 2.2 computes it. */
function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance(hex: string): number {
  const parts = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255);
  const [red = 0, green = 0, blue = 0] = parts.map((part) =>
    part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4,
  );
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

it.each([
  ['light', light],
  ['dark', dark],
])('every colour of a state can be read on its tint, %s', (_, rules) => {
  const tokens = tokensOf(rules);
  const tinted = [...tokens.keys()].filter((name) => tokens.has(`${name}-tint`));
  expect(tinted).toEqual(['waiting', 'running', 'done', 'failed', 'off', 'paused']);
  for (const name of tinted) {
    const ratio = contrast(tokens.get(name) ?? '', tokens.get(`${name}-tint`) ?? '');
    expect(ratio, name).toBeGreaterThanOrEqual(4.5);
  }
});
