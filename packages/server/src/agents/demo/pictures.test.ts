import { describe, expect, it } from 'vitest';
import { nextReply } from './script.ts';
import type { Turn } from './turn.ts';

const tools = new Set(['run_workflow', 'ls']);
const uploads = '/mnt/user-data/uploads';
const result = '/mnt/user-data/outputs/dog-inverted-1.png';
const list = [
  `${uploads}/cat.png (10 bytes, changed 2030-01-02T00:00:00.000Z)`,
  `${result} (10 bytes, changed 2030-01-03T00:00:00.000Z)`,
  `${uploads}/notes.txt (10 bytes, changed 2030-01-04T00:00:00.000Z)`,
].join('\n');

describe('the demo model, asked for pictures', () => {
  it.each([
    [
      'make a smaller inverted copy of cat.png',
      'cat.png: smaller, inverted',
      ['ImageScaleBy', 'ImageInvert'],
    ],
    ['Invert cat.png and make it half size', 'cat.png: inverted, smaller', ['ImageInvert', 'ImageScaleBy']],
    ['double cat.png', 'cat.png: larger', ['ImageScaleBy']],
    [
      'rotate cat.png, flip it and mirror it',
      'cat.png: rotated, flipped, mirrored',
      ['ImageRotate', 'ImageFlip', 'ImageFlip'],
    ],
    ['blur half.png', 'half.png: blurred', ['ImageBlur']],
  ])('makes the requested edits in their order: %j', (question, name, classes) => {
    const [call] = nextReply([user(question)], tools).calls;

    expect(call).toMatchObject({ name: 'run_workflow', args: { name } });
    expect(classesIn(call)).toEqual(['LoadImage', ...classes, 'SaveImage']);
    expect(loadedIn(call)).toEqual([`${uploads}/${name.split(':')[0]}`]);
  });

  it('starts a task for each picture', () => {
    const { calls } = nextReply([user('invert cat.png and /mnt/user-data/outputs/dog.png')], tools);

    expect(calls.map(loadedIn)).toEqual([[`${uploads}/cat.png`], ['/mnt/user-data/outputs/dog.png']]);
  });

  it('takes the newest picture when the user names none', () => {
    expect(nextReply([user('make it smaller')], tools).calls).toMatchObject([
      { name: 'ls', args: { path: '/mnt/user-data' } },
    ]);
    const { calls } = nextReply([user('make it smaller'), calling, tool('ls', list)], tools);

    expect(calls.map(loadedIn)).toEqual([[result]]);
  });

  it('does not change a picture by a share that it cannot obey', () => {
    expect(nextReply([user('make cat.png 30% smaller')], tools).text).toContain('I did not understand');
  });

  it.each([
    [[user('make it smaller'), calling, tool('ls', 'The folder is empty.')], tools, 'There is no picture'],
    [[user('make it smaller')], new Set(['run_workflow']), 'files cannot be listed'],
    [[user('invert cat.png')], new Set(['ls']), 'this gateway has no pool'],
    [[user(`invert ${'a.png b.png c.png d.png e.png f.png g.png h.png i.png'}`)], tools, 'at most 8'],
  ])('says what is missing', (turns, has, words) => {
    const reply = nextReply(turns, has);

    expect(reply.calls).toEqual([]);
    expect(reply.text).toContain(words);
  });

  it('reports that a list failed instead of asking for it again', () => {
    const failed: Turn = { type: 'tool', text: 'Error: no', name: 'ls', status: 'error' };

    expect(nextReply([user('make it smaller'), calling, failed], tools).text).toBe(
      'That did not work. Error: no',
    );
  });

  it('lists files', () => {
    expect(nextReply([user('which files are there?')], tools).calls).toMatchObject([
      { name: 'ls', args: { path: '/mnt/user-data' } },
    ]);
    const told = nextReply([user('which files are there?'), calling, tool('ls', list)], tools);
    expect(told).toEqual({ text: `This conversation has these files:\n${list}`, calls: [] });
  });

  it('reports where a picture is kept, and why one is not', () => {
    const files = [
      { filename: 'a.png', url: 'u1', virtual_path: '/mnt/user-data/outputs/a-1.png' },
      { filename: 'b.png', url: 'u2', virtual_path: null, problem: 'It is too large.' },
    ];
    const answer = tool('run_workflow', JSON.stringify({ task_id: 't1', files }));

    expect(nextReply([user('invert a.png'), calling, answer], tools).text).toBe(
      [
        'Done. Task t1 made 2 files:',
        '- [a.png](u1), kept as /mnt/user-data/outputs/a-1.png',
        '- [b.png](u2), not among your files: It is too large.',
      ].join('\n'),
    );
  });
});

const calling: Turn = { type: 'ai', text: '' };

function user(text: string): Turn {
  return { type: 'human', text };
}

function tool(name: string, text: string): Turn {
  return { type: 'tool', text, name, status: 'success' };
}

type Nodes = Record<string, { class_type: string; inputs: Record<string, unknown> }>;
type Call = { args: Record<string, unknown> } | undefined;

function nodesIn(call: Call): Nodes[string][] {
  return Object.values((call?.args.workflow ?? {}) as Nodes);
}

function classesIn(call: Call): string[] {
  return nodesIn(call).map(({ class_type: name }) => name);
}

function loadedIn(call: Call): unknown[] {
  return nodesIn(call).flatMap(({ class_type: name, inputs }) =>
    name === 'LoadImage' ? [inputs.image] : [],
  );
}
