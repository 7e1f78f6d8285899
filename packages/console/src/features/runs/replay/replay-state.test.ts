import type { RunEvent } from '@switchyard/contract/conversation/run-event';
import { describe, expect, it } from 'vitest';
import type { TimelineSpan } from '../../../kit/timeline/span.ts';
import { timeAxis } from '../../../kit/timeline/time-axis.ts';
import { movePlayer, type Player } from './replay-player.ts';
import { momentsOf, type ShownCall, stateAt } from './replay-state.ts';
import { replayTrack } from './replay-track.ts';

const startMs = Date.parse('2026-01-01T00:00:00Z');
let seq = 0;

function event(
  atMs: number,
  event_type: string,
  { category = 'trace', content = '', metadata = {} }: Partial<RunEvent> = {},
): RunEvent {
  seq += 1;
  const created_at = new Date(startMs + atMs).toISOString();
  return {
    thread_id: 't',
    run_id: 'r',
    user_id: 'u',
    event_type,
    category,
    content,
    metadata,
    seq,
    created_at,
  };
}

function span(
  id: string,
  kind: TimelineSpan['kind'],
  from: number,
  to: number | null,
  more: Partial<TimelineSpan> = {},
): TimelineSpan {
  return {
    id,
    parentId: null,
    kind,
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
  };
}

const call = { tool_call_id: 'call' };
const events = [
  event(0, 'human_message', { category: 'message', content: { id: 'h', content: 'invert it' } }),
  event(1_000, 'ai_tool_call', {
    category: 'message',
    content: {
      id: 'a1',
      content: 'I run this.',
      response_metadata: { simulated: true },
      tool_calls: [{ id: 'call', name: 'run_workflow', args: { width: 8 } }],
    },
    metadata: { caller: 'lead_agent' },
  }),
  event(1_100, 'tool_start', { metadata: call }),
  event(1_200, 'worker_task_submitted', { metadata: { ...call, task_id: 'task' } }),
  event(9_000, 'worker_task_completed', {
    metadata: {
      ...call,
      task_id: 'task',
      files: [{ file_id: 'f', filename: 'out.png', content_type: 'image/png', url: 'https://x' }],
    },
  }),
  event(9_100, 'tool_end', { metadata: { ...call, status: 'success' } }),
  event(9_200, 'tool_result', {
    category: 'message',
    content: { id: 'r1', content: 'made 1 file', ...call },
  }),
  event(9_900, 'ai_message', {
    category: 'message',
    content: { id: 'm', content: 'A title.' },
    metadata: { caller: 'middleware' },
  }),
  event(10_000, 'ai_message', {
    category: 'message',
    content: { id: 'a2', content: [{ type: 'text', text: 'Done.' }] },
  }),
  event(10_100, 'run_end', { category: 'lifecycle', metadata: { status: 'success' } }),
];
const spans = [
  span('run', 'run', 0, 10_100),
  span('model', 'model', 200, 1_000, { parentId: 'run' }),
  span('tool', 'tool', 1_100, 9_100, { parentId: 'run', toolCallId: 'call' }),
  span('task', 'task', 1_150, 8_900, {
    parentId: 'tool',
    toolCallId: 'call',
    taskId: 'task',
    name: 'Invert',
  }),
  span('task.queue', 'queue', 1_150, 2_000, { parentId: 'task', taskId: 'task' }),
  span('task.1', 'attempt', 2_000, 3_000, {
    parentId: 'task',
    taskId: 'task',
    name: 'box-1',
    state: 'interrupted',
  }),
  span('task.2', 'attempt', 4_000, 8_900, { parentId: 'task', taskId: 'task', name: 'box-2' }),
  span('n1', 'node', 4_000, 5_000, { parentId: 'task.2', taskId: 'task', name: 'Load' }),
  span('n2', 'node', 5_000, 8_000, { parentId: 'task.2', taskId: 'task', name: 'Invert' }),
  span('n3', 'node', 8_000, 8_500, { parentId: 'task.2', taskId: 'task', name: 'Save' }),
];
const track = replayTrack(events, spans);
const at = (ms: number) => stateAt(track, startMs + ms);
const callAt = (ms: number) => at(ms).items.find((item): item is ShownCall => item.type === 'call');
const taskAt = (ms: number) => callAt(ms)?.tasks[0];

