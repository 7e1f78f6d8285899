import { PassThrough, Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { AppError } from '../../lib/app-error.ts';
import { readWhole } from './read-whole.ts';

const anyLength = () => undefined;

test('a body becomes one buffer, however many parts it has', async () => {
  const parts = Array.from({ length: 1_000 }, (_, index) => Buffer.from([index % 256]));
  const lengths: number[] = [];
  const whole = await readWhole(Readable.from(parts), (bytes) => lengths.push(bytes));
  expect(whole).toEqual(Buffer.concat(parts));
  expect(lengths).toEqual(parts.map((_, index) => index + 1));
});

test('an empty body is an empty buffer', async () => {
  expect(await readWhole(Readable.from([]), anyLength)).toEqual(Buffer.alloc(0));
});

test('a body that is refused while it arrives is not read further, and its stream stays open', async () => {
  const payload = new PassThrough();
  const reading = readWhole(payload, (bytes) => {
    if (bytes > 5) throw new AppError('body_too_large');
  });
  payload.write('123');
  payload.write('456');
  await expect(reading).rejects.toMatchObject({ code: 'body_too_large' });
  expect([payload.destroyed, payload.listenerCount('data')]).toEqual([false, 0]);
});

test('a body that breaks off is an error, even if it broke off before the read', async () => {
  const payload = new PassThrough();
  const reading = readWhole(payload, anyLength);
  payload.write('half');
  payload.destroy();
  await expect(reading).rejects.toMatchObject({ code: 'body_malformed' });
  await expect(readWhole(payload, anyLength)).rejects.toMatchObject({ code: 'body_malformed' });
});
