import { createAccessToken } from '@switchyard/contract/accounts/access-token';
import { initialize } from '@switchyard/contract/accounts/session';
import { deleteFile, listFiles } from '@switchyard/contract/dispatch/file';
import { listInstances, testInstance } from '@switchyard/contract/dispatch/instance';
import { getOverview } from '@switchyard/contract/dispatch/monitor';
import { getSettings, replaceSettings } from '@switchyard/contract/dispatch/settings';
import { cancelTask, getTask, listTasks, retryTask, submitTask } from '@switchyard/contract/dispatch/tasks';
import { getHealth } from '@switchyard/contract/meta';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, createClient } from '../src/client.ts';
import { CookieJar } from '../src/cookie-jar.ts';
import { Site } from './support/site.ts';

let site: Site;
let admin: Client;

beforeAll(async () => {
  site = await Site.start();
  admin = await site.admin();
});
afterAll(() => site.stop());

describe('a client', () => {
  it('submits, waits for and lists tasks', async () => {
    const task = await admin.call(submitTask, { body: { workflow: site.workflow, name: 'first' } });
    expect(task).toMatchObject({ name: 'first', attempt: 0 });
    const ended = await admin.call(getTask, { params: { taskId: task.id }, query: { wait: 20 } });
    expect(ended).toMatchObject({ status: 'completed', progress: 100, error: null });
    const { items } = await admin.call(listTasks, { query: { q: 'first' } });
    expect(items.map(({ id }) => id)).toEqual([task.id]);
    const copy = await admin.call(retryTask, { params: { taskId: task.id } });
    expect(copy.id).not.toBe(task.id);
  });

  it('submits once however often the same key is sent', async () => {
    const input = { body: { workflow: site.workflow }, headers: { 'idempotency-key': 'once' } };
    const [one, other] = [await admin.call(submitTask, input), await admin.call(submitTask, input)];
    expect(other.id).toBe(one.id);
  });

  it('reads instances, overview, health and the configuration, and changes it only when no one else did', async () => {
    const [instance] = await admin.call(listInstances);
    expect(instance).toMatchObject({ alive: true, kind: 'comfyui' });
    expect(await admin.call(testInstance, { params: { instanceId: instance?.id ?? '' } })).toMatchObject({
      ok: true,
    });
    expect(await admin.call(getOverview)).toMatchObject({ totalInstances: 1 });
    expect(await admin.call(getHealth)).toMatchObject({ status: 'ok' });
    const settings = await admin.call(getSettings);
    const change = { body: settings, headers: { 'if-match': `"${settings.version + 1}"` } };
    await expect(admin.call(replaceSettings, change)).rejects.toMatchObject({
      status: 412,
      code: 'config_version_mismatch',
    });
  });

  it('throws the error of the gateway with the code, the sentence, the faults and the id of the request', async () => {
    await expect(admin.call(getTask, { params: { taskId: 'unknown' } })).rejects.toMatchObject({
      name: 'ApiError',
      status: 404,
      code: 'task_not_found',
      requestId: expect.any(String),
    });
    const unknownParam = { body: { workflow: site.workflow, params: { nonsense: 1 }, strict: true } };
    await expect(admin.call(submitTask, unknownParam)).rejects.toMatchObject({
      status: 422,
      code: 'unknown_param',
      details: [{ path: 'body.params.nonsense', message: expect.stringContaining('fits nothing') }],
    });
    const faulty = { body: { name: '', scopes: [] } };
    const byCookies = await site.withCookies();
    await expect(byCookies.call(createAccessToken, faulty)).rejects.toMatchObject({
      status: 422,
      code: 'validation_failed',
      details: expect.arrayContaining([
        expect.objectContaining({ path: 'body.name', message: expect.any(String) }),
      ]),
    });
    await expect(
      byCookies.call(initialize, { body: { email: 'x@example.com', password: 'long enough' } }),
    ).rejects.toMatchObject({
      status: 409,
      code: 'system_already_initialized',
    });
  });

  it('is told that it is not signed in, with a wrong token and with none', async () => {
    const stranger = createClient({ baseUrl: site.url });
    await expect(stranger.call(listTasks)).rejects.toMatchObject({ status: 401, code: 'not_authenticated' });
    const liar = createClient({ baseUrl: site.url, token: 'sy_pat_wrong' });
    await expect(liar.call(listTasks)).rejects.toMatchObject({ status: 401, code: 'token_invalid' });
  });

  it('ends a wait when the caller aborts it', async () => {
    const { id } = await site.blockedTask(admin);
    const controller = new AbortController();
    const waiting = admin.call(getTask, {
      params: { taskId: id },
      query: { wait: 60 },
      signal: controller.signal,
    });
    controller.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    expect(await admin.call(cancelTask, { params: { taskId: id } })).toMatchObject({
      status: 'failed',
      error: { code: 'cancelled' },
    });
  });
});

describe('credentials', () => {
  it('may be a session with cookies, which changes things by its CSRF token', async () => {
    const jar = new CookieJar();
    const client = createClient({ baseUrl: site.url, cookies: jar });
    await client.session.loginWithCookies(site.adminLogin);
    expect(await client.session.me()).toMatchObject({
      email: site.adminLogin.username,
      system_role: 'admin',
    });
    const { id } = await client.call(submitTask, { body: { workflow: site.workflow } });
    expect(await client.call(getTask, { params: { taskId: id } })).toMatchObject({ id });
    await client.session.logout();
    expect(jar.header()).toBeUndefined();
    await expect(client.session.me()).rejects.toMatchObject({ status: 401 });
  });

  it('may be a personal access token, as bearer and as API key', async () => {
    const { token } = await (await site.withCookies()).call(createAccessToken, {
      body: { name: 'test', scopes: ['dispatch:read'] },
    });
    for (const credentials of [{ token }, { apiKey: token }]) {
      const client = createClient({ baseUrl: site.url, ...credentials });
      expect(await client.call(listTasks)).toMatchObject({ total: expect.any(Number) });
      await expect(client.call(submitTask, { body: { workflow: {} } })).rejects.toMatchObject({
        code: 'scope_missing',
      });
    }
  });

  it('are forgotten at logout', async () => {
    const client = createClient({ baseUrl: site.url });
    await client.session.loginForToken(site.adminLogin);
    await client.call(listTasks);
    await client.session.logout();
    await expect(client.call(listTasks)).rejects.toMatchObject({ code: 'not_authenticated' });
  });

  it('that are wrong are refused, at both logins', async () => {
    const wrong = { username: site.adminLogin.username, password: 'wrong password' };
    for (const login of [
      createClient({ baseUrl: site.url }).session.loginForToken(wrong),
      createClient({ baseUrl: site.url, cookies: new CookieJar() }).session.loginWithCookies(wrong),
    ]) {
      await expect(login).rejects.toMatchObject({ status: 401, code: 'invalid_credentials' });
    }
  });
});

describe('files', () => {
  it('are listed and deleted', async () => {
    const { fileId } = await admin.upload(new Blob(['x']), { filename: 'x.txt' });
    const { items } = await admin.call(listFiles, { query: { source: 'upload' } });
    expect(items.map((file) => file.fileId)).toContain(fileId);
    expect(await admin.call(deleteFile, { params: { fileId } })).toEqual({ fileId });
    await expect(admin.download(fileId)).rejects.toMatchObject({ status: 404, code: 'file_not_found' });
  });
});
