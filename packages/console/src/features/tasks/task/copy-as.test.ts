import { expect, it } from 'vitest';
import { asClient, asCommand, asCurl, submissionOf } from './copy-as.ts';

const task = {
  workflow: { 1: { class_type: 'LoadImage', inputs: {} } },
  params: { seed: 7, prompt: "a cat's nap" },
  name: 'Nap',
  note: null,
  priority: 0,
  tags: ['night'],
  pool: null,
  pinnedInstanceId: null,
  savedWorkflow: null,
};

it('submits the same work, without what the gateway would choose anyway', () => {
  expect(submissionOf(task)).toEqual({
    workflow: task.workflow,
    params: task.params,
    name: 'Nap',
    tags: ['night'],
  });
});

it('quotes texts for the shell, so that a prompt never ends the command', () => {
  expect(asCurl(task, 'http://127.0.0.1:7300')).toContain(`a cat'\\''s nap`);
  expect(asCommand(task)).toContain(`-p seed=7 -p 'prompt=a cat'\\''s nap' --name Nap --tag night`);
});

it('keeps the note in all three forms', () => {
  const noted = { ...task, note: 'Warmer light' };
  expect(submissionOf(noted)).toHaveProperty('note', 'Warmer light');
  expect(asCommand(noted)).toContain(`--name Nap --note 'Warmer light' --tag night`);
  expect(asClient(noted, 'http://127.0.0.1:7300')).toContain('"note": "Warmer light"');
});

it('names the endpoint of the contract in the code for the client', () => {
  expect(asClient(task, 'http://127.0.0.1:7300')).toMatch(
    /gateway\.call\(submitTask, \{ body: \{\n {2}"workflow"/,
  );
});
