import { expect, test } from 'vitest';
import { RememberedAnswers } from './remembered-answers.ts';

function newAnswers() {
  const time = { ms: 0 };
  const asked: string[] = [];
  const answers = new RememberedAnswers<string>({
    rememberedMs: 1_000,
    maxRemembered: 2,
    steadyClock: () => time.ms,
  });
  const get = (key: string): Promise<string> =>
    answers.get(key, async () => {
      asked.push(key);
      return `${key} at ${time.ms}`;
    });
  return { time, asked, answers, get };
}

test('callers at the same time share one question', async () => {
  const { asked, get } = newAnswers();
  expect(await Promise.all([get('a'), get('a')])).toEqual(['a at 0', 'a at 0']);
  expect(asked).toEqual(['a']);
});

test('an answer that is too old is asked for again', async () => {
  const { time, get } = newAnswers();
  await get('a');
  time.ms = 999;
  expect(await get('a')).toBe('a at 0');
  time.ms = 1_000;
  expect(await get('a')).toBe('a at 1000');
});

test('the oldest answer goes when there are too many', async () => {
  const { asked, get } = newAnswers();
  for (const key of ['a', 'b', 'c', 'b', 'a']) await get(key);
  expect(asked).toEqual(['a', 'b', 'c', 'a']);
});

test('a failed question is asked again', async () => {
  const { answers } = newAnswers();
  await expect(answers.get('a', () => Promise.reject(new Error('away')))).rejects.toThrow('away');
  expect(await answers.get('a', async () => 'back')).toBe('back');
});
