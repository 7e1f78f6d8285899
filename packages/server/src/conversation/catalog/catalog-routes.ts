import {
  getFeatures,
  listChannelConnections,
  listChannelProviders,
  readLarkStatus,
} from '@switchyard/contract/conversation/features';
import { type Graph, listGraphs } from '@switchyard/contract/conversation/graphs';
import { getInfo, getOk } from '@switchyard/contract/conversation/info';
import { getModel, listModels, type Model } from '@switchyard/contract/conversation/model';
import { at, type Mount } from '@switchyard/contract/conversation/mounts';
import type { AgentRuntime } from '../../agents/create-agents.ts';
import { langgraphVersion } from '../../agents/langchain.ts';
import { shown } from '../../agents/loading/load-agent-fault.ts';
import type { Routes } from '../../http/app.ts';
import { findModel } from './models.ts';

export function graphRoutes({ agents, otherFaults }: Pick<AgentRuntime, 'agents' | 'otherFaults'>): Routes {
  return (app) => {
    app.route({
      ...listGraphs,
      handler: async () => {
        const described = await agents.describeAll();
        const graphs = described.map(({ graphId, assistantId, description, fault }): Graph => {
          const place = agents.placeOf(graphId);
          const loaded = place === null ? 'built_in' : 'loaded';
          return {
            graph_id: graphId,
            assistant_id: assistantId,
            description,
            file: place && shown(place.file, place.cwd),
            export: place?.exportName ?? null,
            state: fault ? 'refused' : loaded,
            fault: fault?.message ?? null,
          };
        });
        return { graphs, faults: await otherFaults() };
      },
    });
  };
}

export function infoRoutes(mount: Mount, { version }: { version: string }): Routes {
  const flags = { assistants: true, crons: true, langsmith: false, langsmith_tracing_replicas: false };
  const info = { version, langgraph_js_version: langgraphVersion(), context: 'js' as const, flags };
  return (app) => {
    app.route({ ...at(mount, getInfo), handler: async () => info });

    app.route({ ...at(mount, getOk), handler: async () => ({ ok: true as const }) });
  };
}

export function modelRoutes(models: readonly Model[], { trackTokens }: { trackTokens: boolean }): Routes {
  return (app) => {
    app.route({
      ...listModels,
      handler: async () => ({ models: [...models], token_usage: { enabled: trackTokens } }),
    });

    app.route({ ...getModel, handler: async (request) => findModel(models, request.params.name) });
  };
}

/** The features of this gateway. A page that can show more reads them and shows the missing ones as switched off. */
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
