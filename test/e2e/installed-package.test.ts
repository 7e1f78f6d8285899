import { execFile } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { runBinary, testedPackage } from '@switchyard/dev-env/binary';
import { SpawnedGateway } from '@switchyard/dev-env/spawned-gateway';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installPackage, nodeAlone } from '../../scripts/install-package.mjs';
import { readCredentials } from './credentials-file.ts';

const call = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));

describe('the package, installed on a machine that has Node and nothing that compiles', () => {
  const folder = temporaryFolder();
  const place = join(folder.path, 'place');
  const programs = join(folder.path, 'programs');
  const modules = join(place, 'node_modules');
  const installed = join(modules, 'switchyard-gateway');
  let env: Record<string, string>;

  beforeAll(async () => {
    // The run of all tests has installed it for all of them. It is uninstalled here, so this needs a copy.
    if (testedPackage?.includes('/node_modules/')) {
      cpSync(resolve(root, testedPackage, '../..'), place, { recursive: true, verbatimSymlinks: true });
      nodeAlone(programs);
    } else installPackage(folder.path);
    env = { PATH: programs, HOME: folder.path };
  });
  afterAll(() => folder.remove());

  /** The settings of this machine's npm count: they say where its packages come from. */
  const npm = (...args: string[]) =>
    call('npm', args, { cwd: place, env: { ...process.env, ...env, HOME: process.env.HOME } });

  it('takes at most 200 MB and 45 packages', async () => {
    const { stdout } = await npm('ls', '--all', '--parseable');
    const packages = stdout.trim().split('\n').length - 1; // the first line is the place itself
    expect(packages).toBeGreaterThan(10);
    expect(packages).toBeLessThanOrEqual(45);
    expect(bytesBelow(modules) / 1e6).toBeLessThanOrEqual(200);
  });

  it('holds what a stranger looks for, and nothing that only the repository needs', () => {
    expect(readdirSync(installed)).toEqual(
      expect.arrayContaining(['LICENSE', 'README.md', 'configuration.schema.json', 'examples', 'skills']),
    );
    const manifest = readJson(join(installed, 'package.json'));
    expect(manifest).not.toHaveProperty('private');
    expect(manifest).not.toHaveProperty('devDependencies');
    expect(readJson(join(installed, 'configuration.schema.json'))).toMatchObject({
      title: 'switchyard.yaml',
    });
  });

  it.each(['20', '22', '24'])('makes its first picture on Node %s', async (version) => {
    const command = [await nodeOf(version), join(installed, 'bin/switchyard.mjs')];
    const home = join(folder.path, `home-${version}`);
    const gateway = await SpawnedGateway.start({ home, cwd: place, command, env });
    const { email, password } = readCredentials(home);
    const cli = async (args: string[], input = '') => {
      const run = runBinary({ args, command, cwd: place, env: { ...env, SWITCHYARD_URL: gateway.url } });
      run.child.stdin?.end(input);
      expect(await run.exited, run.output()).toEqual({ code: 0, signal: null });
    };
    await cli(['login', '--email', email, '--password-stdin'], `${password}\n`);
    const pictures = join(home, 'pictures');
    await cli(['run', 'examples/workflows/batch-invert.json', '-o', pictures]);
    const [picture = ''] = readdirSync(pictures);
    expect(readFileSync(join(pictures, picture)).subarray(1, 4).toString()).toBe('PNG');
    expect(await gateway.stop()).toEqual({ code: 0, signal: null });
  });

  it('starts without tsx, and says what to install where there is code to read', async () => {
    for (const name of ['tsx', 'esbuild']) rmSync(join(modules, name), { recursive: true });
    writeFileSync(join(place, 'agent.ts'), 'export const graph = {};');
    writeFileSync(join(place, 'langgraph.json'), '{ "graphs": { "mine": "./agent.ts:graph" } }');
    const command = [process.execPath, join(installed, 'bin/switchyard.mjs')];
    const gateway = await SpawnedGateway.start({
      home: join(folder.path, 'home-20'),
      cwd: place,
      command,
      env,
    });
    expect(gateway.output()).toContain('Install it beside the gateway: npm install tsx');
    expect(await gateway.stop()).toEqual({ code: 0, signal: null });
  });

  it('leaves the data home when it is uninstalled', async () => {
    await npm('uninstall', 'switchyard-gateway');
    expect(existsSync(installed)).toBe(false);
    expect(readdirSync(join(folder.path, 'home-20'))).toEqual(
      expect.arrayContaining(['admin_initial_credentials.txt', 'data']),
    );
  });
});

/** Returns the path of the newest Node of a line, which npm brings as a package. */
async function nodeOf(version: string): Promise<string> {
  if (process.versions.node.startsWith(`${version}.`)) return process.execPath;
  const print = ['--yes', '--package', `node@${version}`, 'node', '-p', 'process.execPath'];
  return (await call('npx', print)).stdout.trim();
}

function bytesBelow(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return files.reduce((bytes, { parentPath, name }) => bytes + statSync(join(parentPath, name)).size, 0);
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, 'utf8'));
}
