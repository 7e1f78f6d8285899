import { readdirSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Counter, Gauge, type Registry } from 'prom-client';

/**
 * Registers what an operator asks about the process, under the usual names. Prom-client's own default metrics start
 * observers that cannot be stopped, so a second gateway in one process would add to the first. Returns a function that
 * stops these.
 */
export function registerProcessMetrics(registry: Registry): () => void {
  const registers = [registry];
  const startedAtSeconds = Date.now() / 1000 - process.uptime();
  let countedCpuSeconds = 0;

  new Counter({
    name: 'process_cpu_seconds_total',
    help: 'CPU time of this process, user and system.',
    registers,
    collect() {
      const { user, system } = process.cpuUsage();
      const cpuSeconds = (user + system) / 1e6;
      this.inc(cpuSeconds - countedCpuSeconds);
      countedCpuSeconds = cpuSeconds;
    },
  });
  new Gauge({
    name: 'process_start_time_seconds',
    help: 'When this process started, in seconds since the epoch.',
    registers,
  }).set(startedAtSeconds);
  new Gauge({
    name: 'process_resident_memory_bytes',
    help: 'Memory of this process in RAM.',
    registers,
    collect() {
      this.set(process.memoryUsage.rss());
    },
  });
  new Gauge({
    name: 'process_open_fds',
    help: 'Open file descriptors; absent where the system does not tell.',
    registers,
    collect() {
      const count = countOpenFiles();
      if (count !== undefined) this.set(count);
    },
  });
  new Gauge({
    name: 'nodejs_heap_size_used_bytes',
    help: 'Memory of live and not yet collected JavaScript objects.',
    registers,
    collect() {
      this.set(process.memoryUsage().heapUsed);
    },
  });
  return registerEventLoopDelay(registry);
}

/** Each sample wakes the process: a hundred a second cost an idle gateway more than everything else that it does. */
const samplingMs = 50;

function registerEventLoopDelay(registry: Registry): () => void {
  const delay = monitorEventLoopDelay({ resolution: samplingMs });
  delay.enable();
  new Gauge({
    name: 'nodejs_eventloop_delay_seconds',
    help: 'How late the event loop was since the last scrape.',
    labelNames: ['quantile'] as const,
    registers: [registry],
    collect() {
      for (const quantile of [0.5, 0.9, 0.99])
        this.set({ quantile }, secondsOf(delay.percentile(quantile * 100)));
      this.set({ quantile: 1 }, secondsOf(delay.max));
      delay.reset();
    },
  });
  return () => delay.disable();
}

/** A sample is the whole time between two ticks of the sampler. The part beyond its interval is the delay. */
function secondsOf(nanoseconds: number): number {
  return Math.max(0, nanoseconds / 1e9 - samplingMs / 1000);
}

function countOpenFiles(): number | undefined {
  try {
    return readdirSync('/proc/self/fd').length - 1; // The folder itself is open while it is read.
  } catch {
    return undefined;
  }
}
