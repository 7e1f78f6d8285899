import { describe, expect, it } from 'vitest';
import { continuationText, evaluationPrompt, findingIn } from './goal-evaluation.ts';

describe('the answer of the model that judges a goal', () => {
  it('is read out of thoughts, blocks of code and talk', () => {
    const answer = `<think>{"satisfied": true}</think>Sure:\n\`\`\`json\n${JSON.stringify({
      satisfied: false,
      blocker: 'missing_evidence',
      progress: true,
      reason: ' No file. ',
      evidence_summary: 'ls shows none',
    })}\n\`\`\``;
    expect(findingIn(answer)).toEqual({
      evaluation: {
        satisfied: false,
        blocker: 'missing_evidence',
        reason: 'No file.',
        evidence_summary: 'ls shows none',
      },
      hasProgress: true,
    });
  });

  it('gets a blocker that fits', () => {
    const blockerOf = (answer: object) => findingIn(JSON.stringify(answer))?.evaluation.blocker;
    expect(blockerOf({ satisfied: true, blocker: 'goal_not_met_yet' })).toBe('none');
    expect(blockerOf({ satisfied: false, blocker: 'none' })).toBe('goal_not_met_yet');
    expect(blockerOf({ satisfied: false, blocker: 'run_failed' })).toBe('goal_not_met_yet');
    expect(blockerOf({ satisfied: false })).toBe('goal_not_met_yet');
  });

  it.each(['', 'yes', '{"satisfied": "true"}', '[true]', '{"satisfied": true'])('%j is none', (answer) => {
    expect(findingIn(answer)).toBeNull();
  });

  it('is cut to a thousand characters a sentence', () => {
    const finding = findingIn(JSON.stringify({ satisfied: false, reason: 'x'.repeat(2_000) }));
    expect(finding?.evaluation.reason).toHaveLength(1_000);
  });
});

describe('the question about a goal', () => {
  it('holds the goal and the newest messages, each cut', () => {
    const messages = Array.from({ length: 60 }, (_, index) => ({
      type: index % 2 === 0 ? 'human' : 'ai',
      content: `message ${index} ${'x'.repeat(index === 58 ? 5_000 : 0)}`,
    }));
    const prompt = evaluationPrompt('Count to ten', messages);
    expect(prompt).toContain('<goal>\nCount to ten\n</goal>');
    expect(prompt).toContain('ai: message 59');
    expect(prompt).not.toContain('message 19 ');
    expect(prompt).not.toContain('x'.repeat(2_001));
    expect(evaluationPrompt('x', undefined)).toContain('<conversation>\n\n</conversation>');
  });

  it('shows calls and results of tools', () => {
    const calls = [{ name: 'ls', args: { path: '/mnt' }, id: 'c', type: 'tool_call' }];
    const prompt = evaluationPrompt('x', [
      { type: 'ai', content: '', tool_calls: calls },
      { type: 'tool', name: 'ls', content: [{ type: 'text', text: 'a.txt' }] },
    ]);
    expect(prompt).toContain('"path":"/mnt"');
    expect(prompt).toContain('tool ls: a.txt');
  });
});

it('tells an agent that goes on what is missing', () => {
  expect(continuationText('Count', 'Five is next.')).toContain('What is missing: Five is next.');
  expect(continuationText('Count', '')).not.toContain('What is missing');
});
