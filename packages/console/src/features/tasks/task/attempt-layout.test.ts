import { expect, it } from 'vitest';
import { layOutAttempts } from './attempt-layout.ts';

const at = (second: number) => new Date(Date.parse('2026-01-01T00:00:00Z') + second * 1_000).toISOString();
const attempt = (number: number, instanceId: string, from: number, to: number | null) => ({
  attempt: number,
  instanceId,
  outcome: to === null ? null : 'lost',
  startedAt: at(from),
  endedAt: to === null ? null : at(to),
});
const frame = { createdAt: at(0), nowMs: Date.parse(at(100)) };

it('shows attempts on one axis that begins with the submission, a line for each instance', () => {
  const { instances } = layOutAttempts(
    [attempt(1, 'a', 20, 40), attempt(2, 'b', 50, 60), attempt(3, 'a', 80, 100)],
    frame,
  );
  expect(
    instances.map(({ instanceId, bars }) => [instanceId, bars.map(({ left, width }) => [left, width])]),
  ).toEqual([
    [
      'a',
      [
        [20, 20],
        [80, 20],
      ],
    ],
    ['b', [[50, 10]]],
  ]);
});

it('lets an attempt that goes on reach until now', () => {
  const { instances, toMs } = layOutAttempts([attempt(1, 'a', 50, null)], frame);
  expect(instances[0]?.bars[0]).toMatchObject({ left: 50, width: 50, ms: 50_000 });
  expect(toMs).toBe(frame.nowMs);
});

it('keeps a very short attempt visible and inside the strip', () => {
  const { instances } = layOutAttempts([attempt(1, 'a', 0, 50), attempt(2, 'b', 100, 100)], frame);
  const bar = instances[1]?.bars[0];
  expect(bar?.width).toBeGreaterThan(0.5);
  expect((bar?.left ?? 0) + (bar?.width ?? 0)).toBeLessThanOrEqual(100);
});
