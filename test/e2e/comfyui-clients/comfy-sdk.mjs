import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Comfy } from '@comfyorg/sdk';
import * as shapes from './node_modules/@comfyorg/sdk/dist/low/generated/zod.gen.js';

/**
 * What a program with the official SDK does. Its address is in COMFY_BASE_URL. The SDK for Python checks every answer by the published
 * description; here the checks that are generated from it see every answer.
 */
const [token, picture] = process.argv.slice(2);
const checked = {};
const broken = [];
const streams = [];

const shapeOf = [
  [/\/jobs\/[^/]+\/workflow$/, shapes.zJobWorkflowResponse],
  [/\/jobs(\/[^/]+(\/cancel)?)?$/, shapes.zJob],
  [/\/assets(\/from-hash|\/[^/]+)?$/, shapes.zAsset],
];

function check(name, shape, value) {
  checked[name] = (checked[name] ?? 0) + 1;
  const { success, error } = shape.safeParse(value);
  if (!success) broken.push(`${name}: ${error.message} in ${JSON.stringify(value)}`);
}

async function checkStream(answer) {
  for (const frame of (await answer.text()).split('\n\n')) {
    const [, event, data] = /^event: (.*)\ndata: (.*)$/.exec(frame) ?? [];
    if (event === 'progress') check('event progress', shapes.zProgress, JSON.parse(data));
    if (event === 'output') check('event output', shapes.zOutput, JSON.parse(data));
  }
}

async function checkedFetch(input, init) {
  const answer = await fetch(input, init);
  const type = answer.headers.get('content-type') ?? '';
  const path = new URL(input).pathname;
  if (type.startsWith('text/event-stream')) streams.push(checkStream(answer.clone()));
  else if (init.method !== 'HEAD' && !path.endsWith('/content') && answer.status !== 204) {
    const shape = answer.ok ? shapeOf.find(([pattern]) => pattern.test(path))?.[1] : shapes.zErrorEnvelope;
    const name = answer.ok ? `${init.method} ${path.split('/api/v2/')[1].split('/')[0]}` : 'error';
    check(name, shape, await answer.clone().json());
  }
  return answer;
}

const comfy = new Comfy({ apiKey: token, fetch: checkedFetch });
const folder = mkdtempSync(join(tmpdir(), 'comfy-sdk-'));

async function codeOf(call) {
  try {
    await call();
    return 'none';
  } catch (error) {
    return {
      name: error.constructor.name,
      code: error.code,
      status: error.httpStatus,
      message: error.message,
    };
  }
}

/** With its own bytes behind the picture, so that no earlier call has uploaded it. */
const bytes = Buffer.concat([readFileSync(picture), randomBytes(8)]);
writeFileSync(join(folder, 'photo.png'), bytes);
const inverted = (image) =>
  comfy.workflows.fromJson({
    1: { class_type: 'LoadImage', inputs: { image } },
    2: { class_type: 'ImageInvert', inputs: { image: ['1', 0] } },
    3: { class_type: 'SaveImage', inputs: { images: ['2', 0], filename_prefix: 'sdk' } },
  });
const drawn = (color, size = 768) =>
  comfy.workflows.fromJson({
    1: { class_type: 'EmptyImage', inputs: { width: size, height: size, batch_size: 4, color } },
    2: { class_type: 'ImageInvert', inputs: { image: ['1', 0] } },
    3: { class_type: 'SaveImage', inputs: { images: ['2', 0], filename_prefix: 'sdk' } },
  });

const asset = comfy.assets.fromFile(join(folder, 'photo.png'));
const job = await comfy.submit(inverted(asset));
const events = [];
for await (const event of job.events()) events.push(event.kind);
await job.result();
const [output] = job.getOutputs('3');
const saved = readFileSync(await output.toFile(join(folder, 'out.png')));
const start = await output.toBytes({ range: [1, 3] });
const { url } = await output.getDownloadUrl();

const again = comfy.assets.fromBytes(bytes, { filename: 'photo.png' });
await again.commit();
const kept = await comfy.assets.get(asset.id);
const renamed = comfy.assets.fromBytes(bytes, { filename: 'other.png' });
await renamed.commit();
await renamed.delete();

const many = await Promise.all(Array.from({ length: 9 }, (_, index) => comfy.run(drawn(index + 1))));

const key = randomBytes(16).toString('hex');
const once = await comfy.submit(drawn(1, 8), { idempotencyKey: key });
const used = await codeOf(() => comfy.submit(drawn(1, 8), { idempotencyKey: key }));
await once.wait();

const crowd = await Promise.all(Array.from({ length: 12 }, (_, index) => comfy.submit(drawn(100 + index))));
const last = crowd.at(-1);
await last.cancel();
await last.wait();
const canceledAgain = (await last.cancel()).status;
await Promise.all(crowd.map((each) => each.wait()));

const missing = comfy.assets.fromBytes(randomBytes(16));
const refused = {
  unknownJob: await codeOf(() => comfy.jobs.get('nothing')),
  unknownAsset: await codeOf(() => comfy.assets.get('nothing')),
  badWorkflow: await codeOf(() =>
    comfy.submit(comfy.workflows.fromJson({ 1: { class_type: 'No', inputs: {} } })),
  ),
  goneAsset: await codeOf(async () => {
    const id = await missing.commit();
    await comfy.assets.delete(id);
    await comfy.submit(inverted({ __type: 'core/ASSET', info: { id } }));
  }),
};
const workflow = await job.getWorkflow();
await Promise.all(streams);

process.stdout.write(
  JSON.stringify({
    status: job.status,
    events,
    output: { type: output.type, contentType: output.contentType, sizeBytes: output.sizeBytes },
    savedBytes: saved.length,
    start: Buffer.from(start).toString('latin1'),
    url,
    uploadedNew: asset.createdNew,
    again: { id: again.id === asset.id, createdNew: again.createdNew },
    keptHash: (await kept.hash()) === (await asset.hash()),
    many: many.map(({ status, outputs }) => `${status} ${outputs.length}`),
    used,
    canceled: last.status,
    canceledAgain,
    crowd: crowd.slice(0, -1).map(({ status }) => status),
    refused,
    workflow: { format: workflow.format, image: workflow.workflow[1].inputs.image.info.id === asset.id },
    checked,
    broken,
  }),
);
process.exit(0);
