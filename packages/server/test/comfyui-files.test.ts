import { type DevGateway, startGateway } from '@switchyard/dev-env/gateway';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pngThatClaims } from '../testing/png-that-claims.ts';
import { ComfyuiCaller } from './support/comfyui-caller.ts';

const blank = (alpha: number, width = 8) =>
  sharp({ create: { width, height: 4, channels: 4, background: { r: 10, g: 20, b: 30, alpha } } })
    .png()
    .toBuffer();

describe('pictures of a client of ComfyUI', () => {
  let gateway: DevGateway;
  let ada: ComfyuiCaller;
  let bob: ComfyuiCaller;

  beforeAll(async () => {
    gateway = await startGateway();
    ada = await ComfyuiCaller.byAddress(gateway.url, 'ada@example.com');
    bob = await ComfyuiCaller.byAddress(gateway.url, 'bob@example.com');
    await ada.upload('photo.png', await blank(0.2));
  });
  afterAll(() => gateway.stop());

  const view = (query: string, caller = ada) => caller.fetch(`/view?type=input&${query}`);

  async function pictureOf(answer: Response) {
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, expect.any(String)]);
    const { data, info } = await sharp(Buffer.from(await answer.arrayBuffer()))
      .raw()
      .toBuffer({ resolveWithObject: true });
    const { width, height, channels } = info;
    return {
      width,
      height,
      pixel: [...data.subarray(0, channels)],
      type: answer.headers.get('content-type'),
    };
  }

  it.each([
    ['preview=webp', 'image/webp', 4],
    ['preview=webp;75', 'image/webp', 4],
    ['preview=webp;75&channel=rgb', 'image/webp', 3],
    ['preview=jpeg', 'image/jpeg', 3],
    ['preview=jpeg;40', 'image/jpeg', 3],
    ['preview=jpeg;40&channel=a', 'image/webp', 4],
    ['preview=bmp;0', 'image/webp', 4],
    ['preview=', 'image/webp', 4],
    ['channel=rgba', 'image/png', 4],
    ['channel=x', 'image/png', 4],
  ])('are shown with %s in the form that ComfyUI gives', async (query, type, channels) => {
    const shown = await pictureOf(await view(`filename=photo.png&${query}`));
    expect(shown).toMatchObject({ type, width: 8, height: 4 });
    expect(shown.pixel).toHaveLength(channels);
  });

  it('show their colours or their transparency alone, and are loaded once', async () => {
    expect((await pictureOf(await view('filename=photo.png&channel=rgb'))).pixel).toEqual([10, 20, 30]);
    const alone = await view('filename=photo.png&channel=a');
    const etag = alone.headers.get('etag') ?? '';
    expect((await pictureOf(alone)).pixel).toEqual([0, 0, 0, 51]);
    const headers = { 'if-none-match': etag };
    const query = '/view?type=input&filename=photo.png&channel=';
    expect((await ada.fetch(`${query}a`, { headers })).status).toBe(304);
    expect((await ada.fetch(`${query}rgb`, { headers })).status).toBe(200);
  });

  it('are found by annotated names, and not by the hash of an asset', async () => {
    expect((await ada.fetch('/view?filename=photo.png [input]')).status).toBe(200);
    expect((await ada.fetch('/view?filename=photo.png [output]&type=input')).status).toBe(404);
    expect((await view(`filename=blake3:${'0'.repeat(64)}`)).status).toBe(404);
  });

  it('are not decoded when they are none, are too large or are damaged', async () => {
    await ada.upload('note.txt', Buffer.from('a note'));
    await ada.upload('large.png', pngThatClaims(60_000, 60_000));
    await ada.upload('cut.png', (await blank(1)).subarray(0, 60));
    for (const name of ['note.txt', 'large.png', 'cut.png']) {
      const answer = await view(`filename=${name}&preview=webp`);
      const text = await answer.text();
      expect(text).toMatch(/^4\d\d: /);
      expect(answer.status).toBe(Number(text.slice(0, 3)));
      expect((await view(`filename=${name}`)).status).toBe(200);
    }
    expect(await (await view('filename=large.png&preview=webp')).text()).toContain('60000 × 60000');
  });

  const mask = (reference: unknown, bytes: Uint8Array, caller = ada) =>
    caller.upload(
      'clipspace-mask.png',
      bytes,
      { type: 'input', subfolder: 'clipspace', original_ref: JSON.stringify(reference) },
      '/upload/mask',
    );

  it('take the transparency of a mask under the name of the mask', async () => {
    const reference = { filename: 'photo.png', subfolder: '', type: 'input' };
    const made = await mask(reference, await blank(0.6));
    expect(made).toEqual({ name: 'clipspace-mask.png', subfolder: 'clipspace', type: 'input' });
    expect((await pictureOf(await view(`filename=${made.name}`))).pixel).toEqual([10, 20, 30, 153]);
    // The picture itself stays as it was, and the same mask again is the same file.
    expect((await pictureOf(await view('filename=photo.png'))).pixel).toEqual([10, 20, 30, 51]);
    expect(await mask({ filename: 'photo.png [input]' }, await blank(0.6))).toEqual(made);
    expect((await mask(reference, await blank(0.9))).name).toBe('clipspace-mask (1).png');
  });

  it('take no mask of another size, and none of a picture that is not there', async () => {
    const reference = { filename: 'photo.png', type: 'input' };
    await expect(mask(reference, await blank(1, 16))).rejects.toThrow(
      '400: The mask has 16 × 4 pixels, and the picture 8 × 4.',
    );
    await expect(mask(reference, Buffer.from('no picture'))).rejects.toThrow(/: 4\d\d/);
    await expect(mask({ filename: 'none.png', type: 'input' }, await blank(1))).rejects.toThrow('404');
    await expect(mask(reference, await blank(1), bob)).rejects.toThrow('404');
    for (const wrong of ['{', 5, null, {}, { filename: '../x.png' }, { filename: 'a.png', type: 'etc' }])
      await expect(mask(wrong, await blank(1))).rejects.toThrow('answered 400');
    await expect(ada.upload('m.png', await blank(1), {}, '/upload/mask')).rejects.toThrow('answered 400');
  });
});
