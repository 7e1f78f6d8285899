import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { HttpSession } from '@switchyard/dev-env/http-session';
import { parseKeyFile } from '@switchyard/server/accounts/secrets/key-file';
import { SigningKeys } from '@switchyard/server/accounts/secrets/signing-keys';
import { SessionTokens } from '@switchyard/server/accounts/session-token';
import { systemClock } from '@switchyard/server/lib/clock';
import { rotateSecrets } from '@switchyard/server/ops/rotate-secrets';
import { createLogger } from '@switchyard/server/platform/telemetry/logger';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openPlaces, type Place, type Places } from './support/backup-places.ts';
import { DispatchCaller } from './support/dispatch-caller.ts';

const ada = { email: 'ada@example.com', password: 'correct horse battery' };
const log = createLogger({ level: 'silent', format: 'json' });

let places: Places;
beforeEach(() => {
  places = openPlaces();
});
afterEach(() => places.close());

const rotate = ({ loaded }: Place, overlapMs?: number) =>
  rotateSecrets({ config: loaded, overlapMs, leadMs: 0, clock: systemClock, log });

/** Returns whether another secret than these has signed the session. */
function isSignedByOther(former: SigningKeys, session: HttpSession): boolean {
  const tokens = new SessionTokens({ keys: former, clock: systemClock });
  return tokens.isForeign('session', /access_token=([^;]+)/.exec(session.cookieHeader)?.[1] ?? '');
}

const statusOf = async (url: string) => (await fetch(url)).status;

it('a rotation under load ends no session, and a secret without an overlap is refused; a backup in between has both', async () => {
  const place = places.place('source');
  const gateway = await places.start(place);
  const admin = await DispatchCaller.initialize(gateway.url);
  const [session, caller] = [
    await HttpSession.register(gateway.url, ada),
    await DispatchCaller.login(gateway.url, ada.email),
  ];
  const { url: link } = await caller.upload('a.bin', Buffer.from('of the first secret'));
  const keyFile = join(place.home, '.jwt_secret');
  const secretsNow = () => new SigningKeys(parseKeyFile(readFileSync(keyFile, 'utf8'), keyFile), systemClock);
  const first = secretsNow();

  const over = new AbortController();
  const answers: number[] = [];
  let newest = session;
  const work = async (): Promise<void> => {
    while (!over.signal.aborted) {
      // The session helper throws at a refusal, of the CSRF value too.
      await session.post('/api/threads', {});
      answers.push((await caller.request('GET', '/api/files')).status, await statusOf(link));
      newest = await HttpSession.login(gateway.url, ada);
      await newest.post('/api/threads', {});
    }
  };
  const working = [work(), work()];
  await expect.poll(() => answers.length).toBeGreaterThan(4);
  const rotation = await rotate(place);
  expect(rotation.secrets).toMatchObject([{ signsFrom: null }, { acceptedUntil: null }]);
  await expect.poll(() => isSignedByOther(first, newest)).toBe(true);
  const count = answers.length;
  await expect.poll(() => answers.length).toBeGreaterThan(count + 4);
  over.abort();
  await Promise.all(working);
  expect(new Set(answers)).toEqual(new Set([200]));

  const { url: laterLink } = await caller.upload('b.bin', Buffer.from('of the second secret'));
  await places.take(place, { withSecrets: true });

  await rotate(place, 0);
  await expect.poll(() => statusOf(link)).not.toBe(200);
  expect(await statusOf(laterLink)).not.toBe(200);
  for (const former of [session, newest]) await expect(former.get('/api/v1/auth/me')).rejects.toThrow(/401/);
  expect((await caller.request('GET', '/api/files')).status).toBe(401);
  const again = await HttpSession.login(gateway.url, ada);
  await again.post('/api/threads', {});

  const later = await DispatchCaller.login(gateway.url, 'admin@example.com');
  const { items } = (await later.call('GET', '/api/audit?action=secrets.rotated')).data;
  expect(items).toMatchObject([
    {
      actorName: 'secrets rotate',
      details: { former: [{}, {}].map(() => expect.stringMatching(/ until /)) },
    },
    { actorName: 'secrets rotate', details: { secret: rotation.secrets[1]?.id } },
  ]);
  expect(JSON.stringify(items)).not.toContain(
    parseKeyFile(readFileSync(keyFile, 'utf8'), keyFile)[0]?.secret,
  );
  expect(admin.token).not.toBe(later.token);

  const target = places.place('target');
  await places.restore(target, { isLive: true });
  const restored = await places.start(target);
  for (const each of [link, laterLink])
    expect(await statusOf(each.replace(gateway.url, restored.url)), each).toBe(200);
});

it('a secret in the configuration, and one that was never made, are not rotated', async () => {
  const place = places.place('source');
  const given = { ...place.loaded, auth: { ...place.loaded.auth, jwt_secret: 'x'.repeat(32) } };
  await expect(rotate({ ...place, loaded: given })).rejects.toThrow(/auth\.jwt_secret_file, and restart/);
  await expect(rotate(place)).rejects.toThrow(/There is no secret at .*Start the gateway once/);
});
