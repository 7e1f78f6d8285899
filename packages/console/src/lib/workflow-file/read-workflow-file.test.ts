import { deflateSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { readWorkflowFile, readWorkflowText } from './read-workflow-file.ts';

const graph = {
  '1': { class_type: 'LoadImage', inputs: { image: 'cat.png' } },
  '2': { class_type: 'ImageInvert', inputs: { image: ['1', 0] } },
};

const json = (value: unknown) => new Blob([JSON.stringify(value)]);

it('reads a graph in API format, also out of the body of a request', async () => {
  const expected = { kind: 'graph', nodes: 2, name: 'invert', from: 'text', graph };
  expect(await readWorkflowFile(json(graph), 'invert.json')).toEqual(expected);
  expect(await readWorkflowFile(json({ prompt: graph }), 'invert.json')).toEqual(expected);
  expect(await readWorkflowFile(json({ workflow: graph }), 'invert.json')).toEqual(expected);
});

it('takes an exported workflow with its form, and a file that only looks like one by its graph', async () => {
  const file = { format: 'switchyard.workflow', formatVersion: 1, name: 'Poster', workflow: graph, form: [] };
  const expected = { kind: 'graph', nodes: 2, name: 'Poster', from: 'text', graph, exported: file };
  expect(await readWorkflowFile(json(file), 'p.json')).toEqual(expected);
  expect(await readWorkflowFile(json({ ...file, name: 7 }), 'p.json')).not.toHaveProperty('exported');
});

it('says that a file is what the editor of ComfyUI saves', async () => {
  const file = json({ nodes: [{ id: 1 }, { id: 2 }, { id: 3 }], links: [], version: 0.4 });
  expect(await readWorkflowFile(file, 'flow.json')).toMatchObject({ kind: 'editor', nodes: 3 });
});

it('names the whole file when it is not a workflow', async () => {
  const read = (text: string, name: string) => readWorkflowFile(new Blob([text]), name);
  expect(await read('buy milk', 'notes.txt')).toMatchObject({ kind: 'no_workflow', name: 'notes.txt' });
  expect(await read('{"a":1}', 'a.json')).toEqual({ kind: 'other_json', name: 'a.json' });
});

it('tells JSON that is not a workflow from JSON that is broken and from other text', () => {
  expect(readWorkflowText('{"a":1}', 'a')).toEqual({ kind: 'other_json', name: 'a' });
  expect(readWorkflowText('[]', 'a')).toEqual({ kind: 'other_json', name: 'a' });
  expect(readWorkflowText('{"a":', 'a')).toEqual({ kind: 'broken_json', name: 'a' });
  expect(readWorkflowText('a shopping list', 'a')).toEqual({ kind: 'no_workflow', name: 'a', from: 'text' });
});

it('takes the NaN that Python writes for null, and leaves it alone in texts', () => {
  const text = '{"1":{"class_type":"A","inputs":{"text":"NaN is \\"NaN\\""},"is_changed":NaN}}';
  expect(readWorkflowText(text, 'a')).toMatchObject({
    kind: 'graph',
    graph: { '1': { inputs: { text: 'NaN is "NaN"' }, is_changed: null } },
  });
});

it.each([
  ['jpeg', [0xff, 0xd8, 0xff, 0xe0, 0]],
  ['gif', [...'GIF89a'].map((letter) => letter.charCodeAt(0))],
  ['pdf', [...'%PDF-1.7'].map((letter) => letter.charCodeAt(0))],
  ['video', [0, 0, 0, 24, ...[...'ftypisom'].map((letter) => letter.charCodeAt(0))]],
  ['zip', [0x50, 0x4b, 3, 4, 0, 0]],
  ['empty', []],
  ['binary', [1, 0, 2]],
] as const)('says that a file is a %s without a workflow', async (from, bytes) => {
  const read = await readWorkflowFile(new Blob([new Uint8Array(bytes)]), 'holiday.bin');
  expect(read).toEqual({ kind: 'no_workflow', name: 'holiday.bin', from });
});

it('says that a model file is a model file', async () => {
  const read = await readWorkflowFile(new Blob([new Uint8Array([1, 0])]), 'flux.safetensors');
  expect(read).toMatchObject({ kind: 'no_workflow', from: 'model' });
});

it.each(['tEXt', 'iTXt', 'zTXt', 'packed iTXt'])(
  'takes the graph out of a %s chunk of a PNG',
  async (kind) => {
    const read = await readWorkflowFile(png([textChunk(kind, 'prompt', JSON.stringify(graph))]), 'cat.png');
    expect(read).toEqual({ kind: 'graph', graph, nodes: 2, name: 'cat', from: 'png' });
  },
);

it('prefers the executed graph of a picture to what the editor kept beside it', async () => {
  const editor = textChunk('tEXt', 'workflow', JSON.stringify({ nodes: [{}], links: [] }));
  const prompt = textChunk('tEXt', 'prompt', JSON.stringify(graph));
  expect(await readWorkflowFile(png([editor, prompt]), 'a.png')).toMatchObject({ kind: 'graph' });
  expect(await readWorkflowFile(png([editor]), 'a.png')).toMatchObject({ kind: 'editor', nodes: 1 });
});

it('finds no workflow in a PNG without one, in a broken one and in one that ends early', async () => {
  const none = { kind: 'no_workflow', from: 'png' };
  expect(await readWorkflowFile(png([]), 'a.png')).toMatchObject(none);
  const broken = chunk('zTXt', Buffer.concat([Buffer.from('prompt\0\0'), Buffer.from('not deflated')]));
  expect(await readWorkflowFile(png([broken]), 'a.png')).toMatchObject(none);
  const whole = png([textChunk('tEXt', 'prompt', JSON.stringify(graph))]);
  expect(await readWorkflowFile(whole.slice(0, 60), 'a.png')).toMatchObject(none);
});

it('does not unpack a text that stands for gigabytes', async () => {
  const bomb = textChunk('zTXt', 'prompt', ' '.repeat(20 * 1024 * 1024));
  expect(await readWorkflowFile(png([bomb]), 'a.png')).toMatchObject({ kind: 'no_workflow' });
});

it('reads a picture of 100 MB in small slices', async () => {
  const pixels = chunk('IDAT', Buffer.alloc(1024 * 1024));
  const prompt = textChunk('tEXt', 'prompt', JSON.stringify(graph));
  const parts = Array.from({ length: 100 }, () => pixels);
  const file = countingReads(png([...parts, prompt]));
  expect(await readWorkflowFile(file.blob, 'large.png')).toMatchObject({ kind: 'graph' });
  expect(file.maxReadBytes()).toBeLessThanOrEqual(256 * 1024);
});

it('takes the graph out of the EXIF block of a WebP', async () => {
  const entry = `prompt:${JSON.stringify(graph)}`;
  expect(await readWorkflowFile(webp([entry]), 'cat.webp')).toMatchObject({
    kind: 'graph',
    graph,
    from: 'webp',
  });
  expect(await readWorkflowFile(webp([]), 'cat.webp')).toMatchObject({ kind: 'no_workflow', from: 'webp' });
});

it('refuses a text that is too large to be a workflow', async () => {
  const file = new Blob(['{', ' '.repeat(16 * 1024 * 1024), '}']);
  expect(await readWorkflowFile(file, 'a.json')).toMatchObject({ kind: 'too_large' });
});

function png(chunks: Buffer[]): Blob {
  const signature = Buffer.from('89504e470d0a1a0a', 'hex');
  const parts = [signature, chunk('IHDR', Buffer.alloc(13)), ...chunks, chunk('IEND', Buffer.alloc(0))];
  return new Blob(parts.map((part) => new Uint8Array(part)));
}

function chunk(kind: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  return Buffer.concat([length, Buffer.from(kind, 'latin1'), data, Buffer.alloc(4)]);
}

function textChunk(kind: string, keyword: string, text: string): Buffer {
  const key = Buffer.from(`${keyword}\0`, 'latin1');
  if (kind === 'tEXt') return chunk(kind, Buffer.concat([key, Buffer.from(text)]));
  if (kind === 'zTXt') return chunk(kind, Buffer.concat([key, Buffer.from([0]), deflateSync(text)]));
  const isPacked = kind === 'packed iTXt';
  const body = isPacked ? deflateSync(text) : Buffer.from(text);
  return chunk('iTXt', Buffer.concat([key, Buffer.from([isPacked ? 1 : 0, 0, 0, 0]), body]));
}

function webp(entries: string[]): Blob {
  const texts = entries.map((entry) => Buffer.from(`${entry}\0`));
  const directoryBytes = 2 + entries.length * 12 + 4;
  const tiff = Buffer.alloc(8 + directoryBytes);
  tiff.write('II*\0', 'latin1');
  tiff.writeUInt32LE(8, 4);
  tiff.writeUInt16LE(entries.length, 8);
  let textAt = tiff.length;
  texts.forEach((text, index) => {
    const at = 10 + index * 12;
    tiff.writeUInt16LE(0x0110, at);
    tiff.writeUInt16LE(2, at + 2);
    tiff.writeUInt32LE(text.length, at + 4);
    tiff.writeUInt32LE(textAt, at + 8);
    textAt += text.length;
  });
  const exif = Buffer.concat([tiff, ...texts]);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(exif.length);
  const head = Buffer.from('RIFF\0\0\0\0WEBP', 'latin1');
  return new Blob([head, Buffer.from('EXIF'), length, exif].map((part) => new Uint8Array(part)));
}

function countingReads(blob: Blob): { blob: Blob; maxReadBytes: () => number } {
  let max = 0;
  const counting = new Proxy(blob, {
    get(target, name) {
      if (name === 'size') return target.size;
      if (name !== 'slice') throw new Error(`${String(name)} reads the whole file`);
      return (start: number, end: number) => {
        max = Math.max(max, end - start);
        return target.slice(start, end);
      };
    },
  });
  return { blob: counting, maxReadBytes: () => max };
}
