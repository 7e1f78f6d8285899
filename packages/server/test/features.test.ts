import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ConversationGateway, startConversation } from './support/conversation-gateway.ts';

let server: ConversationGateway;

beforeAll(async () => {
  server = await startConversation();
});
afterAll(() => server.close());

describe('what a page of DeerFlow asks for and this gateway does not have', () => {
  it('answers before the login that no other service signs in', async () => {
    const answer = await server.gateway.fetch('/api/v1/auth/providers');
    expect([answer.status, await answer.json()]).toEqual([200, { providers: [] }]);
  });

  it.each([
    ['/channels/providers', { enabled: false, providers: [] }],
    ['/channels/connections', { connections: [] }],
    [
      '/integrations/lark/status',
      {
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
      },
    ],
  ])('answers at %s that it is not enabled, to every user and to no stranger', async (path, body) => {
    for (const caller of [server.ada, server.bob]) expect(await caller.ok('GET', path)).toEqual(body);
    expect((await server.gateway.fetch(`/api${path}`)).status).toBe(401);
  });
});
