import { expect, test } from 'vitest';
import { readObjectInfo } from './object-info.ts';

const info = {
  CheckpointLoaderSimple: {
    input: { required: { ckpt_name: [['b.safetensors', 'a.ckpt'], { tooltip: '' }] } },
    output_node: false,
  },
  LoraLoader: { input: { required: { lora_name: [[]], strength: ['FLOAT', { default: 1 }] } } },
  NewLoader: {
    input: { optional: { unet: ['COMBO', { options: ['u.gguf'] }], remote: ['COMBO', { remote: {} }] } },
  },
  KSampler: { input: { required: { sampler_name: [['euler', 'ddim'], {}], model: ['MODEL'] } } },
  SaveImage: { input: { required: {}, hidden: { prompt: 'PROMPT' } }, output_node: true },
  Odd: { input: null },
};

const read = (told: object) => readObjectInfo(Buffer.from(JSON.stringify(told)), 'worker');

test('reads classes, outputs and the model files on offer', async () => {
  expect(await read(info)).toMatchObject({
    nodeClasses: ['CheckpointLoaderSimple', 'KSampler', 'LoraLoader', 'NewLoader', 'Odd', 'SaveImage'],
    outputClasses: ['SaveImage'],
    models: {
      'CheckpointLoaderSimple.ckpt_name': ['b.safetensors', 'a.ckpt'],
      'LoraLoader.lora_name': [],
      'NewLoader.unet': ['u.gguf'],
    },
  });
});

test('skips a class whose name some databases cannot store', async () => {
  const hostile = { 'A\0B': { input: { required: { on: ['BOOLEAN'] } }, output_node: true } };
  const { text: _, ...skipped } = await read({ ...hostile, ...info });
  expect(await read(info)).toMatchObject(skipped);
});
