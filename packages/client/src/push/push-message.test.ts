import { describe, expect, it } from 'vitest';
import { decodeMessage } from './push-message.ts';

function binary(header: string, image: number[], lengthWritten = header.length): ArrayBuffer {
  const bytes = new Uint8Array(4 + header.length + image.length);
  new DataView(bytes.buffer).setUint32(0, lengthWritten);
  bytes.set(new TextEncoder().encode(header), 4);
  bytes.set(image, 4 + header.length);
  return bytes.buffer;
}

describe('a message', () => {
  it('is read from its text', () => {
    const frame = { type: 'task_progress', timestamp: 1, data: { taskId: 't', progress: 5 } };
    expect(decodeMessage(JSON.stringify(frame))).toEqual(frame);
  });

  it('with a picture is read from its bytes', () => {
    expect(decodeMessage(binary('{"taskId":"t","mediaType":"image/jpeg"}', [1, 2]))).toEqual({
      type: 'preview',
      data: { taskId: 't', mediaType: 'image/jpeg', image: new Uint8Array([1, 2]) },
    });
  });

  it.each([
    ['of a type that this version does not know', '{"type":"from_the_future","data":{}}'],
    ['that is no object', '5'],
    ['that is no JSON', '{'],
    ['of no bytes', new ArrayBuffer(0)],
    ['whose header is longer than itself', binary('{}', [], 4_000_000_000)],
    ['whose header names no task', binary('{}', [])],
    ['of another kind', { type: 'pong' }],
  ])('%s is passed over', (_, data) => {
    expect(decodeMessage(data)).toBeNull();
  });
});
