import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { binary } from '@switchyard/dev-env/binary';
import { HttpSession } from '@switchyard/dev-env/http-session';
import { SpawnedGateway } from '@switchyard/dev-env/spawned-gateway';
import { SqliteConnection } from '@switchyard/server/platform/database/sqlite/sqlite-connection';
import { isRehearsal } from './measure.ts';
import { cpuTimeUs, residentMb } from './process-usage.ts';

const account = { email: 'large@example.com', password: 'carry the pictures' };
export const threads = isRehearsal ? 1_000 : 100_000;
export const eventsPerThread = 10;
const sampleEveryMs = 20;

/** Makes a home whose database has threads with events, which a client would need hours for. The gateway is stopped. */
export async function makeLargeHome(home: string): Promise<{ file: string; userId: string }> {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const gateway = await SpawnedGateway.start({ home });
  const session = await HttpSession.register(gateway.url, account);
  const { id: userId } = await session.get<{ id: string }>('/api/v1/auth/me');
  await gateway.stop();
  const file = join(home, 'data', 'switchyard.db');
  addThreads(file, userId, { from: 1, to: threads });
  return { file, userId };
}

/** Adds threads with events, numbered in this range. */
export function addThreads(file: string, userId: string, { from, to }: { from: number; to: number }): void {
  const connection = new SqliteConnection(file);
  connection.run('begin immediate');
  connection.run(
    `with recursive n(i) as (select ${from} union all select i + 1 from n where i < ${to})
     insert into threads (thread_id, user_id, status, metadata, created_at, updated_at, state_updated_at)
     select printf('00000000-0000-7000-8000-%012d', i), ?, 'idle', '{}', '2026-01-01T00:00:00.000Z',
       '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z' from n`,
    [userId],
  );
  connection.run(
    `with recursive n(i) as (select 0 union all select i + 1 from n where i < ${eventsPerThread - 1})
     insert into run_events (thread_id, seq, run_id, user_id, event_type, category, content, metadata, created_at)
     select thread_id, i, thread_id, user_id, 'message', 'message', hex(randomblob(150)), '{"n":1}',
       '2026-01-01T00:00:00.000Z' from threads, n
     where thread_id >= printf('00000000-0000-7000-8000-%012d', ${from})`,
  );
  connection.run('commit');
  connection.close();
}

export interface Spent {
  tookMs: number;
  cpuMs: number;
  peakMb: number;
}

/** Runs a command of the built binary, and looks at the process while it runs. Throws when it fails. */
export function spent(args: string[], env: Record<string, string> = {}): Promise<Spent> {
  const { PATH = '' } = process.env;
  const started = performance.now();
  const child = spawn(process.execPath, [binary, ...args], { env: { PATH, ...env } });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-4_000);
    });
  let [peakMb, cpuUs] = [0, 0];
  const look = setInterval(() => {
    try {
      peakMb = Math.max(peakMb, residentMb(child.pid ?? 0));
      cpuUs = cpuTimeUs(child.pid ?? 0);
    } catch {
      // It has ended; the last look counts.
    }
  }, sampleEveryMs);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      clearInterval(look);
      if (code === 0) resolve({ tookMs: performance.now() - started, cpuMs: cpuUs / 1_000, peakMb });
      else reject(new Error(`switchyard ${args.join(' ')} ended with ${code}:\n${output}`));
    });
  });
}
