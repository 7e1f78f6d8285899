import { expect, it } from 'vitest';
import { isSensitive } from './sensitive-file.ts';

it.each([
  '.env',
  'app/.env.local',
  'prod.env',
  '.npmrc',
  'keys/id_ed25519',
  'server.PEM',
  'tls.key',
  '.ssh/config',
  'api_key.txt',
  'db-password.yaml',
  'credentials.json',
  'my.secrets.toml',
  'token',
])('%s is not shown', (path) => {
  expect(isSensitive(path)).toBe(true);
});

it.each([
  'environment.md',
  'keyboard.txt',
  'tokenizer.ts',
  'monkey',
  'secretary.txt',
  'a.keys.md',
  'x.env.md',
])('%s is an ordinary file', (path) => {
  expect(isSensitive(path)).toBe(false);
});
