import { expect, it } from 'vitest';
import { replyParts } from './reply-parts.ts';

const task = { taskId: 't', progress: 100, node: null, instanceId: 'box', files: [], error: null };
const message = (type: string, content: unknown) => ({ type, content }) as never;

it('puts the words before the tool and those after it around the task', () => {
  const messages = [
    message('human', 'earlier'),
    message('ai', 'an earlier answer'),
    message('human', 'Invert a picture'),
    message('ai', 'I call the tool.'),
    message('tool', '{"files":1}'),
    message('ai', [{ type: 'text', text: 'Done: [cat.png](http://gate/uploads/1?sig=x), kept.' }]),
  ];
  expect(replyParts({ messages, tasks: new Map([['call', task]]) })).toEqual({
    before: 'I call the tool.',
    tasks: [task],
    after: 'Done: cat.png, kept.',
  });
});

it('has no words after the task while the tool has not answered', () => {
  const messages = [message('human', 'Invert a picture'), message('AIMessageChunk', 'I call')];
  expect(replyParts({ messages, tasks: new Map() })).toEqual({ before: 'I call', tasks: [], after: '' });
});
