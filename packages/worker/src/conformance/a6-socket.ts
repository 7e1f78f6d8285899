import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { factsOf, optional } from './fact.ts';
import { emptyImage, failingBlur, savedImage, slowChain, websocketImages } from './graphs.ts';
import type { Listener, TextFrame } from './listener.ts';
import type { Subject } from './subject.ts';

export const socketFacts = factsOf('A6', {
  'says status with the queue and the sid first': async (subject) => {
    const ear = await subject.listen('conformance-first');
    const first = await ear.hear(() => true, 'the first frame');
    assert.deepEqual(first, {
      type: 'status',
      data: { status: { exec_info: { queue_remaining: 0 } }, sid: 'conformance-first' },
    });
  },

  'gives a client without an id one': async (subject) => {
    const ear = await subject.listen('');
    const { data } = await ear.hear(({ type }) => type === 'status', 'status');
    assert.ok(data.sid.length > 0);
    const promptId = await subject.accept(savedImage(), { client_id: data.sid });
    await ear.hearEnd(promptId);
  },

  'tells a run in order: start, cached, nodes, success, status, executing with no node': async (subject) => {
    const { ear, promptId } = await heardRun(subject, savedImage());
    const words = ear.framesOf(promptId).map(wordOf);
    const node = (id: string) => [`state ${id} running`, `executing ${id}`];
    assert.deepEqual(withoutTicks(words), [
      'execution_start',
      'execution_cached',
      ...node('1'),
      'state 1 finished',
      ...node('2'),
      'state 2 finished',
      ...node('3'),
      'executed 3',
      'state 3 finished',
      'execution_success',
      'executing null',
    ]);
    const end = ear.frames.findIndex(({ type }) => type === 'execution_success');
    assert.deepEqual(
      ear.frames.slice(end).map(({ type }) => type),
      ['execution_success', 'status', 'executing'],
    );
  },

  'says execution_error in the place of success': async (subject) => {
    const { ear, promptId } = await heardRun(subject, failingBlur());
    assert.deepEqual(ear.framesOf(promptId).slice(-2).map(wordOf), ['execution_error', 'executing null']);
  },

  'says execution_interrupted in the place of success': async (subject) => {
    const ear = await subject.listen('conformance-stop');
    const promptId = await subject.accept(slowChain(), { client_id: 'conformance-stop' });
    await ear.hear(({ type }) => type === 'executing', 'a node');
    await subject.post('/interrupt', { prompt_id: promptId });
    await ear.hearEnd(promptId);
    assert.deepEqual(ear.framesOf(promptId).slice(-2).map(wordOf), [
      'execution_interrupted',
      'executing null',
    ]);
  },

  'names node and display_node in executing, and the output in executed': async (subject) => {
    const { ear, promptId } = await heardRun(subject, savedImage());
    const executing = ear.framesOf(promptId).find(({ type }) => type === 'executing');
    assert.deepEqual(executing?.data, { node: '1', display_node: '1', prompt_id: promptId });
    const executed = ear.framesOf(promptId).find(({ type }) => type === 'executed');
    assert.equal(executed?.data.node, '3');
    assert.equal(executed?.data.output.images.length, 1);
  },

  'sends with every tick both progress and the state of all nodes': async (subject) => {
    await subject.needNodes('SaveImageWebsocket');
    const { ear, promptId } = await heardRun(subject, websocketImages(3));
    const ticks = ear.framesOf(promptId).filter(({ type, data }) => type === 'progress' && data.node === '2');
    assert.deepEqual(
      ticks.map(({ data }) => [data.value, data.max]),
      [
        [0, 3],
        [1, 3],
        [2, 3],
      ],
    );
    const states = ear
      .framesOf(promptId)
      .filter(
        ({ type, data }) =>
          type === 'progress_state' && data.nodes['2']?.max === 3 && data.nodes['2'].state === 'running',
      );
    assert.deepEqual(
      states.map(({ data }) => data.nodes['2'].value),
      [0, 1, 2],
    );
  },

  'sends in progress_state every node that has started': async (subject) => {
    const { ear, promptId } = await heardRun(subject, savedImage());
    const last = ear.framesOf(promptId).findLast(({ type }) => type === 'progress_state');
    assert.ok(last !== undefined);
    assert.deepEqual(Object.keys(last.data.nodes).sort(), ['1', '2', '3']);
    const { value, max, state, display_node_id, parent_node_id, real_node_id } = last.data.nodes['1'];
    assert.deepEqual(
      { value, max, state, display_node_id, parent_node_id, real_node_id },
      { value: 1, max: 1, state: 'finished', display_node_id: '1', parent_node_id: null, real_node_id: '1' },
    );
  },

  'says executed for an output that comes from the cache, with the old files': async (subject) => {
    const graph = savedImage();
    const first = await subject.run(graph);
    const { ear, promptId } = await heardRun(subject, graph);
    const words = withoutTicks(ear.framesOf(promptId).map(wordOf));
    assert.deepEqual(words, [
      'execution_start',
      'execution_cached',
      'executed 3',
      'state 3 finished',
      'execution_success',
      'executing null',
    ]);
    const executed = ear.framesOf(promptId).find(({ type }) => type === 'executed');
    assert.deepEqual(executed?.data.output, first.outputs['3']);
  },

  'tells status to everyone, and the rest only to the client of the prompt': async (subject) => {
    const other = await subject.listen('conformance-other');
    const { promptId } = await heardRun(subject, savedImage());
    await other.hear(
      ({ type, data }) => type === 'status' && data.status.exec_info.queue_remaining === 1,
      'status',
    );
    await other.ping();
    assert.deepEqual(other.framesOf(promptId), []);
    assert.deepEqual(new Set(other.frames.map(({ type }) => type)), new Set(['status']));
  },

  'broadcasts progress, progress_state and pictures of a prompt without a client, but not execution_*':
    async (subject) => {
      await subject.needNodes('SaveImageWebsocket');
      const ears = [await subject.listen('conformance-a'), await subject.listen('conformance-b')];
      const promptId = await subject.accept(websocketImages(2));
      await subject.finished(promptId);
      for (const ear of ears) {
        await ear.hearBinary((frame) => frame.readUInt32BE(0) === 1, 'a picture');
        await ear.ping();
        const heard = new Set(ear.framesOf(promptId).map(({ type }) => type));
        assert.deepEqual(heard, new Set(['progress', 'progress_state']));
      }
    },

  'sends pictures without metadata as type 1, which names no prompt': optional(async (subject) => {
    await subject.needNodes('SaveImageWebsocket');
    const { ear } = await heardRun(subject, websocketImages(1));
    assert.deepEqual(
      ear.binaries.map((frame) => frame.readUInt32BE(0)),
      [1],
    );
    assert.equal(ear.binaries[0]?.toString('latin1', 9, 12), 'PNG');
  }),

  'sends pictures with metadata as type 4 instead, to a client whose first message asks for it': async (
    subject,
  ) => {
    await subject.needNodes('SaveImageWebsocket');
    const ear = await subject.listen('conformance-meta');
    ear.send({ type: 'feature_flags', data: { supports_preview_metadata: true } });
    await ear.ping();
    const promptId = await subject.accept(websocketImages(1), { client_id: 'conformance-meta' });
    const frame = await ear.hearBinary(() => true, 'a picture');
    await ear.hearEnd(promptId);
    assert.deepEqual(
      ear.binaries.map((binary) => binary.readUInt32BE(0)),
      [4],
    );
    const length = frame.readUInt32BE(4);
    const metadata = JSON.parse(frame.toString('utf8', 8, 8 + length));
    assert.deepEqual(metadata, {
      node_id: '2',
      prompt_id: promptId,
      display_node_id: '2',
      parent_node_id: null,
      real_node_id: '2',
      image_type: 'image/png',
    });
    assert.equal(frame.toString('latin1', 9 + length, 12 + length), 'PNG');
  },

  'reads feature_flags only from the first message': optional(async (subject) => {
    await subject.needNodes('SaveImageWebsocket');
    const ear = await subject.listen('conformance-late');
    ear.send({ type: 'hello', data: {} });
    ear.send({ type: 'feature_flags', data: { supports_preview_metadata: true } });
    await ear.ping();
    const promptId = await subject.accept(websocketImages(1), { client_id: 'conformance-late' });
    await ear.hearEnd(promptId);
    assert.deepEqual(
      ear.binaries.map((frame) => frame.readUInt32BE(0)),
      [1],
    );
  }),

  'sends text of a node as type 3: length, node id, text': async (subject) => {
    await subject.needNodes('GetImageSize', 'PreviewAny');
    const graph = {
      '1': emptyImage(),
      '20': { class_type: 'GetImageSize', inputs: { image: ['1', 0] } },
      '3': { class_type: 'PreviewAny', inputs: { source: ['20', 0] } },
    };
    const { ear } = await heardRun(subject, graph);
    const frame = await ear.hearBinary((binary) => binary.readUInt32BE(0) === 3, 'a text');
    assert.equal(frame.readUInt32BE(4), 2);
    assert.equal(frame.toString('utf8', 8, 10), '20');
    assert.match(frame.toString('utf8', 10), /width: 16, height: 8/);
  },

  'tells a client that connects in the middle of its run the node, without a prompt id': async (subject) => {
    const promptId = await subject.accept(slowChain(), { client_id: 'conformance-comeback' });
    await subject.running(promptId);
    const first = await subject.eventually('a node', async () => {
      const ear = await subject.listen('conformance-comeback');
      await ear.ping();
      const found = ear.frames[1];
      await ear.close();
      return found?.type === 'executing' && found.data.prompt_id === undefined ? found : undefined;
    });
    assert.deepEqual(Object.keys(first.data), ['node']);
  },

  'goes on telling a client that comes back under its id': async (subject) => {
    const before = await subject.listen('conformance-resume');
    const promptId = await subject.accept(slowChain(), { client_id: 'conformance-resume' });
    await before.hear(({ type }) => type === 'executing', 'a node');
    await before.close();
    await delay(50);
    const after = await subject.listen('conformance-resume');
    await after.hear(
      ({ type, data }) => type === 'executing' && data.prompt_id === promptId,
      'a node of the run',
    );
  },

  'answers a ping': async (subject) => {
    const ear = await subject.listen();
    await ear.ping();
  },

  'moves to a second socket of the same id, and the first hears no more': async (subject) => {
    const first = await subject.listen('conformance-twin');
    await first.hear(({ type }) => type === 'status', 'status');
    const second = await subject.listen('conformance-twin');
    const heard = first.frames.length;
    const promptId = await subject.accept(savedImage(), { client_id: 'conformance-twin' });
    await second.hearEnd(promptId);
    await first.ping();
    assert.equal(first.frames.length, heard);
  },

  'makes the second socket deaf when the first one closes later': optional(async (subject) => {
    await subject.breakIt({ deafSockets: true });
    const first = await subject.listen('conformance-deaf');
    const second = await subject.listen('conformance-deaf');
    await second.hear(({ type }) => type === 'status', 'status');
    await first.close();
    await delay(50);
    const heard = second.frames.length;
    await subject.run(savedImage(), { client_id: 'conformance-deaf' });
    await second.ping();
    assert.equal(second.frames.length, heard, 'it answers pings and hears nothing, not even status');
  }),

  'goes on answering as a zombie: the prompt runs for ever, the next ones are accepted and never run':
    optional(async (subject) => {
      await subject.breakIt({ zombie: 'mid_run' });
      const ear = await subject.listen('conformance-zombie');
      const stuck = await subject.accept(savedImage(), { client_id: 'conformance-zombie' });
      await ear.hear(({ type }) => type === 'executing', 'a node');
      const next = await subject.accept(savedImage());
      await delay(300);
      assert.equal((await subject.request('/system_stats')).status, 200);
      const { queue_running, queue_pending } = await subject.json('/queue');
      assert.deepEqual([queue_running[0][1], queue_pending[0][1]], [stuck, next]);
      await ear.ping();
      assert.equal(ear.closeCode, undefined);
    }),

  'closes its sockets when it restarts, and has forgotten everything afterwards': async (subject) => {
    const ear = await subject.listen();
    const promptId = await subject.accept(savedImage());
    await subject.finished(promptId);
    await subject.restart();
    await ear.hearClose();
    assert.deepEqual(await subject.json('/history'), {});
    assert.equal((await subject.submit(savedImage())).body.number, 0);
  },
});

async function heardRun(
  subject: Subject,
  graph: Parameters<Subject['accept']>[0],
): Promise<{ ear: Listener; promptId: string }> {
  const clientId = randomUUID();
  const ear = await subject.listen(clientId);
  const promptId = await subject.accept(graph, { client_id: clientId });
  await ear.hearEnd(promptId);
  return { ear, promptId };
}

/** A frame as a word: `executing 1`, or `state 1 running` for the last node in a state. */
function wordOf({ type, data }: TextFrame): string {
  if (type === 'executing') return `executing ${data.node}`;
  if (type === 'executed') return `executed ${data.node}`;
  if (type !== 'progress_state') return type;
  const [id, node] = Object.entries<{ state: string; max: number; value: number }>(data.nodes).at(-1) ?? [];
  const isTick = node?.state === 'running' && node.value > 0;
  return isTick ? 'tick' : `state ${id} ${node?.state}`;
}

/** The progress between executing and executed depends on the node and the server. */
function withoutTicks(words: string[]): string[] {
  return words.filter((word) => word !== 'tick' && word !== 'progress');
}
