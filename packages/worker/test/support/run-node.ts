import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WorkerFiles } from '../../src/files/worker-files.ts';
import type { NodeRun } from '../../src/nodes/node-class.ts';
import { nodeClasses } from '../../src/nodes/node-classes.ts';
import type { ImageValue, MaskValue } from '../../src/nodes/values.ts';
import { defaultLimits } from '../../src/options.ts';

/** Runs one node outside of any graph and returns its values. */
export async function runNode(
  name: string,
  inputs: Record<string, unknown>,
  run: Partial<NodeRun> = {},
): Promise<readonly unknown[]> {
  const nodeClass = nodeClasses.find((candidate) => candidate.name === name);
  if (nodeClass === undefined) throw new Error(`No node class ${name}`);
  return (await nodeClass.execute(inputs, { ...(await quietRun()), ...run })).values ?? [];
}

export async function runForImage(name: string, inputs: Record<string, unknown>): Promise<ImageValue> {
  return (await runNode(name, inputs))[0] as ImageValue;
}

export async function runForMask(name: string, inputs: Record<string, unknown>): Promise<MaskValue> {
  return (await runNode(name, inputs))[0] as MaskValue;
}

/** A picture from grey values, row by row. */
export function greys(...rows: number[][]): ImageValue {
  return {
    width: rows[0]?.length ?? 0,
    height: rows.length,
    frames: [Uint8Array.from(rows.flat().flatMap((v) => [v, v, v]))],
  };
}

export function pixels(...rows: [number, number, number][][]): ImageValue {
  return { width: rows[0]?.length ?? 0, height: rows.length, frames: [Uint8Array.from(rows.flat(2))] };
}

export function masked(...rows: number[][]): MaskValue {
  return { width: rows[0]?.length ?? 0, height: rows.length, frames: [Float32Array.from(rows.flat())] };
}

/** The red values, row by row. */
export function redRows({ width, height, frames }: ImageValue, frame = 0): number[][] {
  const data = frames[frame] ?? new Uint8Array();
  return Array.from({ length: height }, (_, y) =>
    Array.from({ length: width }, (_, x) => data[(y * width + x) * 3] as number),
  );
}

export function batch(...images: ImageValue[]): ImageValue {
  const [first] = images;
  if (first === undefined) throw new Error('A batch needs a picture.');
  return { ...first, frames: images.flatMap(({ frames }) => frames) };
}

async function quietRun(): Promise<NodeRun> {
  const files = new WorkerFiles(await mkdtemp(join(tmpdir(), 'worker-node-')));
  await files.open();
  return {
    nodeId: '1',
    prompt: {},
    extraPngInfo: {},
    files,
    limits: defaultLimits,
    tick: async () => undefined,
    sendText: () => undefined,
    breathe: async () => undefined,
  };
}
