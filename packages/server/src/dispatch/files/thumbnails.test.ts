import { expect, it } from 'vitest';
import { newDeferred } from '../../lib/async/deferred.ts';
import { Thumbnails } from './thumbnails.ts';

const picture = (n: number) => ({ sha256: `sha-${n}`, contentType: 'image/png' });
const ada = { edge: 64, caller: 'ada' } as const;
const bob = { edge: 64, caller: 'bob' } as const;

/** Thumbnails whose making waits until the test lets it end. */
function heldThumbnails() {
  const kept = new Map<string, Buffer>();
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  let failing = false;
  let isHeld = true;
  const thumbnails = new Thumbnails({
    content: { useFile: (sha256, work) => work(sha256) },
    cache: {
      read: async (sha256, edge) => kept.get(`${sha256}-${edge}`) ?? null,
      keep: async (sha256, edge, bytes) => void kept.set(`${sha256}-${edge}`, bytes),
    },
    shrink: async (path) => {
      begun.push(path);
      if (isHeld) await new Promise<void>((resolve) => ends.push(resolve));
      if (failing) throw new Error('damaged');
      return Buffer.from(path);
    },
  });
  return {
    thumbnails,
    begun,
    endOne: () => ends.shift()?.(),
    endAll: () => {
      isHeld = false;
      for (const end of ends) end();
    },
    fail: () => {
      failing = true;
    },
  };
}

it('are made once for all who ask at the same time, and then read', async () => {
  const { thumbnails, begun, endOne } = heldThumbnails();
  const asked = [thumbnails.of(picture(1), ada), thumbnails.of(picture(1), ada)];
  await expect.poll(() => begun).toEqual(['sha-1']);
  endOne();
  expect((await Promise.all(asked)).map(String)).toEqual(['sha-1', 'sha-1']);
  expect(String(await thumbnails.of(picture(1), ada))).toBe('sha-1');
  expect(begun).toHaveLength(1);
});

it('are made two at a time, in the order in which they were asked for', async () => {
  const { thumbnails, begun, endOne } = heldThumbnails();
  const asked = [1, 2, 3, 4].map((n) => thumbnails.of(picture(n), ada));
  await expect.poll(() => begun).toEqual(['sha-1', 'sha-2']);
  endOne();
  await asked[0];
  await expect.poll(() => begun).toEqual(['sha-1', 'sha-2', 'sha-3']);
  for (let left = 3; left > 0; left -= 1) {
    await expect.poll(() => begun.length).toBeGreaterThanOrEqual(5 - left);
    endOne();
  }
  await Promise.all(asked);
});

it('are made while the disk still writes those before', async () => {
  const written = newDeferred<void>();
  const begun: string[] = [];
  const thumbnails = new Thumbnails({
    content: { useFile: (sha256, work) => work(sha256) },
    cache: { read: async () => null, keep: () => written.promise },
    shrink: async (path) => {
      begun.push(path);
      return Buffer.from(path);
    },
  });
  const asked = [1, 2, 3, 4].map((n) => thumbnails.of(picture(n), ada));
  await expect.poll(() => begun).toHaveLength(4);
  written.resolve();
  await Promise.all(asked);
});

it('are refused to a user who has too many waiting, while another user still gets one, and next', async () => {
  const { thumbnails, begun, endAll } = heldThumbnails();
  const asked = Array.from({ length: 600 }, (_, n) => thumbnails.of(picture(n), ada));
  await expect.poll(() => begun.length).toBe(2);
  await expect(thumbnails.of(picture(999), ada)).rejects.toMatchObject({
    code: 'thumbnails_busy',
    retryAfterSeconds: 5,
  });
  const other = thumbnails.of(picture(1_000), bob);
  await expect.poll(() => begun.length).toBe(2);
  endAll();
  await Promise.all([...asked, other]);
  expect(begun.indexOf('sha-1000')).toBeLessThan(5);
});

it('give their place to the next when one fails, and are tried again', async () => {
  const { thumbnails, begun, endOne, fail } = heldThumbnails();
  fail();
  const asked = [1, 2, 3].map((n) => thumbnails.of(picture(n), ada));
  const outcomes = Promise.allSettled(asked);
  await expect.poll(() => begun.length).toBe(2);
  endOne();
  await expect.poll(() => begun.length).toBe(3);
  endOne();
  endOne();
  expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  const again = thumbnails.of(picture(1), ada);
  await expect.poll(() => begun.length).toBe(4);
  endOne();
  await expect(again).rejects.toThrow('damaged');
});

it('are refused for what is not a picture before anything is read', async () => {
  const { thumbnails, begun } = heldThumbnails();
  const video = { ...picture(1), contentType: 'video/mp4' };
  await expect(thumbnails.of(video, ada)).rejects.toMatchObject({ code: 'not_a_picture' });
  expect(begun).toEqual([]);
});
