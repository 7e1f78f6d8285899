import { describe, expect, it } from 'vitest';
import { nextReply } from './script.ts';
import type { Turn } from './turn.ts';

const tools = new Set(['run_workflow', 'ls']);
const uploads = '/mnt/user-data/uploads';
const list = [
  `${uploads}/cat.png (10 bytes, changed 2030-01-02T00:00:00.000Z)`,
  `${uploads}/dog.png (10 bytes, changed 2030-01-03T00:00:00.000Z)`,
  `${uploads}/notes.txt (10 bytes, changed 2030-01-04T00:00:00.000Z)`,
].join('\n');

describe('the demo model, asked for pictures', () => {
  it('runs the requested edits on a named picture', () => {
    const [call] = nextReply([user('make a smaller inverted copy of cat.png')], tools).calls;

    expect(call).toMatchObject({ name: 'run_workflow', args: { name: 'cat.png: smaller, inverted' } });
    expect(classesIn(call)).toEqual(['LoadImage', 'ImageScaleBy', 'ImageInvert', 'SaveImage']);
    expect(loadedIn(call)).toEqual([`${uploads}/cat.png`]);
  });

  it('starts a task for each picture', () => {
    const { calls } = nextReply([user('invert cat.png and dog.png')], tools);

    expect(calls.map(loadedIn)).toEqual([[`${uploads}/cat.png`], [`${uploads}/dog.png`]]);
  });

  it.each([
    ['make it smaller', [`${uploads}/dog.png`]],
    ['invert my cat', [`${uploads}/cat.png`]],
    ['make these darker and half size', [`${uploads}/dog.png`, `${uploads}/cat.png`]],
    ['invert all pictures', [`${uploads}/dog.png`, `${uploads}/cat.png`]],
  ])('looks which pictures there are for %j', (question, paths) => {
    expect(nextReply([user(question)], tools).calls).toMatchObject([{ name: 'ls', args: { path: uploads } }]);
    const { calls } = nextReply([user(question), calling, tool('ls', list)], tools);

    expect(calls.flatMap(loadedIn)).toEqual(paths);
  });

  it('makes a contact sheet of all pictures, and a blend of two', () => {
    const [sheet] = nextReply([user('contact sheet of all'), calling, tool('ls', list)], tools).calls;
    expect(loadedIn(sheet)).toEqual([`${uploads}/dog.png`, `${uploads}/cat.png`]);
    const [blend] = nextReply([user('blend cat.png with dog.png')], tools).calls;
    expect(classesIn(blend)).toEqual(['LoadImage', 'LoadImage', 'ImageBlend', 'SaveImage']);
  });

  it('continues with the last result', () => {
    const path = '/mnt/user-data/outputs/cat-inverted-1.png';
    const made = JSON.stringify({ task_id: 't', files: [{ virtual_path: path }] });
    const turns = [user('invert cat.png'), calling, tool('run_workflow', made), user('blur the result')];

    expect(nextReply(turns, tools).calls.flatMap(loadedIn)).toEqual([path]);
    expect(nextReply([user('blur the result')], tools).text).toContain('no result yet');
  });

  it.each([
    [[user('make it smaller'), calling, tool('ls', 'The folder is empty.')], tools, 'There is no picture'],
    [[user('make it smaller')], new Set(['run_workflow']), 'Please name a picture'],
    [[user('invert cat.png')], new Set(['ls']), 'this gateway has no pool'],
    [[user(`invert ${'a.png b.png c.png d.png e.png f.png g.png h.png i.png'}`)], tools, 'at most 8'],
  ])('says what is missing', (turns, has, words) => {
    const reply = nextReply(turns, has);

    expect(reply.calls).toEqual([]);
    expect(reply.text).toContain(words);
  });

  it('reports that a list failed instead of asking for it again', () => {
    const failed: Turn = { from: 'tool', text: 'Error: no', tool: { name: 'ls', failed: true } };

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

const calling: Turn = { from: 'assistant', text: '' };

function user(text: string): Turn {
  return { from: 'user', text };
}

function tool(name: string, text: string): Turn {
  return { from: 'tool', text, tool: { name, failed: false } };
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
