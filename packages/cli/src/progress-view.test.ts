import { describe, expect, it } from 'vitest';
import { barText, progressView } from './progress-view.ts';

const running = {
  id: 'a',
  status: 'running',
  progress: 50,
  node: 'KSampler',
  instanceId: '127.0.0.1:8188',
} as const;
const waiting = { id: 'b', status: 'pending', progress: 0, node: null, instanceId: null } as const;
const failed = { id: 'c', status: 'failed', progress: 10, node: null, instanceId: '127.0.0.1:8188' } as const;

it('a bar shows the percentage of a task and its running node', () => {
  expect(barText(running, [running])).toMatch(/^█+░+ {2}50% {2}KSampler$/);
});

it('a bar for several tasks counts every ended task as done, whatever its result', () => {
  expect(barText(running, [running, failed])).toMatch(/ {2}75% {2}1\/2 {2}KSampler$/);
});

it('a bar shows that a task waits', () => {
  expect(barText(waiting, [waiting])).toMatch(/^░+ {3}0% {2}waiting for an instance$/);
});

describe('progress', () => {
  const shown = (output: { isTTY?: boolean; columns?: number }, env = {}) => {
    let text = '';
    const view = progressView({ write: (part) => (text += part), ...output }, env);
    view.show(waiting, [waiting, running]);
    view.show(running, [waiting, running]);
    view.show({ ...running, progress: 60 }, [waiting, running]);
    view.show(failed, [waiting, failed]);
    view.clear();
    return text;
  };

  it('is one changing line on a terminal, which is empty at the end', () => {
    const text = shown({ isTTY: true });
    expect(text).not.toContain('\n');
    expect(text.endsWith('\r\u001b[K')).toBe(true);
  });

  it('is never longer than the line', () => {
    const drawn = shown({ isTTY: true, columns: 20 }).split('\r\u001b[K');
    expect(Math.max(...drawn.map((line) => line.length))).toBe(19);
  });

  it.each([
    ['in a file', {}, {}],
    ['on a terminal that cannot move back', { isTTY: true }, { TERM: 'dumb' }],
  ])('is a line for each change of status %s', (_, output, env) => {
    expect(shown(output, env)).toBe('a  running on 127.0.0.1:8188\nc  failed\n');
  });
});
