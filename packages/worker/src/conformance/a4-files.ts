import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { factsOf, optional } from './fact.ts';
import { emptyImage, loadedImage, savedImage, websocketImages } from './graphs.ts';
import { firstPixel, onePixelPng, pngSize } from './png.ts';
import type { Answer, Subject } from './subject.ts';

const redDot = onePixelPng([255, 0, 0, 255]);
const blueDot = onePixelPng([0, 0, 255, 255]);

export const fileFacts = factsOf('A4', {
  'answers an upload with name, subfolder and type': async (subject) => {
    const name = `${randomUUID()}.png`;
    const response = await subject.upload({}, { name, bytes: redDot });
    assert.equal(response.status, 200);
    assert.deepEqual(await response.json(), { name, subfolder: '', type: 'input' });
  },

  'takes any type of file': async (subject) => {
    const name = `${randomUUID()}.txt`;
    assert.equal((await subject.upload({}, { name, bytes: Buffer.from('plain text') })).status, 200);
    assert.equal(await (await view(subject, { filename: name, type: 'input' })).text(), 'plain text');
  },

  'puts an upload where type says, and answers another type with 500': optional(async (subject) => {
    const name = `${randomUUID()}.png`;
    for (const type of ['input', 'temp', 'output']) {
      assert.equal((await subject.upload({ type }, { name, bytes: redDot })).status, 200);
      assert.equal((await view(subject, { filename: name, type })).status, 200);
    }
    assert.equal((await subject.upload({ type: 'elsewhere' }, { name, bytes: redDot })).status, 500);
  }),

  'makes the subfolder, and a loader takes "subfolder/name"': async (subject) => {
    const subfolder = `conformance/${randomUUID()}`;
    const response = await subject.upload({ subfolder }, { name: 'dot.png', bytes: redDot });
    assert.deepEqual(await response.json(), { name: 'dot.png', subfolder, type: 'input' });
    const { outputs } = await subject.run(loadedImage(`${subfolder}/dot.png`));
    const png = await (await view(subject, outputs['2'].images[0])).arrayBuffer();
    assert.deepEqual(firstPixel(Buffer.from(png)).slice(0, 3), [255, 0, 0]);
  },

  'refuses a subfolder that leads out with 400': async (subject) => {
    assert.equal(
      (await subject.upload({ subfolder: '../..' }, { name: 'a.png', bytes: redDot })).status,
      400,
    );
    assert.equal((await subject.upload({ subfolder: '/tmp' }, { name: 'a.png', bytes: redDot })).status, 400);
  },

  'refuses an upload without the part image with 400': async (subject) => {
    const form = new FormData();
    form.set('type', 'input');
    assert.equal((await subject.request('/upload/image', { method: 'POST', body: form })).status, 400);
  },

  'keeps one file for the same name and the same bytes': async (subject) => {
    const name = `${randomUUID()}.png`;
    await subject.upload({}, { name, bytes: redDot });
    assert.equal(await nameOf(await subject.upload({}, { name, bytes: redDot })), name);
  },

  'renames other bytes under a name that is taken': optional(async (subject) => {
    const stem = randomUUID();
    await subject.upload({}, { name: `${stem}.png`, bytes: redDot });
    assert.equal(
      await nameOf(await subject.upload({}, { name: `${stem}.png`, bytes: blueDot })),
      `${stem} (1).png`,
    );
  }),

  'overwrites when overwrite is "true" or "1"': async (subject) => {
    const name = `${randomUUID()}.png`;
    for (const [overwrite, bytes] of [
      ['true', redDot],
      ['1', blueDot],
    ] as const) {
      assert.equal(await nameOf(await subject.upload({ overwrite }, { name, bytes })), name);
      const stored = Buffer.from(
        await (await view(subject, { filename: name, type: 'input' })).arrayBuffer(),
      );
      assert.ok(stored.equals(bytes));
    }
  },

  'gives an original the alpha of an uploaded mask': optional(async (subject) => {
    const original = `${randomUUID()}.png`;
    await subject.upload({}, { name: original, bytes: redDot });
    const name = `${randomUUID()}.png`;
    const original_ref = JSON.stringify({ filename: original, subfolder: '', type: 'input' });
    const bytes = onePixelPng([0, 0, 0, 60]);
    const response = await subject.upload({ original_ref }, { name, bytes, path: '/upload/mask' });
    assert.equal(response.status, 200);
    const masked = Buffer.from(await (await view(subject, { filename: name, type: 'input' })).arrayBuffer());
    assert.deepEqual(firstPixel(masked), [255, 0, 0, 60]);
  }),

  'looks in output when /view names no type': async (subject) => {
    const [file] = (await subject.run(savedImage())).outputs['3'].images;
    const response = await view(subject, { filename: file.filename, subfolder: file.subfolder });
    assert.equal(response.status, 200);
    assert.deepEqual(pngSize(Buffer.from(await response.arrayBuffer())), { width: 16, height: 8 });
  },

  'answers 404 for a file that is not there, and when no filename is given': async (subject) => {
    assert.equal((await view(subject, { filename: 'nowhere.png' })).status, 404);
    assert.equal((await view(subject, {})).status, 404);
  },

  'answers 400 for ".." and for a leading "/" in the name': optional(async (subject) => {
    assert.equal((await view(subject, { filename: '../secret.png' })).status, 400);
    assert.equal((await view(subject, { filename: '/etc/passwd' })).status, 400);
  }),

  'answers 403 for a subfolder that leads out': optional(async (subject) => {
    assert.equal((await view(subject, { filename: 'passwd', subfolder: '../../../etc' })).status, 403);
  }),

  'serves ranges and recognises its ETag': optional(async (subject) => {
    const name = `${randomUUID()}.png`;
    await subject.upload({}, { name, bytes: redDot });
    const place = { filename: name, type: 'input' };
    const part = await view(subject, place, { range: 'bytes=1-3' });
    assert.equal(part.status, 206);
    assert.equal(await part.text(), 'PNG');
    const etag = (await view(subject, place)).headers.get('etag') ?? '';
    assert.notEqual(etag, '');
    assert.equal((await view(subject, place, { 'if-none-match': etag })).status, 304);
  }),

  'never serves a page as one': optional(async (subject) => {
    const name = `${randomUUID()}.html`;
    await subject.upload({}, { name, bytes: Buffer.from('<script>alert(1)</script>') });
    const type = (await view(subject, { filename: name, type: 'input' })).headers.get('content-type') ?? '';
    assert.doesNotMatch(type, /html/);
  }),

  'makes a smaller preview: preview=webp;90 and preview=jpeg': optional(async (subject) => {
    const [file] = (await subject.run(savedImage())).outputs['3'].images;
    for (const [preview, type] of [
      ['webp;90', 'image/webp'],
      ['jpeg', 'image/jpeg'],
    ] as const) {
      const response = await view(subject, { ...file, preview });
      assert.equal(response.status, 200);
      assert.equal(response.headers.get('content-type'), type);
    }
  }),

  'gives the colours or the alpha alone: channel=rgb and channel=a': optional(async (subject) => {
    const name = `${randomUUID()}.png`;
    await subject.upload({}, { name, bytes: onePixelPng([10, 20, 30, 40]) });
    const pixel = async (channel: string) => {
      const response = await view(subject, { filename: name, type: 'input', channel });
      return firstPixel(Buffer.from(await response.arrayBuffer()));
    };
    assert.deepEqual(await pixel('rgb'), [10, 20, 30]);
    assert.deepEqual(await pixel('a'), [0, 0, 0, 40]);
  }),

  'keeps previews in temp': async (subject) => {
    const graph = { '1': emptyImage(), '2': { class_type: 'PreviewImage', inputs: { images: ['1', 0] } } };
    const [file] = (await subject.run(graph)).outputs['2'].images;
    assert.equal(file.type, 'temp');
    assert.equal((await view(subject, file)).status, 200);
  },

  'wipes temp when it starts': optional(async (subject) => {
    const graph = { '1': emptyImage(), '2': { class_type: 'PreviewImage', inputs: { images: ['1', 0] } } };
    const [file] = (await subject.run(graph)).outputs['2'].images;
    await subject.restart();
    assert.equal((await view(subject, file)).status, 404);
  }),

  'can end with text and no file': async (subject) => {
    await subject.needNodes('PrimitiveString', 'PreviewAny');
    const value = randomUUID();
    const { outputs } = await subject.run({
      '1': { class_type: 'PrimitiveString', inputs: { value } },
      '2': { class_type: 'PreviewAny', inputs: { source: ['1', 0] } },
    });
    assert.deepEqual(outputs, { '2': { text: [value] } });
  },

  'can end with pictures that exist only as frames on the socket': async (subject) => {
    await subject.needNodes('SaveImageWebsocket');
    const ear = await subject.listen('conformance-binary');
    const promptId = await subject.accept(websocketImages(1), { client_id: 'conformance-binary' });
    const frame = await ear.hearBinary(() => true, 'a picture');
    assert.deepEqual([frame.readUInt32BE(0), frame.readUInt32BE(4)], [1, 2]);
    assert.deepEqual(pngSize(frame.subarray(8)), { width: 16, height: 8 });
    assert.deepEqual((await subject.finished(promptId)).outputs, {});
  },
});

async function view(
  subject: Subject,
  query: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<Response> {
  return await subject.request(`/view?${new URLSearchParams(query)}`, { headers });
}

async function nameOf(response: Response): Promise<string> {
  return ((await response.json()) as Answer).name;
}
