import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { type DevGateway, startGateway } from '@switchyard/dev-env/gateway';
import type { HttpSession } from '@switchyard/dev-env/http-session';
import { startReferenceWorker } from '@switchyard/dev-env/reference-worker';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli } from '../src/cli.ts';

const graph = {
  '1': { class_type: 'EmptyImage', inputs: { width: 16, height: 16, batch_size: 1, color: 255 } },
  '2': { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: 'ground' } },
};
const desk = temporaryFolder();
let gateway: DevGateway;
let worker: Awaited<ReturnType<typeof startReferenceWorker>>;
let env: Record<string, string>;

beforeAll(async () => {
  worker = await startReferenceWorker();
  gateway = await startGateway({ config: { dispatch: { workers: [`127.0.0.1:${worker.port}`] } } });
  const session: HttpSession = await gateway.register('ada@example.com');
  const { token } = await session.post<{ token: string }>('/api/v1/auth/tokens', {
    name: 'test',
    scopes: ['dispatch:read', 'dispatch:write'],
  });
  env = { SWITCHYARD_URL: gateway.url, SWITCHYARD_TOKEN: token, XDG_CONFIG_HOME: desk.path };
  writeFileSync(join(desk.path, 'ground.json'), JSON.stringify(graph));
  writeFileSync(join(desk.path, 'editor.json'), JSON.stringify({ nodes: [], links: [] }));
});

afterAll(async () => {
  await gateway.stop();
  await worker.close();
  desk.remove();
});

describe('switchyard workflows', () => {
  it('imports, lists, shows, runs and deletes', async () => {
    const imported = await cli('import', 'ground.json', '--expose', '--description', 'A plain ground.');
    expect(imported).toMatchObject({ code: 0, stderr: 'ground, version 1, a tool of your agent\n' });
    expect(imported.stdout).toMatch(/^width +integer +16 +Width$/m);

    expect((await cli('list')).stdout).toMatch(/^ground +1 +yes .*A plain ground\.$/m);
    expect(JSON.parse((await cli('show', 'ground', '-o', 'json')).stdout)).toMatchObject({ workflow: graph });

    const ran = await cli('run', 'ground', '-p', 'width=24', '-o', 'out');
    expect([ran.code, ran.stderr.includes('Error')]).toEqual([0, false]);
    expect(existsSync(join(desk.path, ran.stdout.trim()))).toBe(true);

    expect((await cli('delete', 'ground')).code).toBe(0);
    expect(await cli('show', 'ground')).toMatchObject({ code: 5 });
  });

  it('makes a new version only when the option asks for it', async () => {
    await cli('import', 'ground.json', '--name', 'again');
    expect(await cli('import', 'ground.json', '--name', 'again')).toMatchObject({ code: 6 });
    expect((await cli('import', 'ground.json', '--name', 'again', '--replace')).stderr).toBe(
      'again, version 2\n',
    );
  });

  it('says which value is wrong, and what it should be', async () => {
    await cli('import', 'ground.json', '--name', 'checked');
    const { code, stdout, stderr } = await cli('run', 'checked', '-p', 'width=wide');

    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('"width" must be a whole number, got "wide".');
  });

  it("says how to export a file in the editor's format", async () => {
    expect((await cli('import', 'editor.json')).stderr).toContain('Export (API)');
  });
});

async function cli(...args: string[]) {
  const written = { stdout: '', stderr: '' };
  const output = (name: keyof typeof written) => ({
    write: (text: string) => {
      written[name] += text;
    },
  });
  const streams = { stdin: Readable.from([]), stdout: output('stdout'), stderr: output('stderr') };
  const code = await runCli(['workflows', ...args], { env, cwd: desk.path, ...streams });
  return { code, ...written };
}
