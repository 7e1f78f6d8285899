import { describe, expect, it } from 'vitest';
import { barOf } from './bar-geometry.ts';
import { filmFrames } from './film-strip.ts';
import { mergedSpans, spanOfTask, type TimelineSpan } from './span.ts';
import { ticksOf } from './ticks.ts';
import { timeAxis } from './time-axis.ts';
import { wholeView } from './view-range.ts';

const startMs = Date.parse('2026-01-01T00:00:00Z');
const span = (
  id: string,
  from: number,
  to: number | null,
  more: Partial<TimelineSpan> = {},
): TimelineSpan => ({
  id,
  parentId: 'run',
  kind: 'model',
  name: id,
  attempt: null,
  startMs: startMs + from,
  endMs: to === null ? null : startMs + to,
  state: 'success',
  tokens: null,
  cost: null,
  currency: null,
  simulated: false,
  workerSeconds: null,
  toolCallId: null,
  taskId: null,
  instanceName: null,
  ...more,
});
const run = (to: number | null) => span('run', 0, to, { parentId: null, kind: 'run' });
const shown = { nowMs: startMs + 20_000, hidesIdle: false };

describe('the time axis', () => {
  it('runs from the first start to the last end', () => {
    const axis = timeAxis([run(10_000), span('a', 2_000, 4_000)], shown);
    expect(axis.at(startMs)).toBe(0);
    expect(axis.at(startMs + 2_000)).toBeCloseTo(0.2);
    expect(axis.at(startMs + 10_000)).toBe(1);
    expect(axis.timeAt(0.5)).toBe(startMs + 5_000);
  });

  it('ends now while something goes on', () => {
    expect(timeAxis([run(null)], shown).toMs).toBe(shown.nowMs);
  });

  it('stands still when nothing took any time', () => {
    const axis = timeAxis([run(0)], shown);
    expect(axis.at(startMs)).toBe(0);
    expect(timeAxis([], shown).at(startMs)).toBe(0);
  });

  it('draws hidden idle time as a short break and gives work the room', () => {
    const spans = [run(100_000), span('first', 0, 1_000), span('last', 99_000, 100_000)];
    const axis = timeAxis(spans, { ...shown, hidesIdle: true });
    expect(axis.segments.map(({ isIdle }) => isIdle)).toEqual([false, true, false]);
    expect(axis.at(startMs + 1_000)).toBeCloseTo(0.49, 2);
    expect(axis.at(startMs + 99_000)).toBeCloseTo(0.51, 2);
  });

  it('counts a wait in a queue as idle, although the tool call goes on', () => {
    const tool = span('tool', 0, 60_000, { kind: 'tool' });
    const queue = span('wait', 100, 55_000, { kind: 'queue', parentId: 'tool' });
    const node = span('node', 55_000, 60_000, { kind: 'node', parentId: 'tool' });
    const axis = timeAxis([run(60_000), tool, queue, node], { ...shown, hidesIdle: true });
    expect(axis.at(startMs + 55_000)).toBeLessThan(0.05);
  });

  it('finds the moment of each place again while idle time is hidden', () => {
    const spans = [run(100_000), span('a', 0, 1_000), span('b', 50_000, 51_000), span('c', 99_000, 100_000)];
    const axis = timeAxis(spans, { ...shown, hidesIdle: true });
    for (const ms of [0, 500, 1_000, 20_000, 50_500, 80_000, 99_999]) {
      expect(axis.timeAt(axis.at(startMs + ms))).toBeCloseTo(startMs + ms, -1);
    }
  });
});

describe('the bar of a span', () => {
  const axis = timeAxis([run(10_000)], shown);
  const bar = (one: TimelineSpan, view = wholeView) => barOf(one, { axis, view, nowMs: shown.nowMs });

  it('agrees with the times of the span', () => {
    expect(bar(span('a', 2_500, 5_000))).toEqual({
      left: 25,
      width: 25,
      isCutLeft: false,
      isCutRight: false,
    });
  });

  it('is cut at the edges of what is shown, and says at which', () => {
    expect(bar(span('a', 2_000, 8_000), { from: 0.4, to: 0.6 })).toEqual({
      left: 0,
      width: 100,
      isCutLeft: true,
      isCutRight: true,
    });
  });

  it('is absent when the span lies outside what is shown', () => {
    expect(bar(span('a', 2_000, 3_000), { from: 0.4, to: 0.6 })).toBeNull();
  });

  it('keeps its place when the clock of a worker puts the end before the start', () => {
    expect(bar(span('a', 5_000, 4_000))).toMatchObject({ left: 50, width: 0 });
  });
});

