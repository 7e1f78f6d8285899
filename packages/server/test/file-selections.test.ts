import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readZip } from '../testing/read-zip.ts';
import { DispatchCaller } from './support/dispatch-caller.ts';
import { anyWorkflow, type DispatchPool, startPool } from './support/dispatch-pool.ts';

// biome-ignore lint/suspicious/noExplicitAny: what the gateway answers, as it comes
type Answer = any;

describe('a selection of files', () => {
  let pool: DispatchPool;
  let ann: DispatchCaller;
  let bob: DispatchCaller;
  let uploads: Answer[];
  let made: Answer;
  let workflowId: string;

  beforeAll(async () => {
    pool = await startPool({ workers: [{ outputBytes: 2_000 }] });
    ann = pool.user;
    bob = await DispatchCaller.register(pool.gateway.url, 'bob@example.com');
    uploads = [];
    for (const [name, text] of [
      ['a.txt', 'first'],
      ['a.txt', 'second'],
      ['data.json', '{}'],
      ['b.bin', '\0\x01'],
      ['A.txt', 'third'],
    ] as const) {
      uploads.push(await ann.upload(name, Buffer.from(text)));
    }
    const saved = await ann.call('POST', '/api/workflows', { name: 'any', workflow: anyWorkflow });
    workflowId = saved.data.id;
    const run = await ann.call('POST', `/api/workflows/${workflowId}/run`, {});
    made = await ann.ended(run.data.id);
    await bob.upload('bob.txt', Buffer.from('of bob'));
  });

  afterAll(() => pool.close());

  const list = async (query: string, caller = ann) =>
    (await caller.call('GET', `/api/files${query}`)).data as Answer;
  const namesOf = ({ items }: Answer) => items.map(({ filename }: Answer) => filename);

  it('is listed by kind, task, workflow, date and, for administrators, by user', async () => {
    expect(namesOf(await list('?kind=text&source=upload')).sort()).toEqual([
      'A.txt',
      'a.txt',
      'a.txt',
      'data.json',
    ]);
    expect(namesOf(await list('?kind=other'))).toContain('b.bin');
    expect((await list(`?taskId=${made.id}`)).total).toBe(1);
    const byWorkflow = await list(`?workflowId=${workflowId}`);
    expect(byWorkflow.items.map(({ taskId }: Answer) => taskId)).toEqual([made.id]);
    const { createdAt } = (await list('?source=output')).items[0];
    expect((await list(`?since=${createdAt}&source=output`)).total).toBe(1);
    expect((await list(`?until=${createdAt}`)).total).toBe(6);
    expect(await list('?until=2020-01-01T00:00:00Z')).toEqual({ total: 0, items: [], nextCursor: null });
    const owner = made.owner;
    expect((await list(`?owner=${owner}&kind=text`, pool.admin)).total).toBe(4);
    expect((await ann.request('GET', '/api/files?owner=nobody')).status).toBe(403);
    expect((await ann.request('GET', '/api/files?since=2016-12-31T23:59:60Z')).status).toBe(422);
    expect((await list(`?workflowId=${workflowId}`, bob)).items).toEqual([]);
  });

  it('is searched by words, values, model, workflow and size, without files of others', async () => {
    const graph = {
      '1': {
        class_type: 'EmptyImage',
        inputs: {
          ...anyWorkflow[1].inputs,
          text: '{{prompt}}',
          steps: 4,
          ckpt_name: 'sdxl/Flux-dev.safetensors',
        },
      },
      '2': anyWorkflow[2],
    };
    const params = { prompt: 'A Lighthouse, 红色的猫' };
    const { data: task } = await ann.call('POST', '/api/tasks', { workflow: graph, params });
    await ann.ended(task.id);
    await bob.upload('lighthouse.png', Buffer.from('of bob'));
    for (const q of ['lighthouse', 'LIGHTHOUSE a', '红色', '猫']) {
      const { items, total } = await list(`?q=${encodeURIComponent(q)}`);
      expect([q, total, items.map(({ taskId }: Answer) => taskId)]).toEqual([q, 1, [task.id]]);
      expect((await list(`?q=${encodeURIComponent(q)}`, pool.admin)).total).toBe(q === 'lighthouse' ? 2 : 1);
    }
    for (const query of [
      'param=steps=4&param=TEXT=a+lighthouse%2C+红色的猫',
      'model=flux-dev',
      'minBytes=1&q=lighthouse',
    ])
      expect([query, (await list(`?${query}`)).total]).toEqual([query, 1]);
    const models = async (caller = ann) => (await caller.call('GET', '/api/files/models')).data.items;
    expect(await models()).toEqual([{ model: 'Flux-dev.safetensors', count: 1 }]);
    expect(await models(bob)).toEqual([]);
    for (const query of [
      'q=light',
      'q=lighthouse&maxBytes=0',
      'q=prompt',
      'param=steps=5',
      'minPixels=1000000',
    ])
      expect([query, (await list(`?${query}`)).total]).toEqual([query, 0]);
    expect((await list('?q=light&source=upload', bob)).total).toBe(0);
    expect(namesOf(await list('?workflow=any'))).toEqual(namesOf(await list(`?workflowId=${workflowId}`)));
    expect(await unpacked(await zip('GET', '?q=lighthouse', undefined, bob))).toEqual([
      ['lighthouse.png', 'of bob'],
    ]);
    for (const { fileId } of (await list('?q=lighthouse')).items)
      await ann.call('DELETE', `/api/files/${fileId}`);
    for (const { fileId } of (await list('?q=lighthouse', bob)).items)
      await bob.call('DELETE', `/api/files/${fileId}`);
    expect((await list('?q=lighthouse', pool.admin)).total).toBe(0);
    expect(await models()).toEqual([]);
  });

  it('refuses a search that means nothing, with its field and the way out', async () => {
    const faultsOf = async (query: string) => {
      const answer = await ann.request('GET', `/api/files?${query}`);
      expect([query.slice(0, 40), answer.status]).toEqual([query.slice(0, 40), 422]);
      return answer.body.details.map((fault: Answer) => `${fault.path}: ${fault.message}`).join();
    };
    expect(await faultsOf('q=%21%3F%25')).toContain('Write at least one letter or digit');
    expect(await faultsOf(`q=${'ab%20'.repeat(200)}b`)).toContain('500');
    expect(await faultsOf(`q=${Array.from({ length: 40 }, (_, index) => `w${index}`).join('+')}`)).toContain(
      'at most 32',
    );
    expect(await faultsOf('param=steps')).toContain('name=value');
    expect(await faultsOf(`${'param=a=1&'.repeat(200)}`)).toContain('10');
    expect(await faultsOf('since=2030-01-02T00:00:00Z&until=2030-01-01T00:00:00Z')).toContain('Swap the two');
    expect(await faultsOf('minWidth=10&maxWidth=9&minBytes=2&maxBytes=1')).toMatch(/maxWidth.*maxBytes/);
    expect(await faultsOf('minWidth=-1')).toContain('0');
    const large = await ann.request('GET', `/api/files?q=${'a'.repeat(1_000_000)}`);
    expect(large.status).toBeGreaterThanOrEqual(400);
    expect(large.status).toBeLessThan(500);
    for (const q of ['%22', "'%20or%201=1", '%25_', '%ED%A0%80a', '%22%20OR%20a*', 'a%00b'])
      expect([q, (await ann.request('GET', `/api/files?q=${q}`)).status < 500]).toEqual([q, true]);
  });

  it('is paged by a cursor without a gap or a double, also while files come', async () => {
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page: Answer = await list(`?limit=2${cursor && `&cursor=${cursor}`}`);
      seen.push(...page.items.map(({ fileId }: Answer) => fileId));
      if (seen.length === 2) await ann.upload('new.txt', Buffer.from('comes between'));
      cursor = page.nextCursor;
    }
    expect(seen).toHaveLength(6);
    expect(new Set(seen).size).toBe(6);
    expect(seen.slice(1)).toEqual([...uploads].reverse().map(({ fileId }) => fileId));
    for (const wrong of ['x', Buffer.from('no place').toString('base64url'), '-', '%20']) {
      expect((await ann.request('GET', `/api/files?cursor=${wrong}`)).status).toBe(422);
    }
  });

  it('is one zip with unique names, by ids in their order', async () => {
    const answer = await zip('POST', '', { fileIds: uploads.map(({ fileId }) => fileId) });
    expect(answer.status).toBe(200);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'application/zip',
      'content-disposition': expect.stringMatching(/^attachment; filename="files\.zip"/),
    });
    const bytes = await answer.clone().arrayBuffer();
    expect(answer.headers.get('content-length')).toBe(String(bytes.byteLength));
    expect(await unpacked(answer)).toEqual([
      ['a.txt', 'first'],
      ['a (2).txt', 'second'],
      ['data.json', '{}'],
      ['b.bin', '\0\x01'],
      ['A (3).txt', 'third'],
    ]);
  });

  it('is one zip by a filter, which may fit nothing', async () => {
    const archive = await zip('GET', '?kind=text&source=upload&until=2099-01-01T00:00:00Z');
    expect((await unpacked(archive)).map(([, content]) => content)).toContain('first');
    const empty = await zip('GET', '?until=2020-01-01T00:00:00Z');
    expect([empty.status, await unpacked(empty)]).toEqual([200, []]);
  });

  it('has no file of another user in a zip, and says which id does not exist', async () => {
    const [foreign] = uploads;
    const own = (await list('', bob)).items[0].fileId;
    const refused = await zip('POST', '', { fileIds: [own, foreign.fileId] }, bob);
    expect([refused.status, ((await refused.json()) as Answer).message]).toEqual([
      404,
      `There is no file ${foreign.fileId}.`,
    ]);
    const all = await zip('GET', '', undefined, bob);
    expect(await unpacked(all)).toEqual([['bob.txt', 'of bob']]);
    expect((await zip('GET', `?owner=${made.owner}`, undefined, bob)).status).toBe(403);
  });

  it('is refused with an unknown field, without ids, and with ids twice', async () => {
    const { fileId } = uploads[0];
    for (const body of [{}, { fileIds: [] }, { fileIds: [fileId, fileId] }, { fileIds: [fileId], x: 1 }]) {
      expect((await zip('POST', '', body)).status).toBe(422);
    }
    const misspelt = await zip('GET', '?kin=text');
    const { details } = (await misspelt.json()) as Answer;
    expect(details[0].message).toMatch(/Did you mean kind\?/);
  });

  it('counts archives that no client reads, and frees their places when the readers go', async () => {
    const big = await ann.upload('big.bin', Buffer.alloc(30_000_000, 1));
    const readers = [1, 2, 3, 4].map(() => slowReader(`/api/files/zip?source=upload`, ann.token));
    await Promise.all(readers.map(({ begun }) => begun));
    const refused = await zip('POST', '', { fileIds: [big.fileId] });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '10']);
    await refused.arrayBuffer();
    for (const { close } of readers) close();
    await expect
      .poll(async () => {
        const answer = await zip('POST', '', { fileIds: [uploads[0].fileId] });
        await answer.arrayBuffer();
        return answer.status;
      })
      .toBe(200);
  });

  function zip(method: string, query: string, body?: object, caller = ann): Promise<Response> {
    return fetch(new URL(`/api/files/zip${query}`, pool.gateway.url), {
      method,
      headers: {
        authorization: `Bearer ${caller.token}`,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
  }

  /** Takes the head of the answer and then reads no more. */
  function slowReader(path: string, token: string): { begun: Promise<void>; close: () => void } {
    const { hostname, port } = new URL(pool.gateway.url);
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    socket.write(
      `GET ${path} HTTP/1.1\r\nhost: ${hostname}:${port}\r\nauthorization: Bearer ${token}\r\n\r\n`,
    );
    const begun = new Promise<void>((resolve) =>
      socket.once('data', () => {
        socket.pause();
        resolve();
      }),
    );
    return { begun, close: () => socket.destroy() };
  }
});

async function unpacked(answer: Response): Promise<[name: string, content: string][]> {
  const entries = await readZip(Buffer.from(await answer.arrayBuffer()));
  return entries.map(({ name, content }) => [name, content]);
}
