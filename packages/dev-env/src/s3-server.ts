import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { endWithThisProcess } from './end-with-this-process.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** An S3 server of a test, with one bucket. */
export interface S3Server {
  /** Scheme, host and port. */
  readonly endpoint: string;
  readonly bucket: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** The folder in which it keeps what it stores. */
  readonly folder: string;
  stop(): Promise<void>;
}

/**
 * A server of S3 from npm, on a disk. It does not compare signatures, page lists, list or abort uploads in parts, or compare a body
 * with its hash; `platform/s3/s3-server-faults.test.ts` has doubles for that. It brings a hundred packages, so the
 * first test that needs it installs it into `.build`.
 */
const version = '3.7.1';
const place = fileURLToPath(new URL(`../../../.build/s3rver-${version}`, import.meta.url));
const bucket = 'files';

export async function startS3Server({ folder }: { folder?: string } = {}): Promise<S3Server> {
  await install();
  const own = folder === undefined ? temporaryFolder() : null;
  const stored = folder ?? own?.path ?? '';
  const server = spawn(process.execPath, ['-e', program, stored, bucket], {
    cwd: place,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  endWithThisProcess(server);
  let output = '';
  const port = await new Promise<number>((resolve, reject) => {
    for (const stream of [server.stdout, server.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output = (output + text).slice(-4_000);
        const found = /^port (\d+)$/m.exec(output)?.[1];
        if (found) resolve(Number(found));
      });
    server.once('error', reject);
    server.once('exit', () => reject(new Error(`The S3 server ended at once:\n${output}`)));
  });
  return {
    endpoint: `http://127.0.0.1:${port}`,
    bucket,
    accessKeyId: 'S3RVER',
    secretAccessKey: 'S3RVER',
    folder: join(stored, bucket),
    stop: async () => {
      if (server.exitCode === null && server.signalCode === null) {
        const gone = once(server, 'exit');
        server.kill('SIGKILL');
        await gone;
      }
      own?.remove();
    },
  };
}

/** It ends at some uploads that break off, which a service does not. */
const program = `
process.on('uncaughtException', (error) => console.error(error));
const S3rver = require('s3rver');
const [directory, name] = process.argv.slice(1);
new S3rver({ port: 0, address: '127.0.0.1', silent: true, directory, configureBuckets: [{ name, configs: [] }] })
  .run()
  .then(({ port }) => console.log('port ' + port));
`;

/** Installed aside and renamed, since several test files may need it at once. */
async function install(): Promise<void> {
  if (existsSync(place)) return;
  const build = fileURLToPath(new URL('../../../.build', import.meta.url));
  mkdirSync(build, { recursive: true });
  const draft = mkdtempSync(join(build, 's3rver-'));
  writeFileSync(join(draft, 'package.json'), JSON.stringify({ private: true }));
  const options = ['--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund'];
  await promisify(execFile)('npm', ['install', `s3rver@${version}`, ...options], { cwd: draft });
  try {
    renameSync(draft, place);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    if (!existsSync(place)) throw error;
  }
}
