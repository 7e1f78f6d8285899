/** The page to which each key leads after "g". */
export const goKeys: Readonly<Record<string, string>> = {
  o: 'overview',
  t: 'tasks',
  i: 'instances',
  w: 'workflows',
  c: 'chat',
  r: 'runs',
  u: 'usage',
};

export const goMs = 1_500;

/** Returns whether the key still belongs to the "g" before it. */
export function isGoing(pressedAtMs: number | null, nowMs: number): boolean {
  return pressedAtMs !== null && nowMs - pressedAtMs <= goMs;
}
