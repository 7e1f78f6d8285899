import { describe, expect, it } from 'vitest';
import { type TreeSpan, timelineTree } from './timeline-tree.ts';

const at = (seconds: number): string => new Date(Date.UTC(2030, 0, 1) + seconds * 1000).toISOString();
const nowMs = Date.UTC(2030, 0, 1, 0, 0, 10);

function span(id: string, given: Partial<TreeSpan>): TreeSpan {
  const { kind = 'tool', name = null, start = at(0), end = null, state = 'running' } = given;
  return { id, parentId: null, kind, name, start, end, state, facts: [], ...given };
}

describe('the tree of a timeline', () => {
  it('shows each span below the one around it, on one time axis', () => {
    const spans = [
      span('r', { kind: 'run', name: 'lead', end: at(10), state: 'success' }),
      span('q', { kind: 'queue', parentId: 'r', end: at(5), state: 'success' }),
      span('m', { kind: 'model', name: 'demo', parentId: 'r', start: at(5), end: at(10), state: 'success' }),
    ];
    expect(timelineTree(spans, { nowMs, columns: 60 }).split('\n')).toEqual(
      [
        'run lead      ███████████████████████   10.00 s  success',
        '  queue       ░░░░░░░░░░░░···········    5.00 s  success',
        '  model demo  ···········████████████    5.00 s  success',
        '',
      ].map((line) => expect.stringMatching(shapeOf(line))),
    );
  });

  it('draws what has not ended until now', () => {
    const [line = ''] = timelineTree([span('t', { name: 'look' })], { nowMs }).split('\n');
    expect(line).toContain('10.00 s  running');
  });

  it('fits into the terminal, however long names are', () => {
    const spans = [
      span('a', { name: 'n'.repeat(200), end: at(4) }),
      span('b', { name: 'much', parentId: 'a', start: at(4), facts: ['x'.repeat(300)] }),
    ];
    for (const columns of [20, 80, 200]) {
      for (const line of timelineTree(spans, { nowMs, columns }).trimEnd().split('\n')) {
        expect(line.length).toBeLessThan(Math.max(columns, 31));
      }
    }
  });

  it('puts a span whose parent is not among the spans at the edge, and shows no control characters', () => {
    const lines = timelineTree([span('x', { name: 'a\u001b[31mb', parentId: 'gone' })], { nowMs });
    expect(lines.startsWith('tool a')).toBe(true);
    expect(lines).not.toContain('\u001b');
  });
});

/** The bars may be longer or shorter; the places and the order of the rows count. */
function shapeOf(line: string): RegExp {
  const pattern = line.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/[█░·]+/, '[█░·]+');
  return new RegExp(`^${pattern.replace(/ +/g, ' +')}$`);
}
