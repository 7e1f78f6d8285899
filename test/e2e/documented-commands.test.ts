import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { HttpSession } from '@switchyard/dev-env/http-session';
import { SpawnedGateway } from '@switchyard/dev-env/spawned-gateway';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CommandBlock, commandBlocks } from './command-blocks.ts';
import { credentialsFile, readCredentials } from './credentials-file.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const documents = [
  'README.md',
  ...readdirSync(join(root, 'docs/guide'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/guide/${name}`),
];
/** This document begins with the first password and changes it itself. */
const aboutPasswords = 'docs/guide/accounts.md';

/** A clone in which nothing was ever started, and a user without files. */
let clone: ReturnType<typeof temporaryFolder>;
let userHome: ReturnType<typeof temporaryFolder>;
let gateway: SpawnedGateway;

beforeEach(async () => {
  clone = temporaryFolder();
  userHome = temporaryFolder();
  for (const name of ['README.md', 'examples', 'docs', 'packages', 'node_modules']) {
    symlinkSync(join(root, name), join(clone.path, name));
  }
  // A refusal has to end a block as failed; curl by itself accepts any answer.
  writeFileSync(join(userHome.path, '.curlrc'), 'fail-with-body\n');
});

afterEach(async () => {
  await gateway?.stop();
  clone.remove();
  userHome.remove();
});

describe('the commands of', () => {
  it.each(documents.filter((name) => runnable(name).length > 0))(
    '%s run unchanged, from the top to the bottom, beside a gateway that was just started',
    async (name) => {
      const home = join(clone.path, '.switchyard');
      mkdirSync(home);
      gateway = await SpawnedGateway.start({ home, cwd: clone.path });
      const { email, password } = readCredentials(home);
      await signIn(password);
      if (name !== aboutPasswords) {
        const session = await HttpSession.login(gateway.url, { email, password });
        const change = { current_password: password, new_password: 'correct horse battery' };
        await session.post('/api/v1/auth/change-password', change);
        rmSync(credentialsFile(home));
      }
      const { code, output } = await inShell(await scriptOf(name));
      expect(code, `${name} ended in the block of line ${lastBlock(output)}:\n${output.slice(-6_000)}`).toBe(
        0,
      );
    },
  );

  it('examples name a reason, and contain no placeholders', () => {
    for (const name of documents) {
      for (const { code, line, example } of commandBlocks(textOf(name))) {
        expect(code, `${name}:${line}: write what can be typed in place of an ellipsis`).not.toContain('…');
        if (example !== null) expect(example, `${name}:${line}`).toMatch(/^(\w|')[\w ,'-]+$/);
      }
    }
  });

  it('all documents call a token by the name of its kind', () => {
    for (const name of [...documents, 'packages/client/README.md', 'packages/worker/README.md']) {
      for (const { code, line } of commandBlocks(textOf(name))) {
        const names = new Set([...code.matchAll(/\b([A-Z_]*TOKEN)\b/g)].map(([, variable]) => variable));
        expect(['ACCESS_TOKEN', 'DISPATCH_TOKEN'], `${name}:${line}`).toEqual(
          expect.arrayContaining([...names]),
        );
      }
    }
  });
});

function textOf(name: string): string {
  return readFileSync(join(root, name), 'utf8');
}

function runnable(name: string): CommandBlock[] {
  return commandBlocks(textOf(name)).filter(({ example }) => example === null);
}

/** Does the work of `switchyard login` on a terminal, which tests do not have. */
async function signIn(password: string): Promise<void> {
  const { code, output } = await inShell(
    `printf '%s\\n' '${password}' | switchyard login --email admin --password-stdin`,
  );
  expect(code, output).toBe(0);
}

/**
 * Runs all blocks in one shell, as a reader does in one terminal. The test uses ports of its own, because another
 * gateway may run on this machine.
 */
async function scriptOf(name: string): Promise<string> {
  const ports: Record<string, string> = {
    '7300': new URL(gateway.url).port,
    '8190': String(await freePort()),
  };
  const blocks = runnable(name).map(({ code, line }) => `echo "── line ${line}" >&2\n${code}`);
  return blocks.join('\n').replace(/\b(7300|8190)\b/g, (port) => ports[port] ?? port);
}

function lastBlock(output: string): string {
  return [...output.matchAll(/── line (\d+)/g)].at(-1)?.[1] ?? '?';
}

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) killGroup(child);
});

/** Runs in a process group of its own, with an environment that has only the PATH of this machine. */
async function inShell(script: string): Promise<{ code: number | null; output: string }> {
  const PATH = [join(root, 'node_modules/.bin'), process.env.PATH].join(':');
  const child = spawn('sh', ['-e', '-u', '-c', script], {
    cwd: clone.path,
    env: { PATH, HOME: userHome.path },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  running.add(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    // Not `close`: programs that a block left running in the background keep the pipes open.
    child.once('exit', resolve);
  });
  killGroup(child);
  running.delete(child);
  return { code, output };
}

function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGTERM');
  } catch {
    // The group has no process any more.
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
