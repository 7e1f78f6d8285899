import { expect, test } from 'vitest';
import { listInstancesName } from '../tools/list-instances.ts';
import { runWorkflowName } from '../tools/run-workflow.ts';
import { demoFollowUps } from './follow-ups.ts';
import { nextReply } from './script.ts';

test('suggests what has not been asked yet, as many as requested', () => {
  const asked = ['what can you do', 'LIST INSTANCES!'];
  expect(demoFollowUps(asked, { max: 1, hasPool: true })).toEqual(['Invert a picture']);
  expect(demoFollowUps(asked, { max: 5, hasPool: true })).toEqual(['Invert a picture', 'Who are you?']);
});

test.each([true, false])('suggests only what the script understands, with a pool: %s', (hasPool) => {
  const tools = new Set(hasPool ? [listInstancesName, runWorkflowName] : []);
  const suggested = demoFollowUps([], { max: 9, hasPool });
  expect(suggested).toHaveLength(hasPool ? 4 : 2);
  for (const text of suggested) {
    const reply = nextReply([{ type: 'human', text }], tools);
    expect(reply.text).not.toContain('I did not understand');
    expect(reply.text).not.toContain('I would need the tool');
  }
});
