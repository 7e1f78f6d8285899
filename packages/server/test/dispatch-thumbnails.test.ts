import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pngThatClaims } from '../testing/png-that-claims.ts';
import { DispatchCaller } from './support/dispatch-caller.ts';
import { type DispatchPool, startPool } from './support/dispatch-pool.ts';

describe('the thumbnail of a file', () => {
  let pool: DispatchPool;
  let bob: DispatchCaller;
  let picture: { fileId: string; url: string };

  beforeAll(async () => {
    pool = await startPool({ workers: [] });
    const { user } = pool;
    bob = await DispatchCaller.register(pool.gateway.url, 'bob@example.com');
    const blank = { width: 800, height: 400, channels: 3, background: 'blue' } as const;
    picture = await user.upload('blue.png', await sharp({ create: blank }).png().toBuffer());
  });

  afterAll(() => pool.close());

  const load = (path: string, caller: DispatchCaller | null = pool.user, headers = {}) =>
    fetch(new URL(path, pool.gateway.url), {
      headers: { ...(caller && { authorization: `Bearer ${caller.token}` }), ...headers },
    });
  const address = (fileId: string, query = '') => `/api/files/${fileId}/thumbnail${query}`;
  const sizeOf = async (answer: Response) => {
    const { format, width, height } = await sharp(Buffer.from(await answer.arrayBuffer())).metadata();
    return [format, width, height];
  };

  it('is a WebP of one of a few sizes', async () => {
    const usual = await load(address(picture.fileId));
    expect([usual.status, usual.headers.get('content-type')]).toEqual([200, 'image/webp']);
    expect(await sizeOf(usual)).toEqual(['webp', 256, 128]);
    expect(await sizeOf(await load(address(picture.fileId, '?size=64')))).toEqual(['webp', 64, 32]);
    for (const query of ['?size=65', '?size=big', '?size=256&sice=1']) {
      expect((await load(address(picture.fileId, query))).status).toBe(422);
    }
  });

  it('stands in a page by a signed link, and runs nothing there', async () => {
    const { searchParams } = new URL(picture.url);
    for (const link of [`${picture.url}&size=128`, address(picture.fileId, `?size=128&${searchParams}`)]) {
      const answer = await load(link, null);
      expect(await sizeOf(answer)).toEqual(['webp', 128, 64]);
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        'x-content-type-options': 'nosniff',
        'content-security-policy': expect.stringContaining('sandbox'),
        'cross-origin-resource-policy': 'cross-origin',
      });
    }
    searchParams.set('sig', 'A'.repeat(43));
    expect((await load(address(picture.fileId, `?${searchParams}`), null)).status).toBe(403);
    expect((await load(address(picture.fileId), null)).status).toBe(401);
  });

  it('is not sent again to a client that has it', async () => {
    const etag = (await load(address(picture.fileId))).headers.get('etag') ?? '';
    const headers = { 'if-none-match': etag };
    expect((await load(address(picture.fileId), pool.user, headers)).status).toBe(304);
    expect((await load(address(picture.fileId, '?size=512'), pool.user, headers)).status).toBe(200);
  });

  it('is refused with the cause for what is not a picture, is damaged or is too large', async () => {
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>1</script></svg>';
    const bomb = pngThatClaims(150_000, 150_000);
    const cases: [name: string, bytes: Buffer, status: number, error: string][] = [
      ['notes.txt', Buffer.from('text'), 415, 'not_a_picture'],
      ['picture.svg', Buffer.from(svg), 415, 'not_a_picture'],
      ['photo.png', Buffer.from(svg), 415, 'not_a_picture'],
      ['empty.png', Buffer.alloc(0), 415, 'not_a_picture'],
      ['torn.png', Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), 422, 'picture_unreadable'],
      ['bomb.png', bomb, 422, 'picture_too_large'],
    ];
    for (const [name, bytes, status, error] of cases) {
      const { fileId } = await pool.user.upload(name, bytes);
      const answer = await load(address(fileId));
      expect([name, answer.status, ((await answer.json()) as { error: string }).error]).toEqual([
        name,
        status,
        error,
      ]);
    }
  });

  it('is not found by another user, and not after its file is deleted', async () => {
    expect((await load(address(picture.fileId), bob)).status).toBe(404);
    expect((await load(address(picture.fileId), pool.admin)).status).toBe(200);
    const blank = { width: 8, height: 8, channels: 3, background: 'white' } as const;
    const gone = await pool.user.upload('gone.png', await sharp({ create: blank }).png().toBuffer());
    expect((await load(address(gone.fileId))).status).toBe(200);
    await pool.user.call('DELETE', `/api/files/${gone.fileId}`);
    expect((await load(address(gone.fileId))).status).toBe(404);
  });
});
