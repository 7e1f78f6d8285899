/**
 * The source positions that make up each target position along one axis, with their weights. Resizing and blurring are
 * the same loop with different taps. The rules are those of PyTorch's `interpolate` and, for lanczos, of Pillow, as
 * ComfyUI uses them; libvips samples elsewhere when it enlarges, and has no lanczos there.
 */
export interface Taps {
  /** The number of target positions. */
  length: number;
  /** The taps of each target position. */
  count: number;
  /** `count` source positions for each target position. */
  positions: Int32Array;
  weights: Float32Array;
}

export const resizeMethods = ['nearest-exact', 'bilinear', 'area', 'bicubic', 'lanczos'] as const;
export type ResizeMethod = (typeof resizeMethods)[number];

type Weighted = [position: number, weight: number][];

export function resizeTaps(from: number, to: number, method: ResizeMethod): Taps {
  const scale = from / to;
  const last = from - 1;
  switch (method) {
    case 'nearest-exact':
      return collect(to, (index) => [[Math.min(last, Math.floor((index + 0.5) * scale)), 1]]);
    case 'bilinear':
      return collect(to, (index) => bilinear(Math.max(0, (index + 0.5) * scale - 0.5), last));
    case 'area':
      return collect(to, (index) => box(Math.floor(index * scale), Math.ceil((index + 1) * scale)));
    case 'bicubic':
      return collect(to, (index) => bicubic((index + 0.5) * scale - 0.5, last));
    case 'lanczos':
      return collect(to, (index) => lanczos((index + 0.5) * scale, { scale: Math.max(1, scale), from }));
  }
}

/** A symmetric kernel around each position, mirrored at the edges without repeating the edge. */
export function kernelTaps(length: number, kernel: readonly number[]): Taps {
  const radius = (kernel.length - 1) / 2;
  const last = length - 1;
  const mirror = (position: number) => last - Math.abs(last - Math.abs(position));
  return collect(length, (index) => kernel.map((weight, tap) => [mirror(index + tap - radius), weight]));
}

function collect(length: number, tapsOf: (index: number) => Weighted): Taps {
  const lists = Array.from({ length }, (_, index) => tapsOf(index));
  const count = lists.reduce((most, list) => Math.max(most, list.length), 1);
  const positions = new Int32Array(length * count);
  const weights = new Float32Array(length * count);
  for (const [index, list] of lists.entries()) {
    for (const [tap, [position, weight]] of list.entries()) {
      positions[index * count + tap] = position;
      weights[index * count + tap] = weight;
    }
  }
  return { length, count, positions, weights };
}

function bilinear(at: number, last: number): Weighted {
  const left = Math.floor(at);
  const share = at - left;
  return [
    [left, 1 - share],
    [Math.min(last, left + 1), share],
  ];
}

function box(start: number, end: number): Weighted {
  return Array.from({ length: end - start }, (_, tap) => [start + tap, 1 / (end - start)]);
}

/** The cubic of PyTorch: a = −0.75. */
function bicubic(at: number, last: number): Weighted {
  const a = -0.75;
  const left = Math.floor(at);
  const near = (x: number) => ((a + 2) * x - (a + 3)) * x * x + 1;
  const far = (x: number) => ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
  const share = at - left;
  const weights = [far(1 + share), near(share), near(1 - share), far(2 - share)];
  return weights.map((weight, tap) => [Math.min(last, Math.max(0, left - 1 + tap)), weight]);
}

/** Pillow's kernel: three lobes, widened when the picture shrinks, so that no pixel is skipped. */
function lanczos(centre: number, { scale, from }: { scale: number; from: number }): Weighted {
  const support = 3 * scale;
  const start = Math.max(0, Math.floor(centre - support + 0.5));
  const end = Math.min(from, Math.floor(centre + support + 0.5));
  const raw = Array.from({ length: end - start }, (_, tap) => lobe((start + tap - centre + 0.5) / scale));
  const sum = raw.reduce((total, weight) => total + weight, 0);
  return raw.map((weight, tap) => [start + tap, weight / sum]);
}

function lobe(x: number): number {
  if (x === 0) return 1;
  if (Math.abs(x) >= 3) return 0;
  return (Math.sin(Math.PI * x) / (Math.PI * x)) * (Math.sin((Math.PI * x) / 3) / ((Math.PI * x) / 3));
}