describe('the ticks of the axis', () => {
  it('are round times that leave room for their labels', () => {
    const ticks = ticksOf(timeAxis([run(10_000)], shown), wholeView);
    expect(ticks.map(({ sinceMs }) => sinceMs)).toEqual([
      0, 1_000, 2_000, 3_000, 4_000, 5_000, 6_000, 7_000, 8_000, 9_000, 10_000,
    ]);
  });

  it('become finer when the view is zoomed', () => {
    const ticks = ticksOf(timeAxis([run(10_000)], shown), { from: 0.5, to: 0.51 });
    expect(ticks.map(({ sinceMs }) => sinceMs)).toEqual([
      5_000, 5_010, 5_020, 5_030, 5_040, 5_050, 5_060, 5_070, 5_080, 5_090, 5_100,
    ]);
  });

  it('stay few when a day of waiting is hidden between two seconds of work', () => {
    const day = 86_400_000;
    const spans = [run(day), span('a', 0, 1_000), span('b', day - 1_000, day)];
    const ticks = ticksOf(timeAxis(spans, { ...shown, hidesIdle: true }), wholeView);
    expect(ticks.length).toBeGreaterThan(3);
    expect(ticks.length).toBeLessThan(13);
  });
});

describe('the film strip', () => {
  const axis = timeAxis([run(10_000)], shown);
  const picture = (id: string, atMs: number) => ({ id, atMs: startMs + atMs, alt: id, source: null });
  const strip = (...pictures: ReturnType<typeof picture>[]) =>
    filmFrames(pictures, { axis, view: wholeView, frameWidth: 10 });

  it('centres a picture over its moment', () => {
    expect(strip(picture('a', 5_000))).toMatchObject([{ left: 45, moment: 50, hidden: 0 }]);
  });

  it('moves a picture beside one that was there at the same time, and counts those without room', () => {
    const frames = strip(picture('a', 5_000), picture('b', 5_000), picture('c', 5_000), picture('d', 5_000));
    expect(frames.map(({ left }) => left)).toEqual([45, 55]);
    expect(frames[1]?.hidden).toBe(2);
  });

  it('shows a finished picture in the place of a preview when there is no room for both', () => {
    const preview = (id: string, atMs: number) => ({ ...picture(id, atMs), isPreview: true });
    const crowd = ['a', 'b', 'c'].map((id) => preview(id, 5_000));
    const frames = strip(...crowd, picture('done', 5_000), preview('late', 5_000));
    expect(frames.map(({ picture: { id }, hidden }) => [id, hidden])).toEqual([
      ['a', 0],
      ['done', 3],
    ]);
  });

  it('leaves out pictures outside what is shown', () => {
    const frames = filmFrames([picture('a', 1_000)], { axis, view: { from: 0.5, to: 1 }, frameWidth: 10 });
    expect(frames).toEqual([]);
  });
});

describe('a growing timeline', () => {
  it('replaces a span by its id and keeps the order', () => {
    const known = [span('a', 0, null, { state: 'running' }), span('b', 10, 20)];
    const merged = mergedSpans(known, [span('c', 5, 6), span('a', 0, 30)]);
    expect(merged.map(({ id, endMs }) => [id, (endMs ?? 0) - startMs])).toEqual([
      ['a', 30],
      ['c', 6],
      ['b', 20],
    ]);
  });

  it('reads the spans of a task alone', () => {
    const read = spanOfTask({
      id: 't',
      parentId: null,
      kind: 'task',
      name: 'Portrait',
      attempt: null,
      start: '2026-01-01T00:00:00Z',
      end: null,
      state: 'running',
      workerSeconds: 3,
      cost: null,
      currency: null,
      links: { taskId: 't', instanceId: 'x', instanceName: 'box', nodeId: null },
    });
    expect(read).toMatchObject({ startMs, endMs: null, workerSeconds: 3, taskId: 't', instanceName: 'box' });
  });
});
