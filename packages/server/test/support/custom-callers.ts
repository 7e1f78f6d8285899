import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { DevGateway } from '@switchyard/dev-env/gateway';
import { HttpSession } from '@switchyard/dev-env/http-session';
import { ConversationCaller } from './conversation-caller.ts';
import { firstAdmin } from './first-admin.ts';

/** The folder whose `langgraph.json` has an authentication of its own. */
export const customAuthFolder = fileURLToPath(new URL('../fixtures/custom-auth/', import.meta.url));

/** A name that no other test uses, so that each test has accounts of its own. */
export function newName(): string {
  return `u-${randomUUID().slice(0, 8)}`;
}

/** The same account with two filters, so that the account cannot be what keeps them apart. */
export function projectsOf(url: string, name = newName()) {
  const as = (key: string) => ConversationCaller.withKey(url, key);
  return { whole: as(name), own: as(`${name}@x`), other: as(`${name}@y`), name };
}

/** What the handlers were asked about an identity, in this order. */
export async function askedAbout(url: string, name: string): Promise<string[]> {
  const watcher = ConversationCaller.withKey(url, 'watcher');
  return (await watcher.get(`/asked?by=${name}`)).body.asked;
}

/** Returns a function with which an administrator changes an account. */
export async function accountChanger(gateway: DevGateway) {
  await firstAdmin(gateway);
  const root = { email: 'root@example.com', password: 'correct horse battery' };
  const { cookieHeader } = await HttpSession.login(gateway.url, root);
  const csrf = /csrf_token=([^;]+)/.exec(cookieHeader)?.[1] ?? '';
  return (userId: string, method: string, { path = '', body = {} }: { path?: string; body?: object } = {}) =>
    gateway.fetch(`/api/v1/users/${userId}${path}`, {
      method,
      headers: { cookie: cookieHeader, 'x-csrf-token': csrf, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
}
