import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

/** Packages with binaries or in the older module format; ours are bundled. */
const external = ['@photostructure/sqlite', 'kysely', 'pg'];
const folder = fileURLToPath(new URL('../../../.build/programs/', import.meta.url));

/**
 * Runs a program in many processes that start at once, and returns the one message that each of them sends. When all
 * have sent it, the processes that still run are killed without a chance to clean up. Rejects when a process ends
 * without a message. The program is bundled first, since compiling it in each process would take seconds.
 */
export async function runManyProcesses<Message>(
  program: string,
  { count, options }: { count: number; options: unknown },
): Promise<Message[]> {
  const outfile = `${folder}${randomUUID()}.mjs`;
  buildSync({ entryPoints: [program], outfile, external, bundle: true, format: 'esm', platform: 'node' });
  const children = Array.from({ length: count }, () =>
    fork(outfile, [JSON.stringify(options)], { execArgv: [] }),
  );
  const exits = children.map((child) => new Promise((resolve) => child.once('exit', resolve)));
  try {
    return await Promise.all(children.map((child) => messageOf<Message>(child)));
  } finally {
    for (const child of children) child.kill('SIGKILL');
    await Promise.all(exits);
    rmSync(outfile);
  }
}

function messageOf<Message>(child: ChildProcess): Promise<Message> {
  return new Promise((resolve, reject) => {
    child.once('message', (message) => resolve(message as Message));
    child.once('exit', (code) =>
      reject(new Error(`A process ended with exit code ${code} and said nothing.`)),
    );
  });
}
