import { describe, expect, it } from 'vitest';
import { answerOf, resumeOf } from './channel-answer.ts';

const human = { type: 'human', content: 'do it' };
const ai = (content: unknown, calls: object[] = []) => ({ type: 'ai', content, tool_calls: calls });
const present = (...filepaths: string[]) => ({ name: 'present_files', args: { filepaths } });

describe('the answer of a run', () => {
  it('is the last message of the agent since the human’s last one', () => {
    const messages = [
      human,
      ai('old'),
      human,
      ai('Let me see.'),
      { type: 'tool', name: 'x', content: '1' },
      ai('new'),
    ];
    expect(answerOf({ messages }, []).text).toBe('new');
    expect(answerOf({ messages: [human, ai('old'), human, ai('')] }, []).text).toBe(
      '(No response from agent)',
    );
  });

  it('is the text of blocks, and other blocks are left out', () => {
    const content = [
      { type: 'reasoning', text: 'hm' },
      { type: 'text', text: 'Two ' },
      { type: 'text', text: 'parts' },
    ];
    expect(answerOf({ messages: [human, ai(content)] }, []).text).toBe('Two parts');
  });

  it('is the question with which the agent has ended its turn', () => {
    const question = { type: 'tool', name: 'ask_clarification', content: '❓ Which one?' };
    expect(answerOf({ messages: [human, ai('', []), question] }, []).text).toBe('❓ Which one?');
  });

  it('has the files that are new or were presented again, outputs only', () => {
    const path = (name: string) => `/mnt/user-data/outputs/${name}`;
    const messages = [human, ai('here', [present(path('again.txt'), '/mnt/user-data/uploads/secret.txt')])];
    const artifacts = [path('old.txt'), path('again.txt'), path('new.txt'), '/mnt/user-data/workspace/x'];
    const answer = answerOf({ messages, artifacts }, [path('old.txt'), path('again.txt')]);
    expect(answer.artifacts).toEqual([path('again.txt'), path('new.txt')]);
    expect(answer.allArtifacts).toEqual([path('old.txt'), path('again.txt'), path('new.txt')]);
  });

  it.each([
    [{}],
    [{ messages: 'x', artifacts: 5, __interrupt__: 'x' }],
    [{ messages: [null, 5, { tool_calls: {} }] }],
  ])('makes do with values of another kind: %j', (values) => {
    expect(answerOf(values, [])).toEqual({
      text: '(No response from agent)',
      artifacts: [],
      allArtifacts: [],
      questions: [],
    });
  });
});

describe('a run that stopped for a human', () => {
  const approval = {
    id: 'i1',
    value: { actionRequests: [{ name: 'run_workflow', args: {}, description: 'It takes an hour.' }] },
  };

  it('asks in its answer', () => {
    const { text, questions } = answerOf({ messages: [human], __interrupt__: [approval] }, []);
    expect(text).toBe('run_workflow: It takes an hour.\nPlease answer "yes" or "no".');
    expect(questions).toMatchObject([{ id: 'i1', decisions: 1 }]);
  });

  it.each([
    ['Yes!', 'approve'],
    ['ok', 'approve'],
    [' no ', 'reject'],
  ])('is answered by %s', (text, type) => {
    const { questions } = answerOf({ __interrupt__: [approval] }, []);
    expect(resumeOf(questions, text)).toEqual({ i1: { decisions: [{ type }] } });
  });

  it('is not answered by words that decide nothing', () => {
    const { questions } = answerOf({ __interrupt__: [approval] }, []);
    expect(resumeOf(questions, 'not yet, what does it cost?')).toBeNull();
  });

  it('accepts words when it asked for words', () => {
    const { questions, text } = answerOf({ __interrupt__: [{ value: { question: 'Which colour?' } }] }, []);
    expect(text).toBe('Which colour?');
    expect(resumeOf(questions, 'red')).toBe('red');
  });
});
