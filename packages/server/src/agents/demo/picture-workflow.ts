import { runWorkflowName } from '../tools/run-workflow.ts';
import type { Edit } from './picture-edits.ts';
import { type Link, nameOf, stemOf, WorkflowBuilder } from './workflow-builder.ts';

export interface WorkflowCall {
  name: string;
  args: Record<string, unknown>;
}

const cell = 192;
const gap = 8;

/** Returns a call that makes one picture with all edits, in their order. */
export function editCall(path: string, edits: readonly Edit[]): WorkflowCall {
  const graph = new WorkflowBuilder();
  const picture = edits.reduce<Link>((present, { apply }) => apply(graph, present), graph.load(path));
  const words = edits.map(({ word }) => word);
  graph.save(picture, prefixOf([stemOf(path), ...words]));
  return call(graph, `${nameOf(path)}: ${words.join(', ')}`);
}

/** Returns a call that mixes half of each picture; the second is stretched over the first. */
export function blendCall(first: string, second: string): WorkflowCall {
  const graph = new WorkflowBuilder();
  const [image1, image2] = [graph.load(first), graph.load(second)];
  const mixed = graph.add('Blend', 'ImageBlend', { image1, image2, blend_factor: 0.5, blend_mode: 'normal' });
  graph.save(mixed, prefixOf([stemOf(first), stemOf(second), 'blend']));
  return call(graph, `${nameOf(first)} and ${nameOf(second)} blended`);
}

/** Returns a call that puts all pictures into equal cells, in a grid as near to a square as possible. */
export function contactSheetCall(paths: readonly string[]): WorkflowCall {
  const graph = new WorkflowBuilder();
  const columns = Math.ceil(Math.sqrt(paths.length));
  const rows = Math.ceil(paths.length / columns);
  const side = (cells: number): number => cells * (cell + gap) + gap;
  const size = { width: side(columns), height: side(rows) };
  const sheet = paths.reduce<Link>(
    (destination, path, at) => {
      const source = graph.add(`Fit ${nameOf(path)}`, 'ImageScale', {
        image: graph.load(path),
        upscale_method: 'lanczos',
        width: cell,
        height: cell,
        crop: 'center',
      });
      const place = { x: side(at % columns), y: side(Math.floor(at / columns)) };
      return graph.add(`Place ${nameOf(path)}`, 'ImageCompositeMasked', {
        destination,
        source,
        ...place,
        resize_source: false,
      });
    },
    graph.add('Sheet', 'EmptyImage', { ...size, batch_size: 1, color: 0x202020 }),
  );
  graph.save(sheet, 'contact-sheet');
  return call(graph, `Contact sheet of ${paths.length}`);
}

function call({ workflow }: WorkflowBuilder, name: string): WorkflowCall {
  return { name: runWorkflowName, args: { workflow, name: name.slice(0, maxNameLength) } };
}

/** The longest task name that the tool accepts. */
const maxNameLength = 200;

/** Returns a prefix without characters that a worker takes for a folder or a placeholder. */
function prefixOf(words: readonly string[]): string {
  const plain = words.map((word) => word.replace(/[^\p{L}\p{N}_-]+/gu, '_').slice(0, 40));
  return plain.join('-').slice(0, 120);
}
