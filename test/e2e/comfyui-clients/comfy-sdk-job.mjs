import { Comfy } from '@comfyorg/sdk';

/** Submits a job and leaves, or takes one up that an earlier program has submitted. */
const [token, what, id] = process.argv.slice(2);
const comfy = new Comfy({ apiKey: token });
const workflow = comfy.workflows.fromJson({
  1: { class_type: 'EmptyImage', inputs: { width: 1024, height: 1024, batch_size: 8, color: 77 } },
  2: { class_type: 'ImageInvert', inputs: { image: ['1', 0] } },
  3: { class_type: 'SaveImage', inputs: { images: ['2', 0], filename_prefix: 'sdk' } },
});

async function submit() {
  try {
    return { id: (await comfy.submit(workflow)).id };
  } catch (error) {
    return { error: error.message };
  }
}

async function resume() {
  const job = await comfy.jobs.get(id);
  const events = [];
  for await (const { kind } of job.events()) events.push(kind);
  await job.wait();
  return { events, status: job.status, outputs: job.outputs.length };
}

process.stdout.write(JSON.stringify(await (what === 'submit' ? submit() : resume())));
process.exit(0);
