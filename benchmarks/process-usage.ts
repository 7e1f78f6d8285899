import { readFileSync } from 'node:fs';

/** The kernel counts in hundredths of a second on every Linux that Node runs on. */
const tickUs = 10_000;

/** Processor time of a process so far. Unlike a rate it does not depend on who else uses the machine. */
export function cpuTimeUs(pid: number): number {
  const fields = statOf(pid);
  return (Number(fields[11]) + Number(fields[12])) * tickUs;
}

/** The process that has started this one. */
export function parentOf(pid: number): number {
  return Number(statOf(pid)[1]);
}

/** Processor time so far of a process and of everything that it has started. */
export function familyTimeUs(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
  const living = children.reduce((sum, child) => sum + timeIfThere(Number(child)), 0);
  const ended = statOf(pid);
  return living + cpuTimeUs(pid) + (Number(ended[13]) + Number(ended[14])) * tickUs;
}

/** Returns 0 for a process that has just ended: the kernel counts it at its parent from then on. */
function timeIfThere(pid: number): number {
  try {
    return cpuTimeUs(pid);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0;
    throw error;
  }
}

/** The fields of a process from its state on. */
function statOf(pid: number): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/**
 * Processor time of the main thread so far, as the kernel counts it: the work on the event loop, without the engine's
 * helper threads and without the time in which the thread waits for the disk.
 */
export function mainThreadMs(pid: number): number {
  const [ranNs] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ');
  return Number(ranNs) / 1e6;
}

export function residentMb(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  if (kilobytes === undefined) throw new Error('This system does not tell the memory of a process.');
  return (Number(kilobytes) * 1024) / 1e6;
}

/** Returns how late the event loop of a gateway was, as the 99th percentile since this was asked before. */
export async function loopDelayMs(url: string): Promise<number> {
  const text = await (await fetch(new URL('/metrics', url))).text();
  const [, seconds] = /^nodejs_eventloop_delay_seconds\{quantile="0.99"\} (\S+)$/m.exec(text) ?? [];
  if (seconds === undefined) throw new Error('The gateway does not tell the delay of its event loop.');
  return Number(seconds) * 1_000;
}
