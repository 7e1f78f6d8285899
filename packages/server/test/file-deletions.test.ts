import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DispatchCaller } from './support/dispatch-caller.ts';
import { anyWorkflow, type DispatchPool, startPool } from './support/dispatch-pool.ts';
import { PushListener } from './support/push-listener.ts';

const megabyte = 1024 * 1024;

describe('many files', () => {
  let pool: DispatchPool;
  let ann: DispatchCaller;
  let bob: DispatchCaller;

  beforeAll(async () => {
    pool = await startPool({ workers: [{}], config: { files: { quota_per_user: megabyte } } });
    ann = pool.user;
    bob = await DispatchCaller.register(pool.gateway.url, 'bob@example.com');
  });
  afterAll(() => pool.close());

  const upload = async (name: string, caller = ann, bytes = 1): Promise<string> =>
    (await caller.upload(name, Buffer.alloc(bytes, name))).fileId;
  const remove = (fileIds: readonly string[], caller = ann) =>
    caller.request('POST', '/api/files/delete', { body: { fileIds } });
  const outcomes = async (fileIds: readonly string[], caller = ann) => {
    const { items } = (await remove(fileIds, caller)).body.data;
    return items.map(({ fileId, error }: { fileId: string; error: { code: string } | null }) => [
      fileId,
      error?.code ?? null,
    ]);
  };
  const listed = async (caller = ann): Promise<string[]> =>
    (await caller.call('GET', '/api/files')).data.items.map(({ fileId }: { fileId: string }) => fileId);

  it('go or stay each by itself, with the reason', async () => {
    const [first, needed, last] = [await upload('first'), await upload('needed'), await upload('last')];
    const [foreign, shared] = [await upload('foreign', bob), await upload('shared', bob)];
    await bob.call('POST', '/api/shares', { kind: 'file', subjectId: shared, to: { kind: 'everyone' } });
    const [worker] = pool.workers;
    if (worker) worker.behaviour = { ...worker.behaviour, runMs: 60_000 };
    const { id } = await ann.submit({
      workflow: { ...anyWorkflow, '3': { class_type: 'LoadImage', inputs: { image: 'x' } } },
      params: { '3.image': { $file: needed } },
    });
    expect(await outcomes([last, needed, 'absent', foreign, shared, first])).toEqual([
      [last, null],
      [needed, 'file_in_use'],
      ['absent', 'file_not_found'],
      [foreign, 'file_not_found'],
      [shared, 'share_allows_less'],
      [first, null],
    ]);
    expect(await listed()).toEqual([needed]);
    expect((await listed(bob)).sort()).toEqual([foreign, shared].sort());
    await ann.call('DELETE', `/api/tasks/${id}`);
    await ann.ended(id);
    const { items } = (await remove([first, foreign, needed])).body.data;
    expect(items[0].error).toEqual({
      code: 'file_not_found',
      message: expect.stringContaining('No such file'),
    });
    expect(items[1].error).toEqual(items[0].error);
    expect(items[2].error).toBeNull();
  });

  it('that are deleted are named to their owner once, at most 200 in a message, and leave room', async () => {
    const ids: string[] = [];
    for (let index = 0; index < 201; index += 1) ids.push(await upload(`${index}`, ann, 5_000));
    const listener = await PushListener.open(pool.gateway.url, ann.token);
    await listener.next('global_status');
    expect((await outcomes(ids)).every(([, code]: [string, string | null]) => code === null)).toBe(true);
    const frames = [await listener.next('files_deleted'), await listener.next('files_deleted')];
    expect(frames.map(({ data }) => data.fileIds.length)).toEqual([200, 1]);
    expect(frames.flatMap(({ data }) => data.fileIds).sort()).toEqual(ids.toSorted());
    expect((await outcomes(ids)).every(([, code]: [string, string | null]) => code !== null)).toBe(true);
    const roomy = await upload('roomy', ann, megabyte - 10_000);
    await ann.call('DELETE', `/api/files/${roomy}`);
    expect((await listener.next('files_deleted')).data).toEqual({ fileIds: [roomy] });
    listener.close();
  });

  it('of others are deleted by an administrator, with a record of each', async () => {
    const ids = [await upload('one', bob), await upload('two', bob)];
    expect(await outcomes(ids, pool.admin)).toEqual(ids.map((id) => [id, null]));
    for (const id of ids) {
      const { items } = (await pool.admin.call('GET', `/api/audit?target=file:${id}`)).data;
      expect(items).toMatchObject([{ action: 'file.deleted', details: { filename: expect.any(String) } }]);
    }
  });

  it('are at most 1,000, each named once', async () => {
    const many = Array.from({ length: 1_001 }, (_, index) => `${index}`);
    for (const fileIds of [many, [], ['a', 'a']]) expect((await remove(fileIds)).status).toBe(422);
    expect((await remove(many.slice(1))).status).toBe(200);
  });
});
