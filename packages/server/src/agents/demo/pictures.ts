import { runWorkflowName } from '../tools/run-workflow.ts';
import { node } from './sample-workflow.ts';
import { type ScriptedReply, say } from './turn.ts';

const folder = '/mnt/user-data';
export const listFiles = { name: 'ls', args: { description: 'See which files there are', path: folder } };

/** A request for more would fill the queue by itself. */
const maxTasks = 8;

const name = /[^\s"',;:]{1,300}\.(?:png|jpe?g|webp|gif)(?!\w)/gi;
const listed = /^(\/.+\.(?:png|jpe?g|webp|gif)) \(\d+ bytes(?:, changed ([^)]+))?\)$/gim;

/** The word is part of the name of the result. */
type Edit = [asks: RegExp, word: string, classType: string, inputs: Record<string, unknown>];

/** Changes of a picture by nodes that every worker has. A share, as in "30% smaller", is not among them. */
const known: readonly Edit[] = [
  [/\binvert/, 'inverted', 'ImageInvert', {}],
  [/\brotate/, 'rotated', 'ImageRotate', { rotation: '90 degrees' }],
  [/\bmirror/, 'mirrored', 'ImageFlip', { flip_method: 'y-axis: horizontally' }],
  [/\bflip/, 'flipped', 'ImageFlip', { flip_method: 'x-axis: vertically' }],
  [/\bblur/, 'blurred', 'ImageBlur', { blur_radius: 4, sigma: 1 }],
  [/\bhalf\b|(?<!% )\bsmaller\b/, 'smaller', 'ImageScaleBy', { upscale_method: 'lanczos', scale_by: 0.5 }],
  [/\bdouble\b|(?<!% )\blarger\b/, 'larger', 'ImageScaleBy', { upscale_method: 'lanczos', scale_by: 2 }],
];

/** Returns the reply to a request to change pictures, or null for any other request. The list is the answer of `ls`. */
export function pictureReply(question: string, list?: string): ScriptedReply | null {
  const edits = editsIn(question.replace(name, ' '));
  if (edits.length === 0) return null;
  const named = question.match(name) ?? [];
  if (named.length > maxTasks) return say(`I start at most ${maxTasks} tasks at once. Name fewer pictures.`);
  if (named.length > 0) return change(named, edits);
  if (list === undefined) return { text: 'Let me see which pictures there are. ', calls: [listFiles] };
  const [newest] = [...list.matchAll(listed)].sort(([, , a = ''], [, , b = '']) => (a < b ? 1 : -1));
  if (newest?.[1]) return change([newest[1]], edits);
  return say('There is no picture in this conversation. Upload one.');
}

/** Starts a task for each picture. */
function change(names: readonly string[], edits: readonly Edit[]): ScriptedReply {
  const words = edits.map(([, word]) => word);
  const calls = names.map((path) => {
    const file = path.slice(path.lastIndexOf('/') + 1);
    const stem = file.replace(/\.\w+$/, '').replace(/[^\p{L}\p{N}_-]/gu, '_');
    const prefix = [stem.slice(0, 40), ...words].join('-');
    const workflow = editGraph(path.startsWith('/') ? path : `${folder}/uploads/${path}`, { edits, prefix });
    return { name: runWorkflowName, args: { workflow, name: `${file.slice(-80)}: ${words.join(', ')}` } };
  });
  return { text: `I run this on the pool: ${calls.map(({ args }) => args.name).join('; ')}. `, calls };
}

/** Returns the edits that a request asks for, in its order. */
function editsIn(request: string): Edit[] {
  const placeOf = ([asks]: Edit) => request.toLowerCase().search(asks);
  return known.filter((edit) => placeOf(edit) >= 0).sort((a, b) => placeOf(a) - placeOf(b));
}

/** Returns a graph that loads a picture, makes all edits one after the other, and saves the result. */
function editGraph(path: string, { edits, prefix }: { edits: readonly Edit[]; prefix: string }) {
  const nodes = [
    node('Load', 'LoadImage', { image: path }),
    ...edits.map(([, word, type, inputs], at) => node(word, type, { ...inputs, image: [String(at + 1), 0] })),
    node('Save', 'SaveImage', { images: [String(edits.length + 1), 0], filename_prefix: prefix }),
  ];
  return Object.fromEntries(nodes.map((each, at) => [String(at + 1), each]));
}
