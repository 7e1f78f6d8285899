import { getOverview } from '@switchyard/contract/dispatch/monitor';
import { getPoolOverview } from '@switchyard/contract/dispatch/overview';
import { ok } from '@switchyard/contract/envelope';
import type { Guard } from '../../http/access/guard.ts';
import { readerOf } from '../../http/access/reader.ts';
import type { Routes } from '../../http/app.ts';
import type { Monitor } from './monitor.ts';
import type { PoolBoard } from './pool-board.ts';

interface MonitorRoutesOptions {
  monitor: Monitor;
  board: PoolBoard;
  guard: Pick<Guard, 'originOf'>;
}

export function monitorRoutes({ monitor, board, guard }: MonitorRoutesOptions): Routes {
  return (app) => {
    app.route({ ...getOverview, handler: async () => ok(await monitor.overview()) });
    app.route({
      ...getPoolOverview,
      handler: async (request) => ok(await board.read(readerOf(request, guard))),
    });
  };
}
