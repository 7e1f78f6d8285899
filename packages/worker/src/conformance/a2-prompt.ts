import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { factsOf, optional, upTo } from './fact.ts';
import { emptyImage, savedImage, slowChain, type TestGraph } from './graphs.ts';
import { pngTexts } from './png.ts';
import type { Answer, Subject } from './subject.ts';

export const promptFacts = factsOf('A2', {
  'answers an accepted prompt with prompt_id, number and node_errors': async (subject) => {
    const { status, body } = await subject.submit(savedImage());
    assert.equal(status, 200);
    assert.deepEqual(Object.keys(body).sort(), ['node_errors', 'number', 'prompt_id']);
    assert.deepEqual(body.node_errors, {});
    assert.equal(typeof body.number, 'number');
    assert.match(body.prompt_id, /^[0-9a-f-]{36}$/);
  },

  'takes a UUID as prompt_id': async (subject) => {
    const promptId = randomUUID();
    assert.equal(await subject.accept(savedImage(), { prompt_id: promptId }), promptId);
    assert.equal((await subject.finished(promptId)).status.completed, true);
  },

  'takes any string as prompt_id': upTo('0.3.64', async (subject) => {
    const promptId = `task/${randomUUID()}:a2 ü?`;
    assert.equal(await subject.accept(savedImage(), { prompt_id: promptId }), promptId);
    assert.equal((await subject.finished(promptId)).status.completed, true);
  }),

  'counts its number up by one for each prompt': async (subject) => {
    const first = (await subject.submit(savedImage())).body.number;
    assert.equal((await subject.submit(savedImage())).body.number, first + 1);
  },

  'puts front:true at minus the counter': optional(async (subject) => {
    const { number } = (await subject.submit(savedImage())).body;
    assert.equal((await subject.submit(savedImage(), { front: true })).body.number, -(number + 1));
  }),

  'runs the lower number first': async (subject) => {
    await withBusyWorker(subject, async () => {
      const late = await subject.accept(savedImage(), { number: 1e9 });
      const early = await subject.accept(savedImage(), { number: 1e8 });
      await subject.post('/interrupt', {});
      assert.ok(startOf(await subject.finished(early)) <= startOf(await subject.finished(late)));
      const history = Object.keys(await subject.json('/history?max_items=2'));
      assert.deepEqual(history, [early, late]);
    });
  },

  'keeps extra_data and adds the client_id to it': async (subject) => {
    const { prompt } = await subject.run(savedImage(), {
      client_id: 'somebody',
      extra_data: { note: [1, 2] },
    });
    assert.deepEqual(prompt[3].note, [1, 2]);
    assert.equal(prompt[3].client_id, 'somebody');
  },

  'writes the prompt and extra_pnginfo into the PNG as text chunks': async (subject) => {
    const graph = savedImage();
    const extra_data = { extra_pnginfo: { workflow: { name: 'Grüße' } } };
    const { outputs } = await subject.run(graph, { extra_data });
    const texts = pngTexts(await fileOf(subject, outputs['3'].images[0]));
    assert.deepEqual(JSON.parse(texts.prompt ?? ''), graph);
    assert.deepEqual(JSON.parse(texts.workflow ?? ''), { name: 'Grüße' });
  },

  'runs only the outputs that partial_execution_targets names': async (subject) => {
    const graph = { ...savedImage(), '4': { class_type: 'PreviewImage', inputs: { images: ['1', 0] } } };
    const { prompt, outputs } = await subject.run(graph, { partial_execution_targets: ['4'] });
    assert.deepEqual(prompt[4], ['4']);
    assert.deepEqual(Object.keys(outputs), ['4']);
  },

  'refuses a body without prompt: no_prompt': async (subject) => {
    const response = await subject.post('/prompt', { client_id: 'x' });
    assert.equal(response.status, 400);
    assert.equal(((await response.json()) as Answer).error.type, 'no_prompt');
  },

  'refuses a node without class_type: invalid_prompt or missing_node_type': async (subject) => {
    await refused(subject, { '3': { inputs: {} } }, { type: classFaults, details: "Node ID '#3'" });
  },

  'refuses an unknown class: invalid_prompt or missing_node_type, the node named in details, node_errors empty':
    async (subject) => {
      const graph = { '3': { class_type: 'NoSuchNodeAnywhere', inputs: {} } };
      const body = await refused(subject, graph, { type: classFaults, details: "Node ID '#3'" });
      assert.deepEqual(body.node_errors, {});
    },

  'refuses a graph without an output node: prompt_no_outputs': async (subject) => {
    await refused(subject, { '1': emptyImage() }, { type: /^prompt_no_outputs$/ });
  },

  'refuses an empty graph: prompt_no_outputs': async (subject) => {
    await refused(subject, {}, { type: /^prompt_no_outputs$/ });
  },

  'names a missing input: required_input_missing': async (subject) => {
    const fault = await inputFault(subject, {
      '1': { class_type: 'EmptyImage', inputs: { width: 8, height: 8, batch_size: 1 } },
    });
    assert.equal(fault.type, 'required_input_missing');
    assert.equal(fault.details, 'color');
    assert.equal(fault.extra_info.input_name, 'color');
  },

  'names a link that is no pair: bad_linked_input': async (subject) => {
    const fault = await inputFault(subject, {
      '0': emptyImage(),
      '1': { class_type: 'ImageInvert', inputs: { image: ['0'] } },
    });
    assert.equal(fault.type, 'bad_linked_input');
    assert.deepEqual(fault.extra_info.received_value, ['0']);
  },

  'names a link between types: return_type_mismatch': async (subject) => {
    const fault = await inputFault(subject, {
      '0': { class_type: 'SolidMask', inputs: { value: 1, width: 8, height: 8 } },
      '1': { class_type: 'ImageInvert', inputs: { image: ['0', 0] } },
    });
    assert.equal(fault.type, 'return_type_mismatch');
    assert.equal(fault.extra_info.received_type, 'MASK');
    assert.deepEqual(fault.extra_info.linked_node, ['0', 0]);
  },

  'names a value that cannot be converted: invalid_input_type': async (subject) => {
    const fault = await inputFault(subject, { '1': emptyImage({ width: 'wide' }) });
    assert.equal(fault.type, 'invalid_input_type');
    assert.equal(fault.extra_info.received_value, 'wide');
  },

  'converts a number that comes as text': optional(async (subject) => {
    const { prompt } = await subject.run(savedImage({ width: '24' }));
    assert.equal(prompt[2]['1'].inputs.width, 24);
  }),

  'names a value below the range: value_smaller_than_min': async (subject) => {
    const fault = await inputFault(subject, { '1': emptyImage({ width: 0 }) });
    assert.equal(fault.type, 'value_smaller_than_min');
    assert.equal(fault.extra_info.received_value, 0);
  },

  'names a value above the range: value_bigger_than_max': async (subject) => {
    const fault = await inputFault(subject, { '1': emptyImage({ batch_size: 5000 }) });
    assert.equal(fault.type, 'value_bigger_than_max');
    assert.equal(fault.extra_info.received_value, 5000);
  },

  'names a choice that is none: value_not_in_list': async (subject) => {
    const inputs = { image: ['0', 0], upscale_method: 'magic', width: 8, height: 8, crop: 'disabled' };
    const fault = await inputFault(subject, { '0': emptyImage(), '1': { class_type: 'ImageScale', inputs } });
    assert.equal(fault.type, 'value_not_in_list');
    assert.match(fault.details, /^upscale_method: 'magic' not in \['nearest-exact', /);
  },

  'names a missing upload: custom_validation_failed': async (subject) => {
    const fault = await inputFault(subject, {
      '1': { class_type: 'LoadImage', inputs: { image: 'nowhere.png' } },
    });
    assert.equal(fault.type, 'custom_validation_failed');
    assert.equal(fault.details, 'image - Invalid image file: nowhere.png');
  },

  'reports a link to nowhere at the output itself: exception_during_validation': optional(async (subject) => {
    const graph = { '2': { class_type: 'PreviewImage', inputs: { images: ['99', 0] } } };
    const body = await refused(subject, graph, { type: /^prompt_outputs_failed_validation$/ });
    assert.equal(body.node_errors['2'].errors[0].type, 'exception_during_validation');
  }),

  'reports a link to nowhere further up: exception_during_inner_validation': optional(async (subject) => {
    const fault = await inputFault(subject, {
      '1': { class_type: 'ImageInvert', inputs: { image: ['99', 0] } },
    });
    assert.equal(fault.type, 'exception_during_inner_validation');
  }),

  'gives each reason its type, message, details and extra_info, by node, with class and dependent outputs':
    async (subject) => {
      const graph = outputOf({ '1': emptyImage({ width: 0 }) });
      const body = await refused(subject, graph, { type: /^prompt_outputs_failed_validation$/ });
      const { errors, dependent_outputs, class_type } = body.node_errors['1'];
      assert.deepEqual(Object.keys(errors[0]).sort(), ['details', 'extra_info', 'message', 'type']);
      assert.deepEqual(dependent_outputs, ['out']);
      assert.equal(class_type, 'EmptyImage');
    },

  'leaves error.details empty when the fault lies above the output, and the innocent nodes out': optional(
    async (subject) => {
      const graph = outputOf({ '1': emptyImage({ width: 0 }) });
      const body = await refused(subject, graph, { type: /^prompt_outputs_failed_validation$/, details: '' });
      assert.deepEqual(Object.keys(body.node_errors), ['1']);
    },
  ),

  'refuses a cycle': async (subject) => {
    await refused(subject, cycle, { type: /^(prompt_outputs_failed_validation|dependency_cycle)$/ });
  },

  'gives no reason for a cycle: details and node_errors are empty': upTo('0.3.64', async (subject) => {
    const body = await refused(subject, cycle, { type: /^prompt_outputs_failed_validation$/, details: '' });
    assert.deepEqual(body.node_errors, {});
  }),

  'accepts one good output beside a broken one, and leaves the broken one out silently': async (subject) => {
    const graph = { ...savedImage(), '9': { class_type: 'PreviewImage', inputs: { images: ['99', 0] } } };
    const { status, body } = await subject.submit(graph);
    assert.equal(status, 200);
    assert.deepEqual(Object.keys(body.node_errors), ['9']);
    const { outputs, status: end, prompt } = await subject.finished(body.prompt_id);
    assert.deepEqual(Object.keys(outputs), ['3']);
    assert.deepEqual(prompt[4], ['3']);
    assert.equal(end.status_str, 'success');
  },

  'answers a body that is no JSON with 500 in plain text': optional(async (subject) => {
    const response = await subject.post('/prompt', '{ no json');
    assert.equal(response.status, 500);
    assert.match(response.headers.get('content-type') ?? '', /^text\/plain/);
  }),

  'answers a prompt that is a list with 500 in plain text': optional(async (subject) => {
    const response = await subject.post('/prompt', { prompt: [1] });
    assert.equal(response.status, 500);
    assert.match(response.headers.get('content-type') ?? '', /^text\/plain/);
  }),

  'runs the same prompt id twice, and history keeps the last': optional(async (subject) => {
    const promptId = randomUUID();
    const ear = await subject.listen();
    const clientId =
      ear.frames[0]?.data.sid ?? (await ear.hear(({ type }) => type === 'status', 'status')).data.sid;
    const numbers = [];
    for (const graph of [savedImage(), savedImage()]) {
      const { status, body } = await subject.submit(graph, { prompt_id: promptId, client_id: clientId });
      assert.equal(status, 200);
      numbers.push(body.number);
    }
    await subject.idle();
    const entry = await subject.finished(promptId);
    assert.equal(entry.prompt[0], numbers[1]);
    assert.equal(
      ear.frames.filter(({ type, data }) => type === 'execution_start' && data.prompt_id === promptId).length,
      2,
    );
  }),

  'cannot order two pending prompts of one id and one number: 500': optional(async (subject) => {
    await withBusyWorker(subject, async () => {
      const twin = { prompt_id: randomUUID(), number: 5 };
      assert.equal((await subject.submit(savedImage(), twin)).status, 200);
      assert.equal((await subject.submit(savedImage(), twin)).status, 500);
    });
  }),

  'runs a prompt whose sender cut the connection before the answer': async (subject) => {
    for (let round = 0; round < 3; round += 1) {
      const promptId = randomUUID();
      await writeAndReset(subject.url, JSON.stringify({ prompt: savedImage(), prompt_id: promptId }));
      assert.equal((await subject.finished(promptId)).status.completed, true);
    }
  },
});

/** Versions from 0.33 on say `missing_node_type`, and so did some before; the gateway reads both. */
const classFaults = /^(invalid_prompt|missing_node_type)$/;

const cycle: TestGraph = {
  '1': { class_type: 'ImageInvert', inputs: { image: ['2', 0] } },
  '2': { class_type: 'ImageInvert', inputs: { image: ['1', 0] } },
  '3': { class_type: 'PreviewImage', inputs: { images: ['1', 0] } },
};

/** Adds a preview behind the last node of a graph, so that the graph has an output. */
function outputOf(graph: TestGraph): TestGraph {
  const last = Object.keys(graph).at(-1);
  return { ...graph, out: { class_type: 'PreviewImage', inputs: { images: [last, 0] } } };
}

/** Returns the only fault of the last node, which feeds an output. */
async function inputFault(subject: Subject, graph: TestGraph): Promise<Answer> {
  const { body, status } = await subject.submit(outputOf(graph));
  assert.equal(status, 400);
  assert.equal(body.error.type, 'prompt_outputs_failed_validation');
  const last = Object.keys(graph).at(-1) ?? '';
  assert.equal(body.node_errors[last]?.errors.length, 1, JSON.stringify(body));
  return body.node_errors[last].errors[0];
}

async function refused(
  subject: Subject,
  graph: TestGraph,
  { type, details }: { type: RegExp; details?: string },
): Promise<Answer> {
  const { status, body } = await subject.submit(graph);
  assert.equal(status, 400, JSON.stringify(body));
  assert.match(body.error.type, type);
  if (details !== undefined) assert.equal(body.error.details, details);
  return body;
}

async function withBusyWorker(subject: Subject, check: () => Promise<void>): Promise<void> {
  const busy = await subject.accept(slowChain());
  await subject.running(busy);
  await check();
}

function startOf(entry: Answer): number {
  return entry.status.messages.find(([event]: [string]) => event === 'execution_start')[1].timestamp;
}

async function fileOf(subject: Subject, file: Record<string, string>): Promise<Buffer> {
  const response = await subject.request(`/view?${new URLSearchParams(file)}`);
  assert.equal(response.status, 200);
  return Buffer.from(await response.arrayBuffer());
}

/** The whole request is on its way when the connection is reset. */
async function writeAndReset(url: string, body: string): Promise<void> {
  const { hostname, port, host } = new URL(url);
  const socket = connect(Number(port), hostname);
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.write(
      `POST /prompt HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      () => resolve(),
    );
  });
  socket.resetAndDestroy();
}
