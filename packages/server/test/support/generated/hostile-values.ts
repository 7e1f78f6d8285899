import type { SeededRandom } from './seeded-random.ts';

const texts = [
  '',
  ' ',
  ' 5 ',
  '\0',
  'a\0b',
  '%00',
  '%zz',
  '%',
  '_',
  '*',
  '\ud800',
  '\udfff\ud800',
  '.',
  '..',
  '../../../etc/passwd',
  '..\\..\\windows',
  '/',
  '//',
  '~',
  'C:\\x',
  'CON',
  "'; DROP TABLE users; --",
  '" OR 1=1',
  '$.a[0]',
  '<script>alert(1)</script>',
  '\u{1f4a5}',
  '\u202eabc',
  '\ufeff',
  '\u2028',
  '\u0130',
  'e\u0301',
  '\r\nX-Injected: 1',
  '\u001b[2J',
  `\${process.exit()}`,
  '{{x}}',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'null',
  'undefined',
  'true',
  'NaN',
  'Infinity',
  '1e400',
  '0x10',
  '-1',
  '0',
  '[]',
  '{}',
  'http://169.254.169.254/latest',
  'file:///etc/passwd',
  'javascript:alert(1)',
  '2030-13-45T99:99:99Z',
  '+275760-09-14T00:00:00.000Z',
  '-271821-04-19T00:00:00.000Z',
  '0000-00-00',
  '00000000-0000-0000-0000-000000000000',
  'a'.repeat(65),
  'a'.repeat(300),
  '\u20ac'.repeat(600),
  '9'.repeat(400),
  '-'.repeat(64),
  'a.b.c',
  ',',
  ',,,',
  'a,b,a',
];

const numbers = [
  0,
  -1,
  1,
  2,
  0.5,
  -0.5,
  255,
  65_536,
  2 ** 31 - 1,
  2 ** 31,
  -(2 ** 31) - 1,
  2 ** 32,
  2 ** 53 - 1,
  2 ** 53,
  -(2 ** 53),
  1e21,
  1e308,
  -1e308,
  5e-324,
];

export function hostileText(random: SeededRandom): string {
  if (random.chance(0.01)) return 'x'.repeat(70_000);
  return random.chance(0.1) ? random.pick(texts) + random.pick(texts) : random.pick(texts);
}

/** Text instead of a number. */
export function hostileDigits(random: SeededRandom): string {
  if (random.chance(0.3)) return String(hostileNumber(random));
  return random.pick([
    '1e400',
    '-1e400',
    'Infinity',
    'NaN',
    '0x10',
    ' 5 ',
    '',
    '1.5',
    '+1',
    '-0',
    '9'.repeat(400),
  ]);
}

function hostileNumber(random: SeededRandom): number {
  return random.pick(numbers);
}

/** A JSON value of any type. */
export function hostileValue(random: SeededRandom): unknown {
  const kinds = [
    () => hostileText(random),
    () => hostileNumber(random),
    () => random.pick([null, true, false]),
    () => [],
    () => ({}),
    () => [hostileText(random), hostileNumber(random), null],
    () => ({ [hostileText(random)]: hostileText(random), id: hostileNumber(random) }),
    () => nested(random.pick([5, 40, 70, 500])),
    () => Array.from({ length: random.pick([101, 1_500]) }, () => hostileNumber(random)),
    () => notJson(random.pick(['1e400', '-1e400', '{"__proto__":{"admin":true}}', '{"a":1,"a":2}', '-0'])),
  ];
  return random.pick(kinds)();
}

/** JSON that contains some raw text: numbers and keys that `JSON.stringify` does not write. */
export function jsonText(value: unknown): string {
  return (JSON.stringify(value) ?? '').replace(/"@raw:((?:[^"\\]|\\.)*)"/g, (_all, raw: string) =>
    JSON.parse(`"${raw}"`),
  );
}

function notJson(text: string): string {
  return `@raw:${text}`;
}

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level += 1) value = level % 2 ? [value] : { a: value };
  return value;
}
