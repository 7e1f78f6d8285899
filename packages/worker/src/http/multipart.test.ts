import { describe, expect, it } from 'vitest';
import { readMultipart } from './multipart.ts';

const contentType = 'multipart/form-data; boundary=B';

/** Reads a body that arrives in pieces of the given size. */
async function read(
  body: string | Buffer,
  { piece = 1 << 20, type = contentType as string | undefined } = {},
) {
  const bytes = Buffer.from(body);
  async function* pieces() {
    for (let at = 0; at < bytes.length; at += piece) yield bytes.subarray(at, at + piece);
  }
  const files: { name: string; filename: string; content: Buffer }[] = [];
  const fields = await readMultipart(pieces(), {
    contentType: type,
    onFile: async ({ name, filename, content }) => {
      const chunks: Buffer[] = [];
      for await (const chunk of content) chunks.push(Buffer.from(chunk));
      files.push({ name, filename, content: Buffer.concat(chunks) });
    },
  });
  return { fields: Object.fromEntries(fields), files };
}

const part = (headers: string, content: string) => `--B\r\n${headers}\r\n\r\n${content}\r\n`;
const field = (name: string, value: string) => part(`Content-Disposition: form-data; name="${name}"`, value);
const file = (filename: string, content: string) =>
  part(
    `Content-Disposition: form-data; name="image"; filename="${filename}"\r\nContent-Type: image/png`,
    content,
  );

describe('readMultipart', () => {
  it('reads fields and files, wherever the body is cut', async () => {
    const content = 'bytes with \r\n--A\r\n and \r\n-- and \r';
    const body = `${field('type', 'input')}${file('a.png', content)}${field('overwrite', '1')}--B--\r\n`;
    for (let piece = 1; piece < 40; piece += 1) {
      const { fields, files } = await read(body, { piece });
      expect(fields).toEqual({ type: 'input', overwrite: '1' });
      expect(files).toEqual([{ name: 'image', filename: 'a.png', content: Buffer.from(content) }]);
    }
  });

  it('reads an empty file and skips everything before the first boundary', async () => {
    const { files } = await read(`preamble\r\n${file('empty.png', '')}--B--`);
    expect(files[0]?.content.length).toBe(0);
  });

  it.each([
    [String.raw`a \"quoted\" name.png`, 'a "quoted" name.png'],
    ['100%22.png', '100".png'],
    ['Grüße.png', 'Grüße.png'],
    ['..\\..\\up.png', '..\\..\\up.png'],
  ])('reads the file name %s', async (written, name) => {
    const { files } = await read(`${file(written, 'x')}--B--`);
    expect(files[0]?.filename).toBe(name);
  });

  it('prefers an encoded file name', async () => {
    const header = `Content-Disposition: form-data; name="image"; filename="x"; filename*=UTF-8''na%C3%AFve.png`;
    expect((await read(`${part(header, 'x')}--B--`)).files[0]?.filename).toBe('naïve.png');
  });

  it('takes a quoted boundary', async () => {
    const { fields } = await read(`${field('a', '1')}--B--`, { type: 'multipart/form-data; boundary="B"' });
    expect(fields).toEqual({ a: '1' });
  });

  it.each([
    ['no boundary', field('a', '1'), 'application/json', 'Send multipart/form-data with a boundary.'],
    [
      'an end in the middle',
      '--B\r\nContent-Disposition: form-data; name="a"\r\n\r\nvalue',
      contentType,
      'ends in the middle',
    ],
    [
      'an end in a file',
      '--B\r\nContent-Disposition: form-data; name="a"; filename="b"\r\n\r\nvalue',
      contentType,
      'ends in the middle',
    ],
    [
      'no disposition',
      '--B\r\nContent-Type: text/plain\r\n\r\nx\r\n--B--',
      contentType,
      'no Content-Disposition',
    ],
    ['no boundary at all in the body', 'x'.repeat(20_000), contentType, 'More than 16384 bytes'],
    [
      'a field that is too long',
      `${field('a', 'x'.repeat(70_000))}--B--`,
      contentType,
      'More than 65536 bytes',
    ],
    [
      'too many parts',
      `${Array.from({ length: 33 }, () => field('a', '1')).join('')}--B--`,
      contentType,
      'at most 32 parts',
    ],
    ['rubbish after a boundary', '--Bxx\r\n', contentType, 'does not end with its boundary'],
  ])('refuses %s', async (_, body, type, reason) => {
    await expect(read(body, { type })).rejects.toThrow(reason);
  });
});
