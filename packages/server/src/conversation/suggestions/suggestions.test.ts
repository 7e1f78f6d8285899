import { describe, expect, test } from 'vitest';
import { parseSuggestions, suggestionPrompt } from './suggestion.ts';
import { type AskModel, Suggestions } from './suggestions.ts';

const log = { warn: () => undefined };
const said = (role: string, content: string) => ({ role, content });
const withModel = (ask: AskModel) => new Suggestions({ ask, hasPool: true, log });

describe('the answer of a model', () => {
  test.each([
    ['["a", "b"]', ['a', 'b']],
    ['<think>["no"]</think>\n```json\n["a"]\n```', ['a']],
    ['Here they are: ["a [1]", "b"]. Enjoy!', ['a [1]', 'b']],
    ['["a\\n b", "", "  ", 7, null, "c", "d", "e"]', ['a b', 'c', 'd']],
    ['{"a": 1}', []],
    ['["a"', []],
    ['][', []],
    ['no list', []],
    ['', []],
  ])('%j gives %j', (answer, questions) => {
    expect(parseSuggestions(answer, 3)).toEqual(questions);
  });
});

test('a model sees who said what, and only the end of a long conversation', () => {
  const prompt = suggestionPrompt(
    [said('human', 'q'), said('ai', 'a'), said('user', 'r'), said('tool', 't')],
    2,
  );
  expect(prompt).toContain('exactly 2');
  expect(prompt).toContain('\nUser: q\nAssistant: a\nUser: r\ntool: t\n');
  const long = suggestionPrompt([said('user', 'first'), said('user', `${'x'.repeat(100_000)} last`)], 1);
  expect(long).toContain(' last\n');
  expect(long).not.toContain('first');
  expect(long.length).toBeLessThan(13_000);
});

test('the named model is called', async () => {
  const asked: (string | null)[] = [];
  const suggestions = withModel(async (_prompt, { model }) => {
    asked.push(model);
    return '["next?"]';
  });
  const messages = [said('user', 'hi')];
  expect(await suggestions.of({ messages, model_name: 'small' })).toEqual(['next?']);
  expect(await suggestions.of({ messages })).toEqual(['next?']);
  expect(asked).toEqual(['small', null]);
  expect(suggestions.areSimulated).toBe(false);
});

test('there are none without a conversation, and none from a model that fails', async () => {
  let calls = 0;
  const failing = withModel(() => {
    calls += 1;
    throw new Error('no such model');
  });
  expect(await failing.of({ messages: [said('user', ' ')] })).toEqual([]);
  expect(calls).toBe(0);
  expect(await failing.of({ messages: [said('user', 'hi')] })).toEqual([]);
  expect(calls).toBe(1);
});

test('models are called at most sixteen times at once', async () => {
  const answers: (() => void)[] = [];
  const slow = withModel(() => new Promise((resolve) => answers.push(() => resolve('["a"]'))));
  const messages = [said('user', 'hi')];
  const open = Array.from({ length: 16 }, () => slow.of({ messages }));
  expect(await slow.of({ messages })).toEqual([]);
  for (const answer of answers) answer();
  expect(await Promise.all(open)).toEqual(Array.from({ length: 16 }, () => ['a']));
  const again = slow.of({ messages });
  answers.at(-1)?.();
  expect(await again).toEqual(['a']);
});
