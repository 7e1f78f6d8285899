import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCli } from './cli.ts';

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'switchyard-cli-'));
});
afterEach(() => rmSync(cwd, { recursive: true }));

async function run(line: string, env: Record<string, string> = {}) {
  const written = { stdout: '', stderr: '' };
  const output = (name: keyof typeof written) => ({
    write: (text: string) => {
      written[name] += text;
    },
  });
  const terminal = { env, cwd, stdin: Readable.from([]), stdout: output('stdout'), stderr: output('stderr') };
  const code = await runCli(line.split(' ').filter(Boolean), terminal);
  return { code, ...written };
}

describe('switchyard', () => {
  it('prints help on request, with examples before the usage', async () => {
    for (const line of ['--help', 'up --help', 'config show --help', 'version --help']) {
      const { code, stdout, stderr } = await run(line);
      expect([line, code, stderr]).toEqual([line, 0, '']);
      expect(stdout.indexOf('  switchyard ')).toBeGreaterThan(-1);
      expect(stdout.indexOf('  switchyard ')).toBeLessThan(stdout.indexOf('Usage:'));
    }
  });

  it.each(['', 'config', 'unknown', 'up --unknown', 'config show more'])(
    'ends "%s" as wrong usage',
    async (line) => {
      const { code, stdout, stderr } = await run(line);
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).not.toBe('');
    },
  );

  it('ends a worker command with wrong usage when its port is not a port', async () => {
    expect(await run(`worker --port abc --dir ${cwd}`)).toMatchObject({ code: 2, stdout: '' });
  });

  it('prints its version', async () => {
    expect((await run('--version')).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect((await run('version')).stdout).toMatch(/^switchyard \d+\.\d+\.\d+ {2}node \d+/);
  });
});

describe('switchyard support-bundle', () => {
  it('shows what it has, writes it only when it is told to, and replaces no file', async () => {
    const line = 'support-bundle --home home --log log --to bundle.zip';
    writeFileSync(join(cwd, 'log'), '{"level":"info","msg":"Ready","title":"private words"}\n');
    const shown = await run(`${line} --print`);
    expect(shown).toMatchObject({ code: 0, stdout: expect.stringContaining('"msg":"Ready"') });
    expect(shown.stdout).not.toContain('private words');
    expect(await run(line)).toMatchObject({ code: 2, stderr: expect.stringContaining('Add --yes.') });
    expect(readdirSync(cwd)).toEqual(['log']);
    expect(await run(`${line} --yes`)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('log-1.jsonl'),
    });
    expect(statSync(join(cwd, 'bundle.zip')).mode & 0o777).toBe(0o600);
    expect(await run(`${line} --yes`)).toMatchObject({ code: 1, stderr: expect.stringContaining('--to') });
  });
});

describe('switchyard init', () => {
  it('writes one file from what is there, and overwrites nothing', async () => {
    writeFileSync(join(cwd, 'langgraph.json'), '{}');
    const file = join(cwd, 'switchyard.yaml');
    expect(await run('init --yes', { OPENAI_API_KEY: 'sk-test' })).toMatchObject({
      code: 0,
      stdout: `${file}\n`,
    });
    const text = readFileSync(file, 'utf8');
    expect(text).toContain('./langgraph.json are served');
    expect(text).toMatch(/^models:\n {2}main:\n {4}provider: openai$/m);
    expect(text).not.toContain('sk-test');
    expect(readdirSync(cwd).sort()).toEqual(['langgraph.json', 'switchyard.yaml']);
    expect(await run('config validate', { OPENAI_API_KEY: 'sk-test' })).toMatchObject({ code: 0 });
    writeFileSync(file, 'mine');
    expect(await run('init --yes')).toMatchObject({
      code: 6,
      stderr: expect.stringContaining('is there already'),
    });
    expect(readFileSync(file, 'utf8')).toBe('mine');
  });

  it('asks nothing where there is no terminal', async () => {
    expect(await run('init')).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') });
    expect(readdirSync(cwd)).toEqual([]);
  });
});

