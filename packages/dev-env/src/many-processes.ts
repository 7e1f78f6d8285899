import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

/** Packages with binaries or in the older module format; ours are bundled. */
const external = ['@photostructure/sqlite', 'kysely', 'pg'];
const folder = fileURLToPath(new URL('../../../.build/programs/', import.meta.url));

/**
 * Runs a program in many processes that start at once, and answers the one message that each of them sends. Rejects when a
 * process ends without. The program is bundled first, since compiling it in each process would take seconds.
 */
export async function runManyProcesses<Message>(
  program: string,
  { count, options }: { count: number; options: unknown },
): Promise<Message[]> {
  const outfile = `${folder}${randomUUID()}.mjs`;
  buildSync({ entryPoints: [program], outfile, external, bundle: true, format: 'esm', platform: 'node' });
  try {
    return await Promise.all(
      Array.from({ length: count }, () => {
        const child = fork(outfile, [JSON.stringify(options)], { execArgv: [] });
        return new Promise<Message>((resolve, reject) => {
          child.once('message', (message) => resolve(message as Message));
          child.once('exit', (code) => reject(new Error(`${program} ended with exit code ${code}.`)));
        });
      }),
    );
  } finally {
    rmSync(outfile);
  }
}
