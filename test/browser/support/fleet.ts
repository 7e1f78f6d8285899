import type { HttpSession } from '@switchyard/dev-env/http-session';
import { startReferenceWorker } from '@switchyard/dev-env/reference-worker';

interface BoxDefinition {
  name: string;
  port: number;
  enabled?: boolean;
}

type Worker = Awaited<ReturnType<typeof startReferenceWorker>>;
export type Box = BoxDefinition & Pick<Worker, 'close' | 'refuse' | 'accept'>;

/** Starts workers that do real image work, each node for at least `paceMs`, and makes them the pool. */
export async function addBoxes(admin: HttpSession, names: readonly string[], paceMs: number): Promise<Box[]> {
  const boxes = await Promise.all(
    names.map(async (name) => {
      const { port, close, refuse, accept } = await startReferenceWorker({ paceMs });
      return { name, port, close, refuse, accept };
    }),
  );
  await definePool(admin, boxes);
  return boxes;
}

/** Replaces the whole pool; each box stands for a server of its own, so that it has its name. */
export async function definePool(admin: HttpSession, boxes: readonly BoxDefinition[]): Promise<void> {
  await admin.put('/api/config', {
    servers: boxes.map(({ name, port, enabled = true }) => ({
      id: name,
      name,
      kind: 'comfyui',
      instances: [{ ip: '127.0.0.1', port, enabled }],
    })),
    healthCheck: { interval: 1, timeout: 1, failures: 2 },
  });
}

/** A graph of many nodes, so that its progress can be watched. A worker shows previews of a batch of several pictures. */
export function longGraph(steps: number, batch = 1): object {
  const node = (title: string, class_type: string, inputs: object) => ({
    class_type,
    inputs,
    _meta: { title },
  });
  const inverts = Array.from({ length: steps }, (_, step) => [
    `i${step}`,
    node(`Step ${step + 1}`, 'ImageInvert', { image: [step === 0 ? 'first' : `i${step - 1}`, 0] }),
  ]);
  return {
    first: node('Canvas', 'EmptyImage', { width: 96, height: 64, batch_size: batch, color: 0x336699 }),
    ...Object.fromEntries(inverts),
    save: node('Save', 'SaveImage', { images: [`i${steps - 1}`, 0], filename_prefix: 'watched' }),
  };
}
