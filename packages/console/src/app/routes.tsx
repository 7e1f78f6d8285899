import { type ComponentType, lazy } from 'react';

interface PageRoute {
  /** As wouter reads it. It begins with a name of `console-pages`. */
  path: string;
  load: () => Promise<ComponentType>;
  /** Other users are told that administrators alone have this page. */
  adminOnly?: boolean;
}

/** Every page, in the order in which addresses are compared. A page stands here once it exists. */
const table: PageRoute[] = [
  {
    path: '/start',
    load: () => import('../features/start/start-page.tsx').then(({ StartPage }) => StartPage),
  },
  { path: '/runs', load: () => import('../features/runs/runs-page.tsx').then(({ RunsPage }) => RunsPage) },
  {
    path: '/runs/file',
    load: () => import('../features/runs/run-file-page.tsx').then(({ RunFilePage }) => RunFilePage),
  },
  {
    path: '/runs/:threadId/:runId',
    load: () => import('../features/runs/run-page.tsx').then(({ RunPage }) => RunPage),
  },
  {
    path: '/usage',
    load: () => import('../features/usage/usage-page.tsx').then(({ UsagePage }) => UsagePage),
  },
  {
    path: '/workflows',
    load: () => import('../features/workflows/workflows-page.tsx').then(({ WorkflowsPage }) => WorkflowsPage),
  },
  {
    path: '/workflows/:workflowId',
    load: () => import('../features/workflows/workflow-page.tsx').then(({ WorkflowPage }) => WorkflowPage),
  },
  {
    path: '/settings',
    adminOnly: true,
    load: () => import('../features/settings/settings-page.tsx').then(({ SettingsPage }) => SettingsPage),
  },
  {
    path: '/gallery',
    load: () => import('../features/gallery/gallery-page.tsx').then(({ GalleryPage }) => GalleryPage),
  },
  {
    path: '/chat/:threadId?',
    load: () => import('../features/chat/chat-page.tsx').then(({ ChatPage }) => ChatPage),
  },
  {
    path: '/users',
    adminOnly: true,
    load: () => import('../features/users/users-page.tsx').then(({ UsersPage }) => UsersPage),
  },
  {
    path: '/tokens',
    load: () => import('../features/tokens/tokens-page.tsx').then(({ TokensPage }) => TokensPage),
  },
  {
    path: '/models',
    load: () => import('../features/models/models-page.tsx').then(({ ModelsPage }) => ModelsPage),
  },
  {
    path: '/webhooks/:webhookId?',
    load: () => import('../features/webhooks/webhooks-page.tsx').then(({ WebhooksPage }) => WebhooksPage),
  },
  {
    path: '/audit',
    adminOnly: true,
    load: () => import('../features/audit/audit-page.tsx').then(({ AuditPage }) => AuditPage),
  },
  {
    path: '/system',
    adminOnly: true,
    load: () => import('../features/system/system-page.tsx').then(({ SystemPage }) => SystemPage),
  },
  {
    path: '/skills/:name?',
    load: () => import('../features/skills/skills-page.tsx').then(({ SkillsPage }) => SkillsPage),
  },
  {
    path: '/mcp',
    adminOnly: true,
    load: () => import('../features/mcp/mcp-page.tsx').then(({ McpPage }) => McpPage),
  },
  {
    path: '/memory',
    load: () => import('../features/memory/memory-page.tsx').then(({ MemoryPage }) => MemoryPage),
  },
  {
    path: '/agents',
    load: () => import('../features/agents/agents-page.tsx').then(({ AgentsPage }) => AgentsPage),
  },
  {
    path: '/account',
    load: () => import('../features/account/account-page.tsx').then(({ AccountPage }) => AccountPage),
  },
  {
    path: '/overview',
    load: () => import('../features/overview/overview-page.tsx').then(({ OverviewPage }) => OverviewPage),
  },
  {
    path: '/tasks/:taskId?',
    load: () => import('../features/tasks/tasks-page.tsx').then(({ TasksPage }) => TasksPage),
  },
  {
    path: '/instances/:instanceId?',
    load: () => import('../features/instances/instances-page.tsx').then(({ InstancesPage }) => InstancesPage),
  },
];

export interface Route {
  path: string;
  /** The first part of its address: `tasks`. */
  name: string;
  adminOnly: boolean;
  Page: ComponentType;
}

/** Each page is a file of its own that the browser loads when the page is first shown. */
export const routes: readonly Route[] = table.map(({ path, load, adminOnly = false }) => ({
  path,
  name: path.split('/')[1] ?? '',
  adminOnly,
  Page: lazy(async () => ({ default: await load() })),
}));
