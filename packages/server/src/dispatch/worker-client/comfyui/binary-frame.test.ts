import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readBinaryFrame } from './binary-frame.ts';

const u32 = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};
const bytes = Buffer.from('image bytes');

test('type 1 is a preview that does not name its prompt', () => {
  expect(readBinaryFrame(Buffer.concat([u32(1), u32(2), bytes]))).toEqual({
    kind: 'image',
    mediaType: 'image/png',
    bytes,
    promptId: null,
    nodeId: null,
  });
  expect(readBinaryFrame(Buffer.concat([u32(1), u32(1), bytes]))).toMatchObject({ mediaType: 'image/jpeg' });
});

test('type 4 names its prompt and node', () => {
  const metadata = Buffer.from(JSON.stringify({ node_id: '5', prompt_id: 'p', image_type: 'image/png' }));
  const frame = Buffer.concat([u32(4), u32(metadata.length), metadata, bytes]);
  expect(readBinaryFrame(frame)).toEqual({
    kind: 'image',
    mediaType: 'image/png',
    bytes,
    promptId: 'p',
    nodeId: '5',
  });
});

test('type 3 is a text of a node', () => {
  const frame = Buffer.concat([u32(3), u32(2), Buffer.from('12'), Buffer.from('größer')]);
  expect(readBinaryFrame(frame)).toEqual({ kind: 'text', nodeId: '12', text: 'größer' });
});

test('a frame that is cut short, claims too much or is unknown is ignored', () => {
  for (const frame of [
    Buffer.alloc(0),
    u32(1),
    Buffer.concat([u32(1), u32(9), bytes]),
    Buffer.concat([u32(1), u32(2)]),
    Buffer.concat([u32(2), u32(1), bytes]),
    Buffer.concat([u32(3), u32(0xffffffff), bytes]),
    Buffer.concat([u32(4), u32(1_000), bytes]),
    Buffer.concat([u32(4), u32(2), Buffer.from('[]')]),
  ]) {
    expect(readBinaryFrame(frame)).toBeNull();
  }
});

test('never throws', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), fc.constantFrom(1, 2, 3, 4), (rest, type) => {
      readBinaryFrame(Buffer.concat([u32(type), rest]));
    }),
  );
});
