import { afterEach, expect, it } from 'vitest';
import { anyWorkflow, type DispatchPool, startPool } from './support/dispatch-pool.ts';

let pool: DispatchPool;

afterEach(() => pool.close());

it('hundreds of tasks leave no listeners, timers or connections behind', async () => {
  const warnings: string[] = [];
  const onWarning = (warning: Error) => warnings.push(`${warning.name}: ${warning.message}`);
  process.on('warning', onWarning);
  pool = await startPool({ workers: [{ outputBytes: 1_000 }, { outputBytes: 1_000 }] });
  const file = await pool.user.upload('a.png', Buffer.from('picture'));
  try {
    await runTasks(40, file.fileId);
    const before = resources();
    await runTasks(300, file.fileId);
    const more = () => Object.entries(resources()).filter(([kind, count]) => count > (before[kind] ?? 0) + 5);
    // Some close only a while after the last task.
    await expect.poll(more).toEqual([]);
    expect(warnings).toEqual([]);
  } finally {
    process.off('warning', onWarning);
  }
});

async function runTasks(count: number, fileId: string): Promise<void> {
  for (let done = 0; done < count; done += 20) {
    const tasks = await Promise.all(
      Array.from({ length: 20 }, () =>
        pool.user.submit({
          workflow: { ...anyWorkflow, '3': { class_type: 'LoadImage', inputs: { image: 'x' } } },
          params: { '3.image': { $file: fileId } },
        }),
      ),
    );
    for (const { id } of tasks) expect((await pool.user.ended(id)).status).toBe('completed');
  }
}

/** The resources that keep the process running, by kind. */
function resources(): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}
