import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { savedImage } from '../src/conformance/graphs.ts';
import { testWorker } from './support/test-worker.ts';

/** Every file below the folders that the worker writes to. */
async function writtenIn(dir: string): Promise<string[]> {
  const lists = await Promise.all(
    ['output', 'temp'].map((area) => readdir(join(dir, area), { recursive: true })),
  );
  return lists.flat().sort();
}

const saved = (prefix: string) => {
  const graph = savedImage({ width: 4, height: 4, color: 7 });
  graph['3'] = { class_type: 'SaveImage', inputs: { images: ['2', 0], filename_prefix: prefix } };
  graph['4'] = { class_type: 'PreviewImage', inputs: { images: ['2', 0] } };
  return graph;
};

it('reports that it deletes collected outputs, and deletes the files and empty folders of that prompt', async () => {
  const { subject, dir } = await testWorker();
  expect(await subject.json('/features')).toMatchObject({ deletes_collected: true });
  const [first, second] = [await subject.run(saved('a/b/x')), await subject.run(saved('y'))];
  expect((await writtenIn(dir)).filter((name) => name.endsWith('.png'))).toHaveLength(3);
  expect((await subject.request(`/outputs/${first.prompt[1]}`, { method: 'DELETE' })).status).toBe(200);
  const left = await writtenIn(dir);
  // The second prompt shows the same preview file, which was not made again.
  expect(left).toEqual([expect.stringMatching(/^ComfyUI_temp_/), 'y_00001_.png']);
  await subject.request(`/outputs/${second.prompt[1]}`, { method: 'DELETE' });
  expect(await writtenIn(dir)).toEqual([]);
});

it('makes files again that an unchanged graph would have shown from the cache', async () => {
  const { subject, dir } = await testWorker();
  const first = await subject.run(saved('x'));
  await subject.request(`/outputs/${first.prompt[1]}`, { method: 'DELETE' });
  const { outputs } = await subject.run(saved('x'));
  const names = [...outputs['3'].images, ...outputs['4'].images].map(({ filename }) => filename);
  expect(await writtenIn(dir)).toEqual(names.sort());
});

it('keeps the files that a prompt shows while that prompt runs', async () => {
  const { subject, worker, dir } = await testWorker();
  const first = await subject.run(saved('x'));
  worker.faults.set({ holdNodes: true });
  const graph = saved('x');
  graph['5'] = { class_type: 'SaveImage', inputs: { images: ['2', 0], filename_prefix: 'late' } };
  const second = subject.run(graph);
  await expect.poll(async () => (await subject.json('/queue')).queue_running).toHaveLength(1);
  await subject.request(`/outputs/${first.prompt[1]}`, { method: 'DELETE' });
  expect(await writtenIn(dir)).toContain('x_00001_.png');
  worker.faults.set({ holdNodes: false });
  const { outputs } = await second;
  expect(await writtenIn(dir)).toContain(outputs['3'].images[0].filename);
});
