import { getOverview } from '@switchyard/contract/dispatch/monitor';
import { ok } from '@switchyard/contract/envelope';
import type { Routes } from '../../http/app.ts';
import type { Monitor } from './monitor.ts';

export function monitorRoutes({ monitor }: { monitor: Monitor }): Routes {
  return (app) => {
    app.route({ ...getOverview, handler: async () => ok(await monitor.overview()) });
  };
}
