import { HttpSession } from '@switchyard/dev-env/http-session';
import type { AgentTables } from '@switchyard/server/agents/store/tables';
import type { OpenApiDocument } from '@switchyard/server/http/docs/openapi';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { closeGate } from './fixtures/agents/gates.ts';
import { type ConversationCaller, says } from './support/conversation-caller.ts';
import { type ConversationGateway, startConversation } from './support/conversation-gateway.ts';

const credentials = { email: 'ada@example.com', password: 'correct horse battery' };

let server: ConversationGateway;
let ada: ConversationCaller;
let session: HttpSession;
let reading: Record<string, string>;
beforeAll(async () => {
  server = await startConversation();
  ada = server.ada;
  session = await HttpSession.login(server.gateway.url, credentials);
  const wish = { name: 'reader', scopes: ['conversation:read'] };
  const { token } = await session.post<{ token: string }>('/api/v1/auth/tokens', wish);
  reading = { 'x-api-key': token };
});
afterAll(() => server.close());

async function refusal(path: string, headers: Record<string, string>): Promise<[number, string]> {
  const answer = await server.gateway.fetch(path, { headers });
  return [answer.status, await answer.text()];
}

/** Opens a stream, reads its first bytes and disconnects. */
async function lookIn(path: string, headers: Record<string, string>): Promise<number> {
  const leaving = new AbortController();
  const answer = await server.gateway.fetch(path, { headers, signal: leaving.signal });
  await answer.body?.getReader().read();
  leaving.abort();
  return answer.status;
}

/** A run that is held before its third word. */
async function heldRun(gateName: string) {
  const gate = closeGate(gateName);
  const threadId = await ada.thread();
  const input = says(`count to 4 at gate ${gateName} before 3`);
  const { run_id: runId } = await ada.run(threadId, { assistant_id: 'chat', input });
  await gate.reached;
  return { gate, threadId, runId };
}

function addressesOf({ threadId, runId }: { threadId: string; runId: string }): string[] {
  return ['/api', '/api/langgraph'].flatMap((mount) => [
    `${mount}/threads/${threadId}/runs/${runId}/stream`,
    `${mount}/threads/${threadId}/runs/${runId}/join`,
    `${mount}/runs/${runId}/stream`,
  ]);
}

describe('a run that is watched', () => {
  test('cannot be cancelled by a token that may only read, and continues when its reader disconnects', async () => {
    const run = await heldRun('reader');
    for (const address of addressesOf(run)) {
      for (const flag of ['1', 'true', '1&cancel_on_disconnect=0']) {
        const [status, text] = await refusal(`${address}?cancel_on_disconnect=${flag}`, reading);
        expect([status, text], address).toEqual([403, expect.stringContaining('conversation:write')]);
      }
    }
    const watched = addressesOf(run).filter((address) => address.endsWith('/stream'));
    for (const address of watched) {
      expect(await lookIn(address, reading)).toBe(200);
      expect(await lookIn(`${address}?cancel_on_disconnect=0`, reading)).toBe(200);
    }
    run.gate.open();
    expect(await ada.ended(run.threadId, run.runId)).toMatchObject({ status: 'success' });
  });

  test('cannot be cancelled by a cookie without the CSRF header', async () => {
    const run = await heldRun('cookie');
    const cookie = session.cookieHeader;
    const csrf = /csrf_token=([^;]+)/.exec(cookie)?.[1] ?? '';
    for (const address of addressesOf(run)) {
      const asked = `${address}?cancel_on_disconnect=1`;
      expect(await refusal(asked, { cookie })).toEqual([403, expect.stringContaining('CSRF token missing')]);
      const other = { cookie, 'x-csrf-token': 'another' };
      expect(await refusal(asked, other)).toEqual([403, expect.stringContaining('CSRF token mismatch')]);
    }
    const address = `/api/threads/${run.threadId}/runs/${run.runId}/stream`;
    expect(await lookIn(address, { cookie })).toBe(200);
    expect(await ada.ok('GET', `/threads/${run.threadId}/runs/${run.runId}`)).toMatchObject({
      status: 'running',
    });
    expect(await lookIn(`${address}?cancel_on_disconnect=1`, { cookie, 'x-csrf-token': csrf })).toBe(200);
    expect(await ada.ended(run.threadId, run.runId)).toMatchObject({ status: 'interrupted' });
  });
});

describe('an item of the store that expires', () => {
  const address = '/api/store/items?namespace=notes&key=k';
  const expiry = async () => {
    const { database } = server.gateway.context;
    const row = await database
      .withTables<AgentTables>()
      .read.selectFrom('store_items')
      .select('expires_at')
      .where('key', '=', 'k')
      .executeTakeFirstOrThrow();
    return row.expires_at;
  };

  test('keeps its expiry when it is read by a token that may only read, or by a cookie alone', async () => {
    await ada.call('PUT', '/store/items', { body: { namespace: ['notes'], key: 'k', value: {}, ttl: 9 } });
    const before = await expiry();
    for (const headers of [reading, { cookie: session.cookieHeader }]) {
      expect(await refusal(address, headers)).toEqual([200, expect.stringContaining('"notes"')]);
      expect((await refusal(`${address}&refresh_ttl=true`, headers))[0]).toBe(403);
      expect((await refusal(`${address}&refresh_ttl=false`, headers))[0]).toBe(200);
    }
    expect(await expiry()).toBe(before);
    await expect
      .poll(async () => {
        await ada.ok('GET', '/store/items?namespace=notes&key=k');
        return expiry();
      })
      .not.toBe(before);
  });
});

test('every query flag that changes something is known as one', async () => {
  const answer = await server.gateway.fetch('/openapi.json');
  const { paths } = (await answer.json()) as OpenApiDocument;
  const flags = Object.values(paths).flatMap(({ get }) =>
    (get?.parameters ?? []).filter(({ name }) => /^(cancel|refresh|delete|reset|force)/.test(name)),
  );
  expect(flags.length).toBe(8);
  for (const { description } of flags) expect(description).toMatch(/needs the scope/i);
});

test('suggestions cost tokens of a model, so a token that may only read gets none', async () => {
  const address = `/api/threads/${await ada.thread()}/suggestions`;
  const headers = { ...reading, 'content-type': 'application/json' };
  const body = JSON.stringify({ messages: [{ role: 'user', content: 'What next?' }] });
  const answer = await server.gateway.fetch(address, { method: 'POST', headers, body });
  expect([answer.status, await answer.text()]).toEqual([403, expect.stringContaining('conversation:write')]);
});
