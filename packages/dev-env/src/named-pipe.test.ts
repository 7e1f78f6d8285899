import { afterEach, expect, test, vi } from 'vitest';
import { testNamedPipe } from './named-pipe.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

test('tests of named pipes are skipped with the reason when no program can make one', () => {
  vi.stubEnv('PATH', '');
  vi.stubEnv('CI', '');
  expect(testNamedPipe('refuses a pipe')).toMatchObject({
    title: 'refuses a pipe (no mkfifo on PATH)',
    isSkipped: true,
  });
});

test('tests of named pipes fail in CI when no program can make one', () => {
  vi.stubEnv('PATH', '');
  vi.stubEnv('CI', 'true');
  const { isSkipped, createPipe } = testNamedPipe('refuses a pipe');
  expect(isSkipped).toBe(false);
  expect(() => createPipe('/tmp/never-made')).toThrow('mkfifo');
});
