import type { FleetAnswer, FleetRequest } from './fake-fleet.ts';
import { FakeWorker } from './fake-worker.ts';

/** The program of `startFakeFleet`: it lives as long as the process that started it. */
const workers: FakeWorker[] = [];

process.on('message', (request: FleetRequest) => {
  obey(request).then(
    () => answer({ id: request.id, stats: workers.map((worker) => worker.stats) }),
    (error: unknown) => answer({ id: request.id, error: String(error) }),
  );
});
process.on('disconnect', () => process.exit(0));

async function obey(request: FleetRequest): Promise<void> {
  switch (request.order) {
    case 'start':
      for (let index = 0; index < request.count; index++)
        workers.push(await FakeWorker.start(request.options));
      return;
    case 'behave':
      for (const worker of workers) {
        if (request.port === null || request.port === worker.port) {
          worker.behaviour = { ...worker.behaviour, ...request.behaviour };
        }
      }
      return;
    case 'finish':
      for (const worker of workers) worker.finishRun();
      return;
    case 'stats':
  }
}

function answer(message: FleetAnswer): void {
  process.send?.(message);
}
