import { getInfo, getOk } from '@switchyard/contract/conversation/info';
import { at, type Mount } from '@switchyard/contract/conversation/mounts';
import { langgraphVersion } from '../../agents/langchain.ts';
import type { Routes } from '../../http/app.ts';

export function infoRoutes(mount: Mount, { version }: { version: string }): Routes {
  const flags = { assistants: true, crons: true, langsmith: false, langsmith_tracing_replicas: false };
  const info = { version, langgraph_js_version: langgraphVersion(), context: 'js' as const, flags };
  return (app) => {
    app.route({ ...at(mount, getInfo), handler: async () => info });

    app.route({ ...at(mount, getOk), handler: async () => ({ ok: true as const }) });
  };
}