describe('switchyard config', () => {
  it.each(['config show', 'config validate', 'up'])(
    '"%s" ends with 3 and every fault on standard error',
    async (line) => {
      writeFileSync(join(cwd, 'switchyard.yaml'), 'server:\n  prot: 7300\n  host: 5\n');
      const { code, stdout, stderr } = await run(line);
      expect([code, stdout]).toEqual([3, '']);
      expect(stderr.split('\n')).toEqual([
        'The configuration has 2 faults:',
        '  switchyard.yaml:2:3  unknown key "server.prot"; did you mean server.port?',
        '  switchyard.yaml:3:9  server.host must be text, not 5',
        '',
      ]);
    },
  );

  it('names the place of a fault in a map or a list as it is written in the file', async () => {
    writeFileSync(
      join(cwd, 'switchyard.yaml'),
      'models: { fast: { modle: x } }\nsubagents: { agents: [{ nme: x }] }\n',
    );
    const { stderr } = await run('config validate');
    expect(stderr).toContain('models.fast has the unknown key "modle"; did you mean model?');
    expect(stderr).toContain('subagents.agents[0] has the unknown key "nme"; did you mean name?');
  });

  it('shows values with sources on standard output, secrets masked', async () => {
    writeFileSync(join(cwd, 'here.yaml'), 'server: { port: 7301 }');
    const env = { AUTH_JWT_SECRET: 'a-secret-of-more-than-32-characters' };
    const { code, stdout } = await run('config show --sources --config here.yaml', env);
    expect(code).toBe(0);
    expect(stdout).toContain('port: 7301         # here.yaml:1:17');
    expect(stdout).toContain('jwt_secret: "***"  # AUTH_JWT_SECRET');
    expect(stdout).not.toContain('a-secret');
  });

  it('shows the same as JSON', async () => {
    const { stdout } = await run('config show --json', { SWITCHYARD_PORT: '7301' });
    expect(JSON.parse(stdout)).toEqual([{ key: 'server.port', value: 7301, source: 'SWITCHYARD_PORT' }]);
  });

  it('prints a sentence when nothing is set', async () => {
    const { code, stdout, stderr } = await run('config show');
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toContain('--effective');
  });

  it('confirms a valid configuration', async () => {
    expect(await run('config validate')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('is valid'),
    });
  });

  it('prints the schema as JSON', async () => {
    expect(JSON.parse((await run('config schema')).stdout)).toMatchObject({ title: 'switchyard.yaml' });
  });
});

describe('switchyard doctor', () => {
  it('ends with 0 where nothing is wrong, and says so line by line', async () => {
    const { code, stdout, stderr } = await run('doctor --port 0');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.split('\n')[0]).toBe(
      'ok     configuration  The configuration is valid (environment and defaults; there is no file).',
    );
  });

  it.each(['doctor --port 0 --json', 'doctor --port 0 -o json'])(
    'ends with 8 where something is wrong: %s',
    async (line) => {
      writeFileSync(join(cwd, 'switchyard.yaml'), 'auth: { trusted_proxies: [0.0.0.0/0] }');
      const { code, stdout, stderr } = await run(line);
      expect([code, stderr]).toEqual([8, expect.stringMatching(/^1 thing is wrong\./)]);
      const { ok, findings } = JSON.parse(stdout);
      expect(ok).toBe(false);
      expect(findings.filter((finding: { ok: boolean }) => !finding.ok)).toEqual([
        {
          subject: 'proxies',
          ok: false,
          says: expect.stringContaining('0.0.0.0/0'),
          remedy: expect.stringContaining('trusted_proxies'),
        },
      ]);
    },
  );

  it('names every fault of a configuration that no gateway starts with', async () => {
    writeFileSync(join(cwd, 'switchyard.yaml'), 'server:\n  prot: 7300\n  host: 5\n');
    const { code, stdout } = await run('doctor');
    expect(code).toBe(8);
    expect(stdout.match(/^wrong /gm)).toHaveLength(2);
    expect(stdout.match(/^ +type: switchyard config validate/gm)).toHaveLength(2);
  });
});
