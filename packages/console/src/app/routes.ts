import type { ConsolePath } from '@switchyard/contract/console-pages';
import type { QueryClient } from '@tanstack/react-query';
import type { ComponentType } from 'react';
import { type LazyPart, lazyPart } from '../lib/lazy-part.ts';

/** A page whose file has been loaded. */
export interface LoadedPage {
  Page: ComponentType;
  /** Asks for what the page shows first, before it is drawn. */
  prepare?: (queries: QueryClient) => void;
}

interface PageRoute {
  path: ConsolePath;
  load: () => Promise<LoadedPage>;
  /** Other users get the message that administrators alone have this page. */
  adminOnly?: boolean;
}

/** Every page, in the order in which addresses are compared. A page stands here once it exists. */
const table: PageRoute[] = [
  {
    path: '/start',
    load: () => import('../features/start/start-page.tsx').then(({ StartPage: Page }) => ({ Page })),
  },
  {
    path: '/runs',
    load: () => import('../features/runs/runs-page.tsx').then(({ RunsPage: Page }) => ({ Page })),
  },
  {
    path: '/runs/file',
    load: () => import('../features/runs/run-file-page.tsx').then(({ RunFilePage: Page }) => ({ Page })),
  },
  {
    path: '/runs/:threadId/:runId',
    load: () => import('../features/runs/run-page.tsx').then(({ RunPage: Page }) => ({ Page })),
  },
  {
    path: '/usage',
    load: () => import('../features/usage/usage-page.tsx').then(({ UsagePage: Page }) => ({ Page })),
  },
  {
    path: '/workflows',
    load: () =>
      import('../features/workflows/workflows-page.tsx').then(({ WorkflowsPage: Page }) => ({ Page })),
  },
  {
    path: '/workflows/:workflowId',
    load: () =>
      import('../features/workflows/workflow-page.tsx').then(({ WorkflowPage: Page }) => ({ Page })),
  },
  {
    path: '/settings',
    adminOnly: true,
    load: () => import('../features/settings/settings-page.tsx').then(({ SettingsPage: Page }) => ({ Page })),
  },
  {
    path: '/gallery',
    load: () => import('../features/gallery/gallery-page.tsx').then(({ GalleryPage: Page }) => ({ Page })),
  },
  {
    path: '/shared',
    load: () => import('../features/sharing/shared-page.tsx').then(({ SharedPage: Page }) => ({ Page })),
  },
  {
    path: '/chat/:threadId?',
    load: () => import('../features/chat/chat-page.tsx').then(({ ChatPage: Page }) => ({ Page })),
  },
  {
    path: '/users',
    adminOnly: true,
    load: () => import('../features/users/users-page.tsx').then(({ UsersPage: Page }) => ({ Page })),
  },
  {
    path: '/tokens',
    load: () => import('../features/tokens/tokens-page.tsx').then(({ TokensPage: Page }) => ({ Page })),
  },
  {
    path: '/models',
    load: () => import('../features/models/models-page.tsx').then(({ ModelsPage: Page }) => ({ Page })),
  },
  {
    path: '/webhooks/:webhookId?',
    load: () => import('../features/webhooks/webhooks-page.tsx').then(({ WebhooksPage: Page }) => ({ Page })),
  },
  {
    path: '/audit',
    adminOnly: true,
    load: () => import('../features/audit/audit-page.tsx').then(({ AuditPage: Page }) => ({ Page })),
  },
  {
    path: '/system',
    adminOnly: true,
    load: () => import('../features/system/system-page.tsx').then(({ SystemPage: Page }) => ({ Page })),
  },
  {
    path: '/skills/:name?',
    load: () => import('../features/skills/skills-page.tsx').then(({ SkillsPage: Page }) => ({ Page })),
  },
  {
    path: '/mcp-servers',
    adminOnly: true,
    load: () => import('../features/mcp/mcp-page.tsx').then(({ McpPage: Page }) => ({ Page })),
  },
  {
    path: '/memory',
    load: () => import('../features/memory/memory-page.tsx').then(({ MemoryPage: Page }) => ({ Page })),
  },
  {
    path: '/agents',
    load: () => import('../features/agents/agents-page.tsx').then(({ AgentsPage: Page }) => ({ Page })),
  },
  {
    path: '/account',
    load: () => import('../features/account/account-page.tsx').then(({ AccountPage: Page }) => ({ Page })),
  },
  {
    path: '/connect',
    load: () => import('../features/tokens/connect-page.tsx').then(({ ConnectPage: Page }) => ({ Page })),
  },
  {
    path: '/overview',
    load: () =>
      import('../features/overview/overview-page.tsx').then(({ OverviewPage: Page, prepareOverview }) => ({
        Page,
        prepare: prepareOverview,
      })),
  },
  {
    path: '/tasks/:taskId?',
    load: () => import('../features/tasks/tasks-page.tsx').then(({ TasksPage: Page }) => ({ Page })),
  },
  {
    path: '/instances/:instanceId?',
    load: () =>
      import('../features/instances/instances-page.tsx').then(({ InstancesPage: Page }) => ({ Page })),
  },
];

export interface Route {
  path: string;
  /** The first part of its address: `tasks`. */
  name: string;
  adminOnly: boolean;
  /** Each page is a file of its own that the browser loads when the page is first shown. */
  page: LazyPart<LoadedPage>;
}

export const routes: readonly Route[] = table.map(({ path, load, adminOnly = false }) => ({
  path,
  name: path.split('/')[1] ?? '',
  adminOnly,
  page: lazyPart(load),
}));

/** The page at an address; undefined when none is there. */
export function routeAt(address: string): Route | undefined {
  const parts = address.split('/').filter(Boolean);
  return routes.find(({ path }) => fits(path.split('/').filter(Boolean), parts));
}

/** Returns whether an address fits a path: `:name` stands for any part, and `:name?` may be missing. */
function fits(path: readonly string[], address: readonly string[]): boolean {
  const isLonger = address.length > path.length;
  return !isLonger && path.every((part, index) => fitsPart(part, address[index]));
}

function fitsPart(part: string, given: string | undefined): boolean {
  return given === undefined ? part.endsWith('?') : part.startsWith(':') || part === given;
}
