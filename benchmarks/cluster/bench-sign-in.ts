import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Registers a user. Returns the token with which requests and sockets sign in. */
export async function registered(url: string, email: string): Promise<string> {
  const password = 'measures all day long';
  const made = await post(url, '/api/v1/auth/register', { email, password });
  if (!made.ok) throw new Error(`${email} could not register: ${made.status} ${await made.text()}`);
  return signedIn(url, { username: email, password });
}

/** Signs the administrator in, whose first password lies in the folder that all replicas share. */
export function signedInAsAdmin(url: string, sharedHome: string): Promise<string> {
  const credentials = readFileSync(join(sharedHome, 'admin_initial_credentials.txt'), 'utf8');
  const password = /^password: (.*)$/m.exec(credentials)?.[1] ?? '';
  return signedIn(url, { username: 'admin', password });
}

async function signedIn(
  url: string,
  { username, password }: { username: string; password: string },
): Promise<string> {
  const answer = await post(url, '/api/auth/login', { username, password });
  if (!answer.ok) throw new Error(`${username} could not sign in: ${answer.status} ${await answer.text()}`);
  const { data } = (await answer.json()) as { data: { token: string } };
  return data.token;
}

function post(url: string, path: string, body: object): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  return fetch(new URL(path, url), { method: 'POST', headers, body: JSON.stringify(body) });
}
