import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '@switchyard/server/config/load';
import { expect, it } from 'vitest';
import { type StartingChoices, startingConfig } from './starting-config.ts';

const plain: StartingChoices = { isShared: false, workers: [], model: null, hasGraphs: false };
const openai = { name: 'gpt-4o-mini', baseUrl: null };
const local = { name: 'qwen3', baseUrl: 'http://127.0.0.1:11434/v1' };

function load(choices: StartingChoices) {
  const cwd = mkdtempSync(join(tmpdir(), 'switchyard-init-'));
  writeFileSync(join(cwd, 'switchyard.yaml'), startingConfig(choices));
  return loadConfig({ flags: {}, env: { OPENAI_API_KEY: 'sk-test' }, cwd }).config;
}

it.each([
  plain,
  { ...plain, hasGraphs: true },
  { ...plain, isShared: true, workers: ['192.168.1.20:8188', '[::1]:8188'] },
  { ...plain, model: openai },
  { ...plain, model: local },
])('is a file that the gateway accepts: %j', (choices) => {
  const { server, auth, models, dispatch } = load(choices);
  expect(server.host).toBe(choices.isShared ? '0.0.0.0' : '127.0.0.1');
  expect(auth.registration).toBe(choices.isShared ? 'closed' : 'auto');
  expect(dispatch.workers).toHaveLength(choices.workers.length);
  expect(models).toMatchObject(
    choices.model ? [{ name: 'main', model: choices.model.name, provider: 'openai' }] : [],
  );
});

it('is accepted as well when everything that stands in it as a comment is switched on', () => {
  const cwd = mkdtempSync(join(tmpdir(), 'switchyard-init-'));
  const text = startingConfig(plain).replace(/^( *)#(?=\w| {2})/gm, '$1');
  writeFileSync(join(cwd, 'switchyard.yaml'), text);
  const env = { OPENAI_API_KEY: 'sk-test', DATABASE_URL: 'postgres://user@127.0.0.1:5432/name' };
  const { config } = loadConfig({ flags: {}, env, cwd });
  expect(config).toMatchObject({
    server: { public_url: 'https://switchyard.example.org' },
    auth: { trusted_proxies: ['127.0.0.1'] },
    database: { backend: 'postgres' },
    models: [{ name: 'main' }],
  });
});
