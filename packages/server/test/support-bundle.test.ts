import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { loadConfig } from '@switchyard/server/config/load';
import { systemClock } from '@switchyard/server/lib/clock';
import { examineGateway } from '@switchyard/server/ops/doctor/doctor';
import { bundleArchive, supportBundle } from '@switchyard/server/ops/support/support-bundle';
import { createLogger } from '@switchyard/server/platform/telemetry/logger';
import { expect, it } from 'vitest';
import { readZip } from '../testing/read-zip.ts';

/** Everything that must not be in a bundle. Each is found nowhere else. */
const planted = {
  jwt: 'jwt-iN4mVb0s8Qz1kR6yT3wE9uPoLcXhJdFg',
  metrics: 'metrics-Qz1kR6yT3wE9',
  databasePassword: 'p@ss-of-postgres',
  apiKey: 'sk-live-4f7c2a105d3e',
  variable: 'env-xoxb-7788-secret',
  webhook: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  pat: 'sy_pat_Zm9vYmFyYmF6cXV4',
  runTicket: 'sy_run_dGlja2V0b2ZhcnVu',
  pathToken: 'pathtoken0123456789',
  session: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJl',
  mcpHeader: 'mcp-header-5566-secret',
  channel: `whsec_${Buffer.from('the secret of the desk, long enough').toString('base64')}`,
  email: 'ada.lovelace@example.org',
  name: 'Ada Lovelace',
  prompt: 'Please write to my doctor about my knee',
  file: 'holiday-with-anna.png',
  workflow: 'portrait-of-anna',
  address: '203.0.113.77',
  address6: '2001:db8:1f::77',
  proxyPassword: 'proxypw-99',
};

it('a support bundle has no secret and nothing that a person wrote, and says how the gateway is', async () => {
  const folder = temporaryFolder();
  const home = join(folder.path, 'home-of-ada');
  const yaml = join(folder.path, 'switchyard.yaml');
  mkdirSync(home, { mode: 0o700 });
  writeFileSync(
    yaml,
    JSON.stringify({
      auth: { admin_email: planted.email },
      observability: { metrics: { token: planted.metrics } },
      models: [
        {
          name: 'fast',
          base_url: 'http://127.0.0.1:1/v1',
          model: 'm',
          api_key: planted.apiKey,
          description: planted.prompt,
        },
      ],
      server: { cors: { origins: [`https://${planted.workflow}.example`] } },
      channels: {
        desk: {
          type: 'http',
          secret: planted.channel,
          user: planted.email,
          allowed_users: ['*'],
          url: 'https://a.example/x',
        },
      },
    }),
    { mode: 0o600 },
  );
  writeFileSync(join(home, '.jwt_secret'), planted.jwt, { mode: 0o600 });
  writeFileSync(
    join(home, 'extensions_config.json'),
    JSON.stringify({ mcpServers: { x: { headers: { 'X-Key': planted.mcpHeader } } } }),
  );
  const env = {
    SWITCHYARD__DATABASE__URL: `postgres://user:${encodeURIComponent(planted.databasePassword)}@127.0.0.1:1/x`,
    MY_API_KEY: planted.variable,
  };

  const lines: string[] = [];
  const log = createLogger({
    level: 'info',
    format: 'json',
    destination: { write: (line) => void lines.push(line) },
  });
  const failure = Object.assign(new Error(`No model answers: ${planted.prompt}`), { code: 'ECONNREFUSED' });
  log.error(
    { err: failure, requestId: 'req-1', threadId: '4f7c2a10-5d3e-4f57-9c7e-0d5a3f1b2c4d' },
    'A run failed',
  );
  log.info(
    { ip: planted.address, url: `/uploads/4f7c/${planted.file}?sig=abcdef`, status: 404, ms: 3 },
    'Request',
  );
  log.info(
    { url: `/comfy/t/${planted.pathToken}/ws`, user: { email: planted.email, name: planted.name } },
    'Request',
  );
  log.info(
    { title: planted.prompt, name: planted.workflow, [planted.name]: 1, type: planted.name },
    `Called by ${planted.email}`,
  );
  log.warn(
    { texts: [planted.prompt, { inner: planted.prompt }] },
    `${planted.webhook} ${planted.pat} ${planted.runTicket}`,
  );
  log.warn(
    { reason: planted.session },
    `Proxy http://u:${planted.proxyPassword}@proxy.example from ${planted.address6} with ${planted.jwt} and ${planted.mcpHeader}`,
  );
  lines.push(`print(${planted.prompt})\n`, `${JSON.stringify({ message: planted.prompt })}\n`);

  const load = () => loadConfig({ flags: { home, config: yaml, port: '0' }, env, cwd: folder.path });
  const loaded = load();
  const findings = await examineGateway({
    load,
    env,
    cwd: folder.path,
    lastPortFor: () => 0,
    clock: systemClock,
  });
  findings.push({
    subject: 'models',
    ok: false,
    says: `${planted.apiKey} of ${planted.email} at ${planted.address} has ${planted.variable}, ${planted.databasePassword}, ${planted.channel}, ${planted.metrics}.`,
    remedy: `switchyard token ${planted.pat}`,
  });
  const nowMs = Date.UTC(2030, 0, 1);
  const entries = supportBundle({ loaded, findings, logs: [lines.join('')], env, version: '1.2.3', nowMs });
  const archive = await buffer(bundleArchive(entries, nowMs));
  const files = new Map(
    (await readZip(archive)).map(({ name, content }) => [name, Buffer.from(content, 'latin1').toString()]),
  );
  expect([...files.keys()]).toEqual(['about.json', 'doctor.json', 'configuration.json', 'log-1.jsonl']);
  const all = [...files.values()].join('\n');
  const words = Object.entries(planted).flatMap(([kind, text]) => [
    [kind, text],
    [kind, encodeURIComponent(text)],
  ]);
  for (const [kind, text] of [...words, ['home', home]])
    expect(all.includes(text ?? ''), `${kind} is in the bundle`).toBe(false);

  expect(
    files
      .get('log-1.jsonl')
      ?.split('\n')
      .map((line) => line && JSON.parse(line)),
  ).toMatchObject([
    {
      level: 'error',
      err: { code: 'ECONNREFUSED', stack: expect.stringMatching(/^\s+at /) },
      requestId: 'req-1',
      threadId: '4f7c2a10-5d3e-4f57-9c7e-0d5a3f1b2c4d',
      msg: 'A run failed',
    },
    { url: '/uploads/4f7c/…', status: 404, ms: 3, msg: 'Request' },
    { url: '/comfy/t/…' },
    { title: '<39 characters>', msg: 'Called by <e-mail>' },
    {},
    {},
    { msg: "2 lines are left out: they are not JSON of the gateway's log." },
    '',
  ]);
  expect(files.get('configuration.json')).toContain('"key": "server.port",\n    "value": 0');
  expect(files.get('doctor.json')).toContain('"subject": "database"');
  expect(JSON.parse(files.get('about.json') ?? '')).toMatchObject({
    version: '1.2.3',
    node: process.version,
  });
  folder.remove();
});

it('quotes nothing of a configuration that is not valid', () => {
  const says = `switchyard.yaml:1:1  auth.jwt_secret "${planted.jwt}" is not valid`;
  const findings = [{ subject: 'configuration' as const, ok: false, says, remedy: null }];
  const [, doctor, ...more] = supportBundle({
    loaded: null,
    findings,
    logs: [],
    env: {},
    version: '1',
    nowMs: 0,
  });
  expect(doctor?.text).toContain('auth.jwt_secret \\"…\\" is not valid');
  expect(more).toEqual([]);
});