describe('a replay', () => {
  it('shows what was said until then, and nothing of what came later', () => {
    expect(at(500).items.map(({ id }) => id)).toEqual(['h']);
    expect(at(1_000).items.map(({ id }) => id)).toEqual(['h', 'a1', 'call']);
    expect(at(10_000).items.map(({ id }) => id)).toEqual(['h', 'a1', 'call', 'a2']);
  });

  it('leaves out what middleware says', () => {
    expect(track.items.map(({ id }) => id)).not.toContain('m');
  });

  it('says when a model is at work', () => {
    expect([at(100), at(200), at(999), at(1_000)].map(({ isModelAtWork }) => isModelAtWork)).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });

  it('marks what the demo model said', () => {
    expect(track.items.map((item) => item.type === 'ai' && item.simulated)).toEqual([
      false,
      true,
      false,
      false,
    ]);
  });

  it('moves a tool call from waiting through running to its result', () => {
    expect([1_000, 1_100, 9_100].map((ms) => callAt(ms)?.state)).toEqual(['waiting', 'running', 'done']);
    expect(callAt(9_100)?.result).toBeNull();
    expect(callAt(9_200)?.result).toBe('made 1 file');
  });

  it('moves the task through queue, attempts and nodes', () => {
    expect(taskAt(1_149)).toBeUndefined();
    expect(taskAt(1_500)).toMatchObject({ state: 'waiting', percent: 0, instanceName: null, attempt: 0 });
    expect(taskAt(2_500)).toMatchObject({ state: 'running', instanceName: 'box-1', attempt: 1 });
    expect(taskAt(3_500)).toMatchObject({ state: 'waiting', attempt: 1 });
    expect(taskAt(6_000)).toMatchObject({
      state: 'running',
      percent: 33,
      node: 'Invert',
      instanceName: 'box-2',
    });
    expect(taskAt(8_600)).toMatchObject({ state: 'running', percent: 99 });
    expect(taskAt(8_900)).toMatchObject({ state: 'done', percent: 100, node: null });
  });

  it('shows pictures from the moment at which the conversation had them', () => {
    expect(taskAt(8_950)?.files).toEqual([]);
    expect(taskAt(9_000)?.files).toMatchObject([{ fileId: 'f', filename: 'out.png' }]);
  });

  it('never lets progress go back while time goes on', () => {
    const percents = momentsOf(track)
      .map((ms) => stateAt(track, ms))
      .map((state) => {
        const found = state.items.find((item): item is ShownCall => item.type === 'call');
        return found?.tasks[0]?.percent ?? 0;
      });
    expect(percents).toEqual([...percents].sort((one, other) => one - other));
  });

  it('ends in the picture that the live page shows', () => {
    const live = stateAt(track, Number.POSITIVE_INFINITY);
    expect(stateAt(track, track.toMs)).toEqual(live);
    expect(live.end).toMatchObject({ status: 'success' });
    expect(live.items.at(-1)).toMatchObject({ text: 'Done.' });
  });

  it('gives the same state for a time, whichever way the time was reached', () => {
    const forwards = momentsOf(track).map((ms) => stateAt(track, ms));
    const backwards = momentsOf(track)
      .reverse()
      .map((ms) => stateAt(track, ms));
    expect(backwards.reverse()).toEqual(forwards);
  });

  it('shows a call once that was stored again after a crash', () => {
    const twice = replayTrack([...events, { ...(events[1] as RunEvent), seq: 900 }], spans);
    expect(twice.items.filter(({ type }) => type === 'call')).toHaveLength(1);
  });

  it('says why a task failed, and that its call did', () => {
    const failed = replayTrack(
      [
        ...events.slice(0, 4),
        event(5_000, 'worker_task_failed', {
          metadata: { ...call, task_id: 'task', error: { code: 'x', message: 'No memory' } },
        }),
        event(5_100, 'tool_error', { metadata: call }),
      ],
      [span('task', 'task', 1_150, 4_900, { toolCallId: 'call', taskId: 'task', state: 'error' })],
    );
    const found = stateAt(failed, startMs + 6_000).items.find(
      (item): item is ShownCall => item.type === 'call',
    );
    expect(found).toMatchObject({ state: 'failed', tasks: [{ state: 'failed', error: 'No memory' }] });
  });

  it('survives an imported file that holds anything', () => {
    const odd = [
      event(0, 'ai_tool_call', { category: 'message', content: { tool_calls: [null, { name: 3 }, 'x'] } }),
      event(1, 'ai_message', { category: 'message', content: 7 }),
      event(2, 'worker_task_completed', { metadata: { task_id: 'q', files: [null, 3, {}] } }),
    ];
    expect(replayTrack(odd, []).items).toEqual([]);
    expect(stateAt(replayTrack([], []), 5)).toEqual({ items: [], isModelAtWork: false, end: null });
  });
});

describe('the player', () => {
  const axis = timeAxis(spans, { nowMs: 0, hidesIdle: false });
  const around = { axis, moments: momentsOf(track) };
  const player: Player = { place: 0, isPlaying: false, speed: 1 };

  it('goes on by the time that has passed, times the speed', () => {
    const playing = movePlayer({ ...player, speed: 2 }, { type: 'play' }, around);
    const later = movePlayer(playing, { type: 'tick', elapsedMs: 1_000 }, around);
    expect(axis.timeAt(later.place)).toBeCloseTo(startMs + 2_000, 0);
  });

  it('stops at the end, and begins again from there', () => {
    const ended = movePlayer({ ...player, isPlaying: true }, { type: 'tick', elapsedMs: 99_000 }, around);
    expect(ended).toMatchObject({ place: 1, isPlaying: false });
    expect(movePlayer(ended, { type: 'play' }, around)).toMatchObject({ place: 0, isPlaying: true });
  });

  it('stands still while it is paused', () => {
    expect(movePlayer(player, { type: 'tick', elapsedMs: 500 }, around)).toBe(player);
  });

  it('steps through every moment forwards and back again', () => {
    const places = [player.place];
    let at = player;
    while (at.place < 1) {
      at = movePlayer(at, { type: 'step', direction: 1 }, around);
      places.push(at.place);
    }
    const back = [at.place];
    while (at.place > 0) {
      at = movePlayer(at, { type: 'step', direction: -1 }, around);
      back.push(at.place);
    }
    expect(back.reverse()).toEqual(places);
    expect(places).toHaveLength(new Set(momentsOf(track)).size);
  });

  it('stays between the ends when it is scrubbed', () => {
    expect(movePlayer(player, { type: 'scrub', place: 7 }, around).place).toBe(1);
    expect(movePlayer(player, { type: 'scrub', place: -1 }, around).place).toBe(0);
  });
});
