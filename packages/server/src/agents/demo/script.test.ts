import { describe, expect, it } from 'vitest';
import { nextReply } from './script.ts';
import type { Turn } from './turn.ts';

const tools = new Set(['list_instances', 'run_workflow']);

describe('the script of the demo model', () => {
  it.each([
    ['What can you do?', 'list instances'],
    ['hello there', 'Hello! I am the demo model'],
    ['Who are you?', 'token counts are simulated'],
    ['Write me a poem', 'I did not understand that'],
    ['', 'I did not understand that'],
  ])('answers %j in words', (question, words) => {
    const reply = nextReply([user(question)], tools);

    expect(reply.text).toContain(words);
    expect(reply.calls).toEqual([]);
  });

  it.each(['hello', 'what can you do?', 'who are you', 'nonsense'])(
    'says to %j that it is scripted',
    (question) => {
      expect(nextReply([user(question)], tools).text).toContain('scripted, not an AI');
    },
  );

  it.each(['list instances', 'Which workers are there?'])('looks at the pool for %j', (question) => {
    expect(nextReply([user(question)], tools).calls).toEqual([{ name: 'list_instances', args: {} }]);
  });

  it.each(['Invert a picture', '把一张图片反相', 'run the sample workflow', 'please run a workflow'])(
    'runs a workflow for %j',
    (question) => {
      expect(nextReply([user(question)], tools).calls).toMatchObject([
        { name: 'run_workflow', args: { workflow: { '5': { class_type: 'ImageInvert' } } } },
      ]);
    },
  );

  it.each(['list workflows', 'Which workflows do I have?'])('lists what is saved for %j', (question) => {
    const has = new Set([...tools, 'list_workflows']);

    expect(nextReply([user(question)], has).calls).toEqual([{ name: 'list_workflows', args: {} }]);
  });

  it.each([
    ['run Red Kite', {}],
    ['please run my workflow "Red Kite".', {}],
    ['run red kite with width = 512, prompt = A big one', { width: 512, prompt: 'A big one' }],
  ])('runs a saved workflow for %j', (question, args) => {
    const has = new Set([...tools, 'workflow_red_kite']);

    expect(nextReply([user(question)], has).calls).toEqual([{ name: 'workflow_red_kite', args }]);
  });

  it('reports which workflows are saved', () => {
    const has = (workflows: object[]) =>
      nextReply([user('list workflows'), calling, tool('list_workflows', { workflows })], tools).text;

    expect(
      has([
        { name: 'Kite', params: ['width'] },
        { name: 'Plain', params: [] },
      ]),
    ).toBe('Your saved workflows:\n- Kite, width\n- Plain');
    expect(has([])).toBe('Your saved workflows: none.');
  });

  it('calls no tool that it does not have', () => {
    const reply = nextReply([user('invert a picture')], new Set());

    expect(reply.calls).toEqual([]);
    expect(reply.text).toContain('this gateway has no pool');
  });

  it('reports what a workflow made', () => {
    const result = { task_id: 't1', files: [{ filename: 'inverted.png', url: 'http://x/inverted.png' }] };

    expect(nextReply([user('invert'), calling, tool('run_workflow', result)], tools)).toEqual({
      text: 'Done. Task t1 made 1 file:\n- [inverted.png](http://x/inverted.png)',
      calls: [],
    });
  });

  it('reports what a saved workflow made', () => {
    const result = { task_id: 't1', files: [] };

    expect(nextReply([user('run kite'), calling, tool('workflow_kite', result)], tools).text).toBe(
      'Done. Task t1 made 0 files: none.',
    );
  });

  it('reports which workers exist', () => {
    const result = {
      instances: [
        { name: 'one', state: 'idle' },
        { name: 'two', state: 'busy' },
      ],
    };

    expect(nextReply([user('workers?'), calling, tool('list_instances', result)], tools).text).toBe(
      'Workers of the pool:\n- one: idle\n- two: busy',
    );
    expect(nextReply([calling, tool('list_instances', { instances: [] })], tools).text).toContain(
      'Workers of the pool: none.',
    );
  });

  it('reports that a tool failed', () => {
    const failed: Turn = { type: 'tool', text: 'Error: no', name: 'run_workflow', status: 'error' };

    expect(nextReply([user('invert'), calling, failed], tools).text).toBe('That did not work. Error: no');
  });

  it('copes with a result that is no JSON', () => {
    const odd: Turn = { type: 'tool', text: '[', name: 'run_workflow', status: 'success' };

    expect(nextReply([calling, odd], tools).text).toContain('made 0 files');
  });
});

const calling: Turn = { type: 'ai', text: '' };

function user(text: string): Turn {
  return { type: 'human', text };
}

function tool(name: string, result: object): Turn {
  return { type: 'tool', text: JSON.stringify(result), name, status: 'success' };
}
