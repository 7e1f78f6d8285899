/**
 * Python's heapq, step by step, since ComfyUI answers GET /queue with the raw heap and clients see its order. Comparing two
 * items that cannot be ordered throws, as it does there.
 */
export type Compare<Item> = (left: Item, right: Item) => boolean;

export function heapPush<Item>(heap: Item[], item: Item, isLess: Compare<Item>): void {
  const before = [...heap];
  heap.push(item);
  try {
    siftTowardsRoot(heap, heap.length - 1, { start: 0, isLess });
  } catch (error) {
    heap.splice(0, heap.length, ...before);
    throw error;
  }
}

export function heapPop<Item>(heap: Item[], isLess: Compare<Item>): Item | undefined {
  const last = heap.pop();
  const first = heap[0];
  if (last === undefined || first === undefined) return last;
  heap[0] = last;
  siftTowardsLeaves(heap, 0, isLess);
  return first;
}

export function heapify<Item>(heap: Item[], isLess: Compare<Item>): void {
  for (let index = Math.floor(heap.length / 2) - 1; index >= 0; index -= 1)
    siftTowardsLeaves(heap, index, isLess);
}

function siftTowardsRoot<Item>(
  heap: Item[],
  from: number,
  { start, isLess }: { start: number; isLess: Compare<Item> },
): void {
  const item = heap[from] as Item;
  let position = from;
  while (position > start) {
    const parent = (position - 1) >> 1;
    if (!isLess(item, heap[parent] as Item)) break;
    heap[position] = heap[parent] as Item;
    position = parent;
  }
  heap[position] = item;
}

/** Moves the smaller child up until a leaf is reached, then sifts the item back up: heapq's order of comparisons. */
function siftTowardsLeaves<Item>(heap: Item[], start: number, isLess: Compare<Item>): void {
  const item = heap[start] as Item;
  let position = start;
  let child = 2 * position + 1;
  while (child < heap.length) {
    const right = child + 1;
    if (right < heap.length && !isLess(heap[child] as Item, heap[right] as Item)) child = right;
    heap[position] = heap[child] as Item;
    position = child;
    child = 2 * position + 1;
  }
  heap[position] = item;
  siftTowardsRoot(heap, position, { start, isLess });
}
