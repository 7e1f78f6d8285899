import {
  getFeatures,
  listChannelConnections,
  listChannelProviders,
  readLarkStatus,
} from '@switchyard/contract/conversation/features';
import type { Routes } from '../../http/app.ts';

/** What this gateway offers. Pages that know more than it has ask here, and show what is missing as switched off. */
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

    app.route({ ...listChannelProviders, handler: async () => ({ enabled: false, providers: [] }) });
    app.route({ ...listChannelConnections, handler: async () => ({ connections: [] }) });
    app.route({ ...readLarkStatus, handler: async () => noLark });
  };
}

const noLark = {
  installed: false,
  version: '',
  manifest_version: null,
  latest_available_version: null,
  runtime_version_mismatch: false,
  app_configured: false,
  app_id: null,
  app_brand: null,
  skills_expected: 0,
  skills_installed: 0,
  installed_skills: [],
  enabled_skills: [],
  install_path: '',
  cli: { available: false, path: null, version: null, error: null },
  auth: { status: 'unavailable', message: null, user: null, verified: false },
  sandbox_runtime_mode: 'none',
  sandbox_runtime_ready: false,
  sandbox_runtime_detail: null,
};
