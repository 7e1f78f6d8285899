import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { ManualTime } from '../../../../testing/manual-time.ts';
import type { WorkerEvent } from '../worker-event.ts';
import { EventReader } from './event-reader.ts';

const promptId = 'mine';
let time: ManualTime;
let events: WorkerEvent[];
let reader: EventReader;

beforeEach(() => {
  time = new ManualTime();
  events = [];
  reader = new EventReader((event) => events.push(event), time.timer);
  reader.watch({ promptId, classOf: (nodeId) => (nodeId === '9' ? 'SaveImageWebsocket' : 'Other') });
});

/** Writes JSON like Python, with spaces. */
function hear(type: string, data: Record<string, unknown>): void {
  reader.readText(Buffer.from(`{"type": ${JSON.stringify(type)}, "data": ${JSON.stringify(data)}}`));
}

function hearImage(mediaTypeCode: number, bytes = 'png'): void {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(1, 0);
  head.writeUInt32BE(mediaTypeCode, 4);
  reader.readBinary(Buffer.concat([head, Buffer.from(bytes)]));
}

function hearImageWithMetadata(metadata: Record<string, string>): void {
  const json = Buffer.from(JSON.stringify({ image_type: 'image/png', ...metadata }));
  const head = Buffer.alloc(8);
  head.writeUInt32BE(4, 0);
  head.writeUInt32BE(json.length, 4);
  reader.readBinary(Buffer.concat([head, json, Buffer.from('png')]));
}

test('an execution is followed from its start until the worker has settled it', () => {
  hear('execution_start', { prompt_id: promptId });
  hear('execution_cached', { prompt_id: promptId, nodes: ['1'] });
  hear('executing', { prompt_id: promptId, node: '2', display_node: '2' });
  hear('progress', { prompt_id: promptId, node: '2', value: 3, max: 20 });
  hear('executed', { prompt_id: promptId, node: '2', display_node: '2', output: {} });
  hear('execution_success', { prompt_id: promptId });
  hear('executing', { prompt_id: promptId, node: null });
  expect(events).toEqual([
    { type: 'run_started', promptId },
    { type: 'nodes_cached', promptId, nodeIds: ['1'] },
    { type: 'node_started', promptId, nodeId: '2', topNodeId: '2' },
    { type: 'node_progress', promptId, nodeId: '2', value: 3, max: 20 },
    { type: 'node_finished', promptId, nodeId: '2', topNodeId: '2' },
    { type: 'run_ended', promptId, end: 'succeeded', error: null },
    { type: 'run_settled', promptId },
  ]);
});

test('an error is reported with its node and without the rest', () => {
  hear('execution_error', {
    prompt_id: promptId,
    node_id: '4',
    node_type: 'X',
    exception_message: 'no',
    traceback: ['t'],
  });
  hear('execution_interrupted', { prompt_id: promptId });
  expect(events).toEqual([
    {
      type: 'run_ended',
      promptId,
      end: 'failed',
      error: { kind: 'node', message: 'X: no', nodeId: '4', nodeClass: 'X' },
    },
    { type: 'run_ended', promptId, end: 'interrupted', error: null },
  ]);
});

describe('executions of other clients', () => {
  test('are ignored', () => {
    hear('execution_start', { prompt_id: 'theirs' });
    hear('executing', { prompt_id: 'theirs', node: '1' });
    hear('progress', { prompt_id: 'theirs', node: '1', value: 1, max: 2 });
    hear('progress_state', { prompt_id: 'theirs', nodes: {} });
    hearImageWithMetadata({ prompt_id: 'theirs', node_id: '1' });
    hearImage(1);
    hear('executing', { prompt_id: 'theirs', node: null });
    expect(events).toEqual([]);
  });

  test('show in the length of the queue, which is reported when it changes', () => {
    for (const remaining of [1, 1, 2, 0])
      hear('status', { status: { exec_info: { queue_remaining: remaining } } });
    expect(events.map((event) => event.type === 'queue_changed' && event.queueRemaining)).toEqual([1, 2, 0]);
  });

  test('are ignored as well when they are own ones that are not watched any more', () => {
    reader.forget(promptId);
    hear('execution_start', { prompt_id: promptId });
    expect(events).toEqual([]);
  });
});

