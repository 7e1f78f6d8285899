import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startGateway } from '../conversation/agent-servers.ts';
import { closedLoop } from '../conversation/closed-loop.ts';
import { DispatchBench } from '../dispatch-bench.ts';
import { type Figure, isRehearsal, measure } from '../measure.ts';
import { cpuTimeUs } from '../process-usage.ts';
import { median } from '../statistics.ts';

const rounds = isRehearsal ? 1 : 5;
const tasks = isRehearsal ? 50 : 1_200;
const clients = 16;
const seconds = isRehearsal ? 1 : 4;
const maxCost = 1.1;

/** The number of tasks or runs in a second, and what each costs. */
interface Sample {
  perSecond: number;
  cpuUs: number;
}

await measure('traces', 'Tasks and runs with and without a receiver of traces', async () => {
  let bytes = 0;
  const receiver = createServer((request, response) => {
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    request.on('end', () => response.end('{}'));
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/v1/traces`;
  const env = { SWITCHYARD__OBSERVABILITY__TRACES__ENDPOINT: endpoint };
  const ofTasks = await inTurns(await tasksOf({}), await tasksOf(env));
  const ofRuns = await inTurns(await runsOf({}), await runsOf(env));
  receiver.closeAllConnections();
  receiver.close();
  const parts = {
    'instant tasks without outputs, 8 workers': ofTasks,
    'runs of one node, 16 at once': ofRuns,
  };
  return {
    figures: [
      ...Object.entries(parts).flatMap(([name, { off, on }]): Figure[] => [
        { name: `${name}: off`, value: off.perSecond, unit: '/s' },
        { name: `${name}: on`, value: on.perSecond, unit: '/s' },
        { name: `${name}: processor time, on of off`, value: (on.cpuUs / off.cpuUs) * 100, unit: '%' },
      ]),
      { name: 'sent to the receiver', value: bytes / 1e6, unit: 'MB' },
    ],
    bars: Object.entries(parts).map(([name, { off, on }]) => ({
      promise: `${name}: ≤ 10 % more processor time with traces`,
      isMet: on.cpuUs / off.cpuUs <= maxCost,
    })),
    notes: [
      `Medians of ${rounds} rounds; both gateways run all the time and take turns. Processor time is that of the whole gateway process and does not depend on who else uses the machine.`,
      'The receiver reads everything and answers at once. It shares the processors, as a collector on the same machine does.',
    ],
  };
});

interface Side {
  round(): Promise<Sample>;
  close(): Promise<void>;
}

async function tasksOf(env: Record<string, string>): Promise<Side> {
  const bench = await DispatchBench.start({ workers: 8, env });
  return {
    round: async () => {
      const usedUs = cpuTimeUs(bench.gateway.pid);
      const perSecond = await bench.rate(tasks);
      return { perSecond, cpuUs: (cpuTimeUs(bench.gateway.pid) - usedUs) / tasks };
    },
    close: async () => {
      await bench.kill();
      await bench.close();
    },
  };
}

async function runsOf(env: Record<string, string>): Promise<Side> {
  const server = await startGateway(env);
  return {
    round: async () => {
      const usedUs = cpuTimeUs(server.gateway.pid);
      const { perSecond, tookMs } = await closedLoop({ clients, seconds }, async () => {
        await server.client.wait({ threadId: await server.client.createThread(), graph: 'echo' });
      });
      return { perSecond, cpuUs: (cpuTimeUs(server.gateway.pid) - usedUs) / tookMs.length };
    },
    close: () => server.close(),
  };
}

/** The first rounds of each side warm up. */
async function inTurns(off: Side, on: Side): Promise<{ off: Sample; on: Sample }> {
  const samples: { off: Sample; on: Sample }[] = [];
  for (let round = 0; round < rounds + 2; round += 1)
    samples.push({ off: await off.round(), on: await on.round() });
  await off.close();
  await on.close();
  const counted = samples.slice(2);
  const medianOf = (side: 'off' | 'on'): Sample => ({
    perSecond: median(counted.map((sample) => sample[side].perSecond)),
    cpuUs: median(counted.map((sample) => sample[side].cpuUs)),
  });
  return { off: medianOf('off'), on: medianOf('on') };
}
