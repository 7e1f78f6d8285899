import { expect, it } from 'vitest';
import { boundedFetch } from './bounded-fetch.ts';

const answering = (body: string | ReadableStream | null, init?: ResponseInit) => async () =>
  new Response(body, init);

it('passes on an answer of exactly the allowed size', async () => {
  const fetch = boundedFetch(answering('12345', { status: 201, headers: { 'x-a': 'b' } }), { maxBytes: 5 });
  const response = await fetch('http://x/');
  expect([response.status, response.headers.get('x-a'), await response.text()]).toEqual([201, 'b', '12345']);
});

it('cuts off an endless answer and closes the connection to its sender', async () => {
  let wasCancelled = false;
  const endless = new ReadableStream({
    pull: (controller) => controller.enqueue(new Uint8Array(1_000)),
    cancel: () => {
      wasCancelled = true;
    },
  });
  const response = await boundedFetch(answering(endless), { maxBytes: 10_000 })('http://x/');
  await expect(response.text()).rejects.toThrow('The answer is larger than 10000 bytes.');
  expect(wasCancelled).toBe(true);
});

it('leaves an answer without a body unchanged', async () => {
  const response = await boundedFetch(answering(null, { status: 204 }), { maxBytes: 1 })('http://x/');
  expect(response.status).toBe(204);
});

it('cuts off an endless line, and passes on many short ones', async () => {
  const limits = { maxBytes: 1_000, maxLineBytes: 10 };
  const short = await boundedFetch(answering('12345678\n'.repeat(50)), limits)('http://x/');
  expect(await short.text()).toHaveLength(450);
  const long = await boundedFetch(answering(`1\n${'2'.repeat(11)}`), limits)('http://x/');
  await expect(long.text()).rejects.toThrow('A line of the answer is larger than 10 bytes.');
});
