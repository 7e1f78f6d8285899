import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { factsOf, optional } from './fact.ts';
import { emptyImage, failingBlur, loadedImage, savedImage, slowChain, type TestGraph } from './graphs.ts';
import { onePixelPng } from './png.ts';
import type { Answer, Subject } from './subject.ts';

export const queueFacts = factsOf('A3', {
  'shows a prompt as [number, id, graph, extra_data, outputs to execute]': async (subject) => {
    const graph = slowChain();
    const running = await startSlow(subject, graph, { extra_data: { note: 1 } });
    const [tuple] = (await subject.json('/queue')).queue_running;
    assert.equal(typeof tuple[0], 'number');
    // Newer versions add `create_time`.
    const { create_time: _, ...extraData } = tuple[3];
    assert.deepEqual(
      [tuple[1], tuple[2], extraData, ...tuple.slice(4)],
      [running, graph, { note: 1 }, ['out']],
    );
  },

  'shows pending prompts in raw heap order': optional(async (subject) => {
    await startSlow(subject);
    for (const number of [12, -5.5, -13]) await subject.accept(savedImage(), { number });
    const { queue_pending } = await subject.json('/queue');
    assert.deepEqual(
      queue_pending.map(([number]: [number]) => number),
      [-13, 12, -5.5],
    );
  }),

  'counts running and pending together in GET /prompt': async (subject) => {
    await startSlow(subject);
    await subject.accept(savedImage());
    assert.deepEqual(await subject.json('/prompt'), { exec_info: { queue_remaining: 2 } });
  },

  'deletes a pending prompt without a trace in history': async (subject) => {
    await startSlow(subject);
    const pending = await subject.accept(savedImage());
    assert.equal((await subject.post('/queue', { delete: [pending] })).status, 200);
    assert.deepEqual((await subject.json('/queue')).queue_pending, []);
    await subject.post('/interrupt', {});
    await subject.idle();
    assert.deepEqual(await subject.json(`/history/${pending}`), {});
  },

  'answers 200 and does nothing when the prompt to delete runs, or is unknown': async (subject) => {
    const running = await startSlow(subject);
    assert.equal((await subject.post('/queue', { delete: [running, 'unknown'] })).status, 200);
    assert.equal((await subject.json('/queue')).queue_running[0][1], running);
  },

  'drops everything that is pending on clear': optional(async (subject) => {
    const running = await startSlow(subject);
    for (let count = 0; count < 3; count += 1) await subject.accept(savedImage());
    assert.equal((await subject.post('/queue', { clear: true })).status, 200);
    const { queue_running, queue_pending } = await subject.json('/queue');
    assert.deepEqual([queue_running[0][1], queue_pending], [running, []]);
  }),

  'interrupts only the prompt that is named, when it runs': async (subject) => {
    const running = await startSlow(subject);
    assert.equal((await subject.post('/interrupt', { prompt_id: randomUUID() })).status, 200);
    assert.equal((await subject.json('/queue')).queue_running[0]?.[1], running);
    assert.equal((await subject.post('/interrupt', { prompt_id: running })).status, 200);
    assert.equal((await subject.finished(running)).status.status_str, 'error');
  },

  'interrupts whatever runs when no prompt is named': optional(async (subject) => {
    const running = await startSlow(subject);
    await subject.post('/interrupt', {});
    assert.equal(lastEvent(await subject.finished(running)), 'execution_interrupted');
  }),

  'answers an interrupt with 200 while nothing runs, and forgets it': async (subject) => {
    assert.equal((await subject.post('/interrupt', {})).status, 200);
    assert.equal((await subject.run(savedImage())).status.status_str, 'success');
  },

  'notices an interrupt between nodes: status error, not completed, execution_interrupted last': async (
    subject,
  ) => {
    const running = await startSlow(subject);
    await subject.post('/interrupt', { prompt_id: running });
    const { status } = await subject.finished(running);
    assert.deepEqual([status.status_str, status.completed], ['error', false]);
    const [event, data] = status.messages.at(-1);
    assert.equal(event, 'execution_interrupted');
    assert.deepEqual(Object.keys(data).sort(), [
      'executed',
      'node_id',
      'node_type',
      'prompt_id',
      'timestamp',
    ]);
  },

  'answers {} for a prompt that history does not have': async (subject) => {
    assert.deepEqual(await subject.json(`/history/${randomUUID()}`), {});
  },

  'keeps prompt, outputs, status and meta of what has run': async (subject) => {
    const graph = savedImage();
    const promptId = await subject.accept(graph);
    const entry = await subject.finished(promptId);
    assert.deepEqual(Object.keys(entry).sort(), ['meta', 'outputs', 'prompt', 'status']);
    assert.deepEqual(entry.prompt.slice(1, 3), [promptId, graph]);
    const [file] = entry.outputs['3'].images;
    assert.deepEqual(Object.keys(file).sort(), ['filename', 'subfolder', 'type']);
    assert.match(file.filename, /^picture_\d{5,}_\.png$/);
    assert.deepEqual([file.subfolder, file.type], ['conformance', 'output']);
    assert.deepEqual(entry.meta['3'], {
      node_id: '3',
      display_node: '3',
      parent_node: null,
      real_node_id: '3',
    });
    assert.deepEqual([entry.status.status_str, entry.status.completed], ['success', true]);
    const events = entry.status.messages.map(([event, data]: [string, Answer]) => [
      event,
      typeof data.timestamp,
    ]);
    assert.deepEqual(events, [
      ['execution_start', 'number'],
      ['execution_cached', 'number'],
      ['execution_success', 'number'],
    ]);
  },

  'pages history by max_items (the last ones) and offset': optional(async (subject) => {
    await subject.post('/history', { clear: true });
    const ids = [];
    for (let count = 0; count < 3; count += 1) {
      ids.push(await subject.accept(savedImage()));
      await subject.finished(ids[count] as string);
    }
    assert.deepEqual(Object.keys(await subject.json('/history')), ids);
    assert.deepEqual(Object.keys(await subject.json('/history?max_items=2')), ids.slice(1));
    assert.deepEqual(Object.keys(await subject.json('/history?max_items=2&offset=0')), ids.slice(0, 2));
  }),

  'forgets entries by delete and all of them by clear': optional(async (subject) => {
    const ids = [await subject.accept(savedImage()), await subject.accept(savedImage())];
    for (const id of ids) await subject.finished(id);
    assert.equal((await subject.post('/history', { delete: [ids[0]] })).status, 200);
    assert.deepEqual(await subject.json(`/history/${ids[0]}`), {});
    assert.equal((await subject.post('/history', { clear: true })).status, 200);
    assert.deepEqual(await subject.json('/history'), {});
  }),

  'answers a max_items that is no number with 500': optional(async (subject) => {
    assert.equal((await subject.request('/history?max_items=many')).status, 500);
  }),

  'describes a failure: node, type, message, traceback, inputs, what was executed': async (subject) => {
    const entry = await subject.run(failingBlur());
    assert.deepEqual([entry.status.status_str, entry.status.completed], ['error', false]);
    const [event, data] = entry.status.messages.at(-1);
    assert.equal(event, 'execution_error');
    assert.deepEqual([data.node_id, data.node_type], ['2', 'ImageBlur']);
    assert.deepEqual(data.executed, ['1']);
    assert.equal(data.exception_type, 'RuntimeError');
    assert.equal(typeof data.exception_message, 'string');
    assert.ok(Array.isArray(data.traceback) && Array.isArray(data.current_outputs));
    assert.deepEqual(data.current_inputs.blur_radius, [31]);
  },

  'has the history entry when it says executing with no node': async (subject) => {
    const ear = await subject.listen('conformance-order');
    for (let count = 0; count < 30; count += 1) {
      const promptId = await subject.accept(savedImage(), { client_id: 'conformance-order' });
      await ear.hearEnd(promptId);
      assert.ok(promptId in (await subject.json(`/history/${promptId}`)), `round ${count}`);
    }
  },

  'may not have the history entry yet when it says execution_success': optional(async (subject) => {
    await subject.breakIt({ historyDelayMs: 200 });
    const ear = await subject.listen('conformance-race');
    const promptId = await subject.accept(savedImage(), { client_id: 'conformance-race' });
    await ear.hear(({ type }) => type === 'execution_success', 'execution_success');
    assert.deepEqual(await subject.json(`/history/${promptId}`), {});
    await ear.hearEnd(promptId);
    assert.ok(promptId in (await subject.json(`/history/${promptId}`)));
  }),

  'always sends execution_cached, empty for a new graph': async (subject) => {
    const { status } = await subject.run(savedImage());
    assert.deepEqual(cachedIn({ status }), []);
  },

  'runs an identical graph from the cache: all nodes cached, the old file names, nothing new written': async (
    subject,
  ) => {
    const graph = savedImage();
    const first = await subject.run(graph);
    const again = await subject.run(graph);
    assert.deepEqual(cachedIn(again).sort(), ['1', '2', '3']);
    assert.deepEqual(again.outputs, first.outputs);
    const [name] = first.outputs['3'].images.map(({ filename }: Answer) => filename);
    const other = await subject.run(savedImage());
    assert.equal(counterOf(other.outputs['3'].images[0].filename), counterOf(name) + 1);
  },

  'runs only what changed and what depends on it': async (subject) => {
    const graph = savedImage();
    await subject.run(graph);
    const changed = {
      ...graph,
      '3': { ...graph['3'], inputs: { images: ['2', 0], filename_prefix: 'conformance/other' } },
    };
    assert.deepEqual(cachedIn(await subject.run(changed)).sort(), ['1', '2']);
    const changedAtRoot: TestGraph = { ...changed, '1': emptyImage() };
    assert.deepEqual(cachedIn(await subject.run(changedAtRoot)), []);
  },

  'reads a loaded file again when its bytes changed under the same name': async (subject) => {
    const name = `${randomUUID()}.png`;
    const overwrite = { overwrite: 'true' };
    await subject.upload(overwrite, { name, bytes: onePixelPng([1, 2, 3, 255]) });
    await subject.run(loadedImage(name));
    assert.deepEqual(cachedIn(await subject.run(loadedImage(name))).sort(), ['1', '2']);
    await subject.upload(overwrite, { name, bytes: onePixelPng([9, 9, 9, 255]) });
    assert.deepEqual(cachedIn(await subject.run(loadedImage(name))), []);
  },

  'answers /api/jobs with 404, or with the newer list of jobs': async (subject) => {
    const response = await subject.request('/api/jobs');
    if (response.status === 404) return;
    assert.equal(response.status, 200);
    assert.ok(Array.isArray(((await response.json()) as Answer).jobs));
  },
});

async function startSlow(
  subject: Subject,
  graph = slowChain(),
  rest: Record<string, unknown> = {},
): Promise<string> {
  const promptId = await subject.accept(graph, rest);
  await subject.running(promptId);
  return promptId;
}

function cachedIn({ status }: Answer): string[] {
  return status.messages.find(([event]: [string]) => event === 'execution_cached')[1].nodes;
}

function lastEvent({ status }: Answer): string {
  return status.messages.at(-1)[0];
}

function counterOf(filename: string): number {
  return Number(/_(\d+)_\.png$/.exec(filename)?.[1]);
}
