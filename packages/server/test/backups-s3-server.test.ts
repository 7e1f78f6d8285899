import { randomBytes } from 'node:crypto';
import { type S3Server, startS3Server } from '@switchyard/dev-env/s3-server';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openPlaces, type Places } from './support/backup-places.ts';
import { DispatchCaller } from './support/dispatch-caller.ts';

describe('a backup of a gateway whose files are in a bucket', () => {
  let server: S3Server;
  let places: Places;

  beforeAll(async () => {
    server = await startS3Server();
  });
  afterAll(() => server.stop());
  beforeEach(() => {
    places = openPlaces();
  });
  afterEach(() => places.close());

  const inBucket = (name: string, prefix = `${name}/`) => {
    const { endpoint, bucket, accessKeyId: access_key_id, secretAccessKey: secret_access_key } = server;
    const s3 = {
      endpoint,
      bucket,
      access_key_id,
      secret_access_key,
      prefix,
      region: 'us-east-1',
      path_style: true,
    };
    return places.place(name, { files: { store: 's3', s3 } });
  };

  it('is taken beside it, and restored into a place of its own in the bucket, or on a disk', async () => {
    const source = inBucket('source');
    const gateway = await places.start(source);
    const user = await DispatchCaller.register(gateway.url, 'ada@example.com');
    const contents = [randomBytes(1_000), randomBytes(300_000)];
    for (const [index, bytes] of contents.entries()) await user.upload(`${index}.bin`, bytes);
    expect((await places.take(source)).manifest).toMatchObject({ files: { count: 2 }, absent: [] });
    expect((await places.take(source)).copied.files, 'the second time').toBe(0);

    const same = inBucket('same', 'source/');
    await expect(places.restore(same)).rejects.toThrow('holds the files of another database');
    for (const target of [inBucket('target'), places.place('disk')]) {
      expect((await places.restore(target, { isLive: true })).absent).toEqual([]);
      const again = await places.start(target);
      const reader = await DispatchCaller.login(again.url, 'ada@example.com');
      const { items } = (await reader.call('GET', '/api/files')).data;
      expect(items).toHaveLength(2);
      for (const { filename, url } of items) {
        const answer = await fetch(url);
        const bytes = Buffer.from(await answer.arrayBuffer());
        expect(bytes.equals(contents[Number.parseInt(filename, 10)] ?? Buffer.of()), filename).toBe(true);
      }
    }
  });
});
