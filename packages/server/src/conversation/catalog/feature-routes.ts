import { getFeatures } from '@switchyard/contract/conversation/features';
import type { Routes } from '../../http/app.ts';

export function featureRoutes({ agentsApi }: { agentsApi: boolean }): Routes {
  return (app) => {
    app.route({
      ...getFeatures,
      handler: async () => ({
        agents_api: { enabled: agentsApi },
        browser_control: { enabled: false },
        mcp_tasks: { enabled: false },
      }),
    });
  };
}
