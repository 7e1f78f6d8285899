import { describe, expect, it } from 'vitest';
import { treeMove } from './tree-keys.ts';
import type { TimelineRow } from './tree-rows.ts';
import { panned, showing, viewFrom, viewText, wholeView, zoomed } from './view-range.ts';

const row = (id: string, level: number, isExpanded: boolean | null = null): TimelineRow =>
  ({ span: { id }, level, hasChildren: isExpanded !== null, isExpanded: isExpanded === true }) as TimelineRow;
const rows = [row('run', 1, true), row('tool', 2, true), row('task', 3, false), row('model', 2)];
const press = (key: string, focusedId: string | null) => treeMove(key, { rows, focusedId });

describe('the keys of the tree grid', () => {
  it('move to the next and the previous row, and stop at the ends', () => {
    expect(press('ArrowDown', 'run')).toEqual({ type: 'focus', id: 'tool' });
    expect(press('ArrowUp', 'run')).toEqual({ type: 'focus', id: 'run' });
    expect(press('ArrowDown', 'model')).toEqual({ type: 'focus', id: 'model' });
    expect(press('ArrowDown', null)).toEqual({ type: 'focus', id: 'run' });
  });

  it('jump to the first and the last row', () => {
    expect(press('Home', 'task')).toEqual({ type: 'focus', id: 'run' });
    expect(press('End', 'run')).toEqual({ type: 'focus', id: 'model' });
    expect(press('PageDown', 'run')).toEqual({ type: 'focus', id: 'model' });
  });

  it('open a closed row to the right, and then go to its first child', () => {
    expect(press('ArrowRight', 'task')).toEqual({ type: 'expand', id: 'task' });
    expect(press('ArrowRight', 'tool')).toEqual({ type: 'focus', id: 'task' });
    expect(press('ArrowRight', 'model')).toBeNull();
  });

  it('close an open row to the left, or go to its parent', () => {
    expect(press('ArrowLeft', 'tool')).toEqual({ type: 'collapse', id: 'tool' });
    expect(press('ArrowLeft', 'task')).toEqual({ type: 'focus', id: 'tool' });
    expect(press('ArrowLeft', 'model')).toEqual({ type: 'focus', id: 'run' });
  });

  it('leave other keys to the page', () => {
    expect(press('k', 'run')).toBeNull();
    expect(treeMove('ArrowDown', { rows: [], focusedId: null })).toBeNull();
  });
});

describe('what is shown of the axis', () => {
  it('zooms around the place under the pointer', () => {
    expect(zoomed(wholeView, 0.5, 0.25)).toEqual({ from: 0.125, to: 0.625 });
  });

  it('never shows more than the whole or less than a thousandth', () => {
    expect(zoomed({ from: 0.9, to: 1 }, 100)).toEqual(wholeView);
    const { from, to } = zoomed(wholeView, 0, 0.5);
    expect(to - from).toBeCloseTo(0.001);
  });

  it('stops at the ends when it is moved', () => {
    expect(panned({ from: 0.8, to: 1 }, 0.5)).toEqual({ from: 0.8, to: 1 });
    expect(panned({ from: 0.4, to: 0.6 }, -0.5).from).toBeCloseTo(0.3);
  });

  it('moves only when the place is outside it', () => {
    const view = { from: 0.4, to: 0.6 };
    expect(showing(view, 0.5)).toBe(view);
    expect(showing(view, 0.9).from).toBeCloseTo(0.8);
  });

  it('comes back from the address, and ignores what stands there by mistake', () => {
    expect(viewFrom(viewText({ from: 0.25, to: 0.5 }))).toEqual({ from: 0.25, to: 0.5 });
    for (const text of [null, '', 'x', '0.5-0.2', '-1-2', '0.5']) expect(viewFrom(text)).toEqual(wholeView);
    expect(viewText(wholeView)).toBe('');
  });
});
