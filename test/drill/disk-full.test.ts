import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { inTime, settle } from './drill-checks.ts';
import { openStage, outputBytes, outputs, type Stage, testDrill } from './drill-stage.ts';
import { mountSmallDisk, runInNamespace, type SmallDisk, testSmallDisk } from './small-disk.ts';

const drill = testDrill('a shared folder that is full', testSmallDisk);
const workflow = {
  '1': { class_type: 'EmptyImage', inputs: { width: 16, height: 16, batch_size: 1, color: 0 } },
  '2': { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: 'full' } },
};

let stage: Stage | undefined;
let disk: SmallDisk | null = null;
afterAll(async () => {
  await stage?.stop();
  disk?.remove();
});

it.skipIf(drill.isSkipped)(
  `${drill.title} makes no replica end, refuses what it cannot store, and is used again once it is freed`,
  async () => {
    disk = mountSmallDisk();
    if (disk === null) {
      const { code, output } = await runInNamespace(fileURLToPath(import.meta.url));
      expect(code, output).toBe(0);
      return;
    }
    stage = await openStage({ sharedHome: join(disk.path, 'shared') });
    const { cluster, tasks } = stage;
    const pids = cluster.replicas.map(({ pid }) => pid);
    disk.fill();
    for (const { url } of cluster.replicas) await expect.poll(() => readiness(url)).toBe(503);
    for (const { url } of cluster.replicas) expect(await tasks.upload(url)).toBe(507);
    // Their rows are stored. What the workers make stays with the workers until there is room.
    for (let count = 0; count < 6; count += 1) await tasks.submit(workflow);
    await expect.poll(() => tasks.countOf('running')).toBeGreaterThan(0);

    disk.free();
    for (const { url } of cluster.replicas) await expect.poll(() => readiness(url)).toBe(200);
    for (const { url } of cluster.replicas) expect(await tasks.upload(url)).toBe(200);
    await inTime(stage, 'Not every task has ended', settle(stage));
    for (let count = 0; count < 6; count += 1) await tasks.submit(workflow);
    await settle(stage);
    for (const id of tasks.accepted) {
      const { status, result } = await tasks.task(id);
      expect({ status, outputsMissing: result?.outputsMissing }).toEqual({
        status: 'completed',
        outputsMissing: 0,
      });
      const loaded = await fetch(result?.files[0] ?? '');
      expect((await loaded.arrayBuffer()).byteLength).toBe(outputBytes);
    }
    expect(
      cluster.replicas.map(({ pid }) => pid),
      outputs(cluster.replicas),
    ).toEqual(pids);
    for (const { url } of cluster.replicas) expect((await fetch(new URL('/healthz', url))).status).toBe(200);
  },
);

async function readiness(url: string): Promise<number> {
  return (await fetch(new URL('/readyz', url))).status;
}
