import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { cpuTimeUs } from './process-usage.ts';

interface LoadOptions {
  headers?: Record<string, string>;
  connections: number;
  seconds: number;
  /** The answering process, whose processor time is counted. */
  pid: number;
}

export interface LoadResult {
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  /** The processor time of the answering process per answer. */
  cpuUs: number;
}

/** Keeps `connections` requests open from a process of its own. Any answer but 2xx makes the figure worthless. */
export async function load(
  url: string,
  { headers = {}, connections, seconds, pid }: LoadOptions,
): Promise<LoadResult> {
  const script = createRequire(import.meta.url).resolve('autocannon');
  const headerArgs = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}=${value}`]);
  const args = [script, '--json', '-c', String(connections), '-d', String(seconds), ...headerArgs, url];
  const usedUs = cpuTimeUs(pid);
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 16 * 1024 * 1024 });
  const cpuUs = cpuTimeUs(pid) - usedUs;
  const report = JSON.parse(stdout) as {
    requests: { average: number; total: number };
    latency: { p50: number; p99: number };
    errors: number;
    non2xx: number;
  };
  if (report.errors > 0 || report.non2xx > 0)
    throw new Error(`${url} gave ${report.non2xx} answers that are not 2xx and ${report.errors} errors.`);
  return {
    perSecond: report.requests.average,
    p50Ms: report.latency.p50,
    p99Ms: report.latency.p99,
    cpuUs: cpuUs / report.requests.total,
  };
}
