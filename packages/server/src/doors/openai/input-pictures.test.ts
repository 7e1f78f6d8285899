import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import type { ChatMessage, MessageBlock } from './answer.ts';
import { withPictures } from './input-pictures.ts';

const signal = new AbortController().signal;
const withUrls = (...urls: string[]): ChatMessage[] => [
  {
    role: 'user',
    content: urls.map((url): MessageBlock => ({ type: 'image_url', image_url: { url, detail: 'low' } })),
  },
];

/** A server that answers every address in the same way. */
function serving(...parts: Buffer[]) {
  const answers: Readable[] = [];
  const download = async () => {
    const answer = Readable.from(parts);
    answers.push(answer);
    return answer;
  };
  return { answers, download };
}

const png = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');

it('puts the content in the place of an https address, and leaves a data address alone', async () => {
  const data = 'data:image/png;base64,AAAA';
  const { download } = serving(png, Buffer.from('c'));
  const [message] = await withPictures(withUrls('https://example.com/a.jpg', data), { download, signal });
  expect(message?.content).toEqual([
    {
      type: 'image_url',
      image_url: {
        url: `data:image/png;base64,${Buffer.concat([png, Buffer.from('c')]).toString('base64')}`,
        detail: 'low',
      },
    },
    { type: 'image_url', image_url: { url: data, detail: 'low' } },
  ]);
});

it.each<[string, ReturnType<typeof serving>, number, RegExp]>([
  ['something else', serving(Buffer.from('<!doctype html>')), 1, /text\/html.* an image is/],
  ['too large', serving(png, Buffer.alloc(6_000_000), Buffer.alloc(6_000_000)), 1, /larger than/],
  ['too many', serving(png), 11, /At most 10 images/],
])('refuses what is %s, by the place of the picture', async (_name, { download, answers }, count, why) => {
  const messages = withUrls(...Array.from({ length: count }, (_, index) => `https://example.com/${index}`));
  await expect(withPictures(messages, { download, signal })).rejects.toMatchObject({
    word: 'invalid_value',
    param: `messages.0.content.${count - 1}.image_url`,
    message: expect.stringMatching(why),
  });
  if (count === 1) expect(answers.every(({ destroyed }) => destroyed)).toBe(true);
});