describe('after a reconnect', () => {
  test('a node without a prompt id belongs to the one watched prompt', () => {
    hear('executing', { node: '5' });
    expect(events).toEqual([{ type: 'node_started', promptId, nodeId: '5', topNodeId: '5' }]);
  });

  test('a node without a prompt id belongs to neither of two watched prompts', () => {
    reader.watch({ promptId: 'second', classOf: () => undefined });
    hear('executing', { node: '5' });
    expect(events).toEqual([]);
  });

  test('the length of the queue is reported again', () => {
    hear('status', { status: { exec_info: { queue_remaining: 1 } } });
    reader.reset();
    hear('status', { status: { exec_info: { queue_remaining: 1 } } });
    expect(events).toHaveLength(2);
  });
});

describe('images', () => {
  test('a preview in the old form belongs to the prompt of ours that executes, and is ignored without one', () => {
    hearImage(1, 'early');
    hear('executing', { prompt_id: promptId, node: '2' });
    hearImage(1);
    hear('execution_success', { prompt_id: promptId });
    hearImage(1, 'late');
    expect(events.filter(({ type }) => type === 'preview')).toEqual([
      { type: 'preview', promptId, nodeId: '2', mediaType: 'image/jpeg', bytes: Buffer.from('png') },
    ]);
  });

  test('a preview with metadata names its node itself', () => {
    hearImageWithMetadata({ prompt_id: promptId, node_id: '7' });
    expect(events).toMatchObject([{ type: 'preview', promptId, nodeId: '7', mediaType: 'image/png' }]);
  });

  test('an image of a node that saves to the socket is its output, in either form', () => {
    hear('executing', { prompt_id: promptId, node: '9' });
    hearImage(2);
    hearImageWithMetadata({ prompt_id: promptId, node_id: '9' });
    expect(events.slice(1).map(({ type }) => type)).toEqual(['image_output', 'image_output']);
  });

  test('a text belongs to the prompt that executes', () => {
    const frame = Buffer.concat([Buffer.from([0, 0, 0, 3, 0, 0, 0, 1]), Buffer.from('2hello')]);
    reader.readBinary(frame);
    hear('executing', { prompt_id: promptId, node: '2' });
    reader.readBinary(frame);
    expect(events.slice(1)).toEqual([{ type: 'node_text', promptId, nodeId: '2', text: 'hello' }]);
  });
});

describe('snapshots', () => {
  const snapshot = (value: number) =>
    hear('progress_state', {
      prompt_id: promptId,
      nodes: {
        '2.0.a': { value, max: 20, state: 'running', display_node_id: '2' },
        '1': { value: 1, max: 1, state: 'finished' },
      },
    });

  test('map expanded nodes to the node that people know', () => {
    snapshot(4);
    expect(events).toEqual([
      {
        type: 'progress_snapshot',
        promptId,
        nodes: [
          { nodeId: '1', topNodeId: '1', value: 1, max: 1, isFinished: true },
          { nodeId: '2.0.a', topNodeId: '2', value: 4, max: 20, isFinished: false },
        ],
      },
    ]);
  });

  test('come at most five times a second, the last one always', () => {
    for (let value = 1; value <= 20; value++) snapshot(value);
    expect(events).toHaveLength(1);
    time.advance(200);
    expect(events).toHaveLength(2);
    expect(JSON.stringify(events[1])).toContain('"value":20');
    time.advance(1_000);
    expect(events).toHaveLength(2);
  });

  test('are dropped when they still wait at the end of the execution', () => {
    snapshot(1);
    snapshot(2);
    hear('execution_success', { prompt_id: promptId });
    time.advance(1_000);
    expect(events.map(({ type }) => type)).toEqual(['progress_snapshot', 'run_ended']);
  });
});

test('nothing that a worker sends makes it throw', () => {
  const types = [
    'status',
    'execution_start',
    'executing',
    'progress',
    'progress_state',
    'executed',
    'execution_error',
  ];
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string().map((text) => Buffer.from(text)),
        fc.uint8Array().map((bytes) => Buffer.from(bytes)),
        fc.jsonValue().map((value) => Buffer.from(JSON.stringify(value))),
        fc
          .tuple(
            fc.constantFrom(...types),
            fc.dictionary(fc.constantFrom('node', 'nodes', 'value', 'max', 'status'), fc.jsonValue()),
          )
          .map(([type, data]) =>
            Buffer.from(JSON.stringify({ type, data: { ...data, prompt_id: promptId } })),
          ),
      ),
      (raw) => {
        reader.readText(raw);
        reader.readBinary(raw);
      },
    ),
  );
});
