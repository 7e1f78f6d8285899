/**
 * The address of each page of the web console, as its router reads it: `:name` stands for any part, and `:name?` may be
 * missing. The gateway answers its one page there.
 */
export const consolePaths = [
  '/',
  '/login',
  '/start',
  '/overview',
  '/tasks/:taskId?',
  '/instances/:instanceId?',
  '/workflows',
  '/workflows/:workflowId',
  '/gallery',
  '/shared',
  '/settings',
  '/chat/:threadId?',
  '/runs',
  '/runs/file',
  '/runs/:threadId/:runId',
  '/usage',
  '/agents',
  '/models',
  '/mcp-servers',
  '/skills/:name?',
  '/memory',
  '/webhooks/:webhookId?',
  '/users',
  '/tokens',
  '/system',
  '/audit',
  '/account',
  '/connect',
] as const;

export type ConsolePath = (typeof consolePaths)[number];
