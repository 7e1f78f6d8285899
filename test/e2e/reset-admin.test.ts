import { statSync } from 'node:fs';
import { runBinary } from '@switchyard/dev-env/binary';
import { HttpSession } from '@switchyard/dev-env/http-session';
import { SpawnedGateway } from '@switchyard/dev-env/spawned-gateway';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { expect, it } from 'vitest';
import { credentialsFile, readCredentials } from './credentials-file.ts';

it('gives the administrator a new password beside a running gateway, and shows it only in its file', async () => {
  const home = temporaryFolder();
  const gateway = await SpawnedGateway.start({ home: home.path });
  const before = readCredentials(home.path);
  const session = await HttpSession.login(gateway.url, before);

  const made = { name: 'script', scopes: ['dispatch:read'] };
  const { token } = await session.post<{ token: string }>('/api/v1/auth/tokens', made);

  const run = runBinary({ args: ['reset-admin', '--home', home.path], cwd: home.path });
  expect(await run.exited, run.output()).toEqual({ code: 0, signal: null });

  const after = readCredentials(home.path);
  expect(after.password).not.toBe(before.password);
  expect(run.output()).not.toContain(after.password);
  expect(run.output()).toContain(
    'Every session of this account has ended; its personal access tokens go on.',
  );
  const kept = await fetch(new URL('/api/tasks', gateway.url), { headers: { 'x-api-key': token } });
  expect(kept.status, 'the token from before').toBe(200);
  expect(statSync(credentialsFile(home.path)).mode & 0o777).toBe(0o600);
  await expect(HttpSession.login(gateway.url, before), 'the old password').rejects.toThrow('answered 401');
  await expect(session.get('/api/v1/auth/me'), 'the old session').rejects.toThrow('answered 401');
  const renewed = await HttpSession.login(gateway.url, after);
  expect(await renewed.get('/api/v1/auth/me')).toMatchObject({ email: before.email, needs_setup: true });

  await gateway.stop();
  home.remove();
});
