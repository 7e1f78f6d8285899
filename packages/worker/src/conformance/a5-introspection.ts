import assert from 'node:assert/strict';
import { factsOf, optional } from './fact.ts';
import { savedImage } from './graphs.ts';

export const introspectionFacts = factsOf('A5', {
  'describes system and devices in /system_stats': async (subject) => {
    const { system, devices } = await subject.json('/system_stats');
    assert.equal(typeof system.ram_total, 'number');
    assert.equal(typeof system.ram_free, 'number');
    assert.equal(typeof system.comfyui_version, 'string');
    assert.ok(Array.isArray(system.argv));
    const fields = [
      'index',
      'name',
      'torch_vram_free',
      'torch_vram_total',
      'type',
      'vram_free',
      'vram_total',
    ];
    for (const device of devices) assert.deepEqual(Object.keys(device).sort(), fields);
    assert.ok(devices.length > 0);
  },

  'describes every node class in /object_info, and one in /object_info/{class}': async (subject) => {
    const all = await subject.json('/object_info');
    assert.deepEqual(await subject.json('/object_info/ImageInvert'), { ImageInvert: all.ImageInvert });
    assert.deepEqual(all.ImageInvert.input.required.image[0], 'IMAGE');
    assert.deepEqual(all.ImageInvert.output, ['IMAGE']);
  },

  'answers {} for a class that it does not have': async (subject) => {
    assert.deepEqual(await subject.json('/object_info/NoSuchNodeAnywhere'), {});
  },

  'marks output nodes': async (subject) => {
    assert.equal((await subject.json('/object_info/SaveImage')).SaveImage.output_node, true);
    assert.equal((await subject.json('/object_info/ImageInvert')).ImageInvert.output_node, false);
  },

  'lists the values of a combo, and the range of a number': async (subject) => {
    const { required } = (await subject.json('/object_info/ImageScale')).ImageScale.input;
    const [first, options] = required.upscale_method;
    assert.ok((Array.isArray(first) ? first : options.options).includes('lanczos'));
    assert.deepEqual(required.width[0], 'INT');
    assert.equal(required.width[1].min, 0);
  },

  'lists the files of a model folder, and answers 404 for an unknown one': optional(async (subject) => {
    assert.ok(Array.isArray(await subject.json('/models/checkpoints')));
    assert.equal((await subject.request('/models/no_such_folder')).status, 404);
  }),

  'names the upload limit in /features': async (subject) => {
    const features = await subject.json('/features');
    assert.equal(typeof features.max_upload_size, 'number');
    assert.equal(features.supports_preview_metadata, true);
  },

  'frees memory between prompts only: the next run starts without a cache': optional(async (subject) => {
    const graph = savedImage();
    await subject.run(graph);
    assert.equal((await subject.post('/free', { unload_models: true, free_memory: true })).status, 200);
    const { status } = await subject.eventually('a run without a cache', async () => {
      const entry = await subject.run(graph);
      return entry.status.messages[1][1].nodes.length === 0 ? entry : undefined;
    });
    assert.equal(status.completed, true);
  }),
});
