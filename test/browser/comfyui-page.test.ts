import { canBrowse } from '@switchyard/dev-env/chromium';
import type { HttpSession } from '@switchyard/dev-env/http-session';
import { startReferenceWorker } from '@switchyard/dev-env/reference-worker';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { longGraph } from './support/fleet.ts';
import { Stage } from './support/stage.ts';
import { wordsOf } from './support/words.ts';

const text = wordsOf('en')('workflows');

/** Tries from a page of another origin to do something at the gateway for the user who is signed in there. Returns what it got. */
async function attack(gateway: string): Promise<Record<string, string>> {
  const all = { credentials: 'include' } as const;
  const csrf = /csrf_token=([^;]+)/.exec(document.cookie)?.[1] ?? '';
  const loaded = (element: HTMLElement) =>
    new Promise<string>((resolve) => {
      element.addEventListener('load', () => resolve('loaded'));
      element.addEventListener('error', () => resolve('refused'));
      document.body.append(element);
    });
  const heardAt = (path: string) =>
    new Promise<string>((resolve) => {
      const heard: string[] = [];
      const socket = new WebSocket(gateway.replace('http', 'ws') + path);
      socket.addEventListener('message', ({ data }) => heard.push(String(data)));
      for (const end of ['close', 'error']) socket.addEventListener(end, () => resolve(heard.join()));
    });
  const post = (path: string, init: RequestInit) =>
    fetch(gateway + path, { ...all, method: 'POST', body: '{"name":"stolen","scopes":["admin"]}', ...init });
  const tries: Record<string, () => Promise<string>> = {
    read: async () => (await fetch(`${gateway}/api/v1/auth/me`, all)).text(),
    readOpaque: async () => (await fetch(`${gateway}/api/v1/auth/me`, { ...all, mode: 'no-cors' })).text(),
    console: async () => (await fetch(`${gateway}/overview`, all)).text(),
    comfy: async () => (await fetch(`${gateway}/comfy/queue`, all)).text(),
    write: async () =>
      (
        await post('/api/v1/auth/tokens', {
          headers: { 'content-type': 'application/json', 'x-csrf-token': csrf },
        })
      ).text(),
    writeOpaque: async () => (await post('/api/v1/auth/tokens', { mode: 'no-cors' })).text(),
    pauseOpaque: async () => (await post('/api/queue/pause', { mode: 'no-cors' })).text(),
    logoutOpaque: async () => (await post('/api/v1/auth/logout', { mode: 'no-cors' })).text(),
    ticketOpaque: async () => (await post('/api/comfyui/page', { mode: 'no-cors' })).text(),
    socket: () => heardAt('/ws'),
    comfySocket: () => heardAt('/comfy/ws?clientId=evil'),
    script: () =>
      loaded(Object.assign(document.createElement('script'), { src: `${gateway}/api/v1/auth/me` })),
    image: () => loaded(Object.assign(new Image(), { src: `${gateway}/api/files` })),
    frame: async () => {
      const frame = Object.assign(document.createElement('iframe'), { src: `${gateway}/overview` });
      await loaded(frame);
      return frame.contentDocument?.body.textContent ?? '';
    },
  };
  const got: Record<string, string> = {};
  for (const [name, attempt] of Object.entries(tries)) got[name] = await attempt().catch(() => 'refused');
  return got;
}

/** A response that the page may not read is an empty text, and a frame of another origin has no document for it. */
const nothing = {
  read: 'refused',
  console: 'refused',
  comfy: 'refused',
  write: 'refused',
  script: 'refused',
  image: 'refused',
  frame: '',
  socket: '',
  comfySocket: '',
};

describe.runIf(canBrowse)('the page of ComfyUI', () => {
  let stage: Stage;
  let admin: HttpSession;
  let worker: Awaited<ReturnType<typeof startReferenceWorker>>;

  beforeAll(async () => {
    worker = await startReferenceWorker();
    stage = await Stage.open({ settings: { version: 1, doors: { comfyui: { port: 0 } } } });
    // Before the page is first shown: what is known of its scripts is right for a minute.
    worker.faults.set({
      pageScript: `if ('attacks' in sessionStorage) window.got = await (${attack})('${stage.url}');`,
    });
    admin = await stage.admin();
    const instances = [{ ip: '127.0.0.1', port: worker.port }];
    await admin.put('/api/config', {
      servers: [{ id: 'test', name: 'Test', kind: 'comfyui', instances }],
      healthCheck: { interval: 1 },
    });
  });
  afterEach(() => stage.closePages());
  afterAll(async () => {
    await stage?.close();
    await worker?.close();
  });

  /** A browser in which the user has opened the page from the console. The stand-in asks for what not every ComfyUI has. */
  async function open(session: HttpSession, path = '/workflows') {
    const { page, faults } = await stage.visit({ session, statuses: [404] });
    await page.goto(path);
    await page.getByRole('button', { name: text('openInComfyui') }).click();
    await state(page, 'ready');
    return { page, faults };
  }

  const state = (page: Page, word: string) => page.locator('#state', { hasText: word }).waitFor();

  async function run(page: Page): Promise<void> {
    await page.getByRole('button', { name: 'Run' }).click();
    await state(page, 'success');
  }

  it('opens from the console, queues, shows progress, previews and results, without a fault', async () => {
    const { page, faults } = await open(admin);
    expect(new URL(page.url()).origin).not.toBe(stage.url);
    expect(new URL(page.url()).search).toBe('');
    await run(page);
    expect(
      await page.locator('#progress').evaluate((bar: HTMLProgressElement) => [bar.value, bar.max]),
    ).toEqual([3, 3]);
    const preview = page.locator('#preview');
    await expect
      .poll(() => preview.evaluate((shown: HTMLImageElement) => shown.naturalWidth))
      .toBeGreaterThan(0);
    const results = page.getByRole('img', { name: 'Result', exact: true });
    expect(await results.count()).toBe(3);
    await expect
      .poll(() =>
        results.evaluateAll((all: HTMLImageElement[]) => all.map(({ naturalWidth }) => naturalWidth)),
      )
      .toEqual([64, 64, 64]);
    expect(faults.filter((fault) => !fault.startsWith('foreign request'))).toEqual([]);
  });

  it('opens with the workflow that was open in the console, and runs it', async () => {
    const made = await admin.post<{ data: { id: string } }>('/api/workflows', {
      name: 'Two steps',
      workflow: longGraph(2),
    });
    const { page } = await open(admin, `/workflows/${made.data.id}`);
    const classes = Object.values(longGraph(2)).map(({ class_type }) => class_type);
    expect(await page.locator('#nodes').textContent()).toBe(classes.join(', '));
    await run(page);
  });

  it('has its history after a reload, and opens the workflow of it', async () => {
    const { page } = await open(await stage.member('returns@example.com'));
    await run(page);
    await page.reload();
    await state(page, 'ready');
    const past = page.getByRole('img', { name: 'Past result' });
    expect(await past.count()).toBe(1);
    await expect.poll(() => past.evaluate((shown: HTMLImageElement) => shown.naturalWidth)).toBe(64);
    await page.locator('#nodes').evaluate((shown) => shown.replaceChildren());
    await page.getByRole('button', { name: 'Open completed' }).click();
    await page.getByText('EmptyImage, ImageInvert, SaveImage').waitFor();
  });

  it('gets an answer to each of its calls', async () => {
    const { page } = await open(await stage.member('asks@example.com'));
    const calls = (await page.locator('#calls').textContent())?.trim().split('\n') ?? [];
    expect(calls.length).toBeGreaterThan(20);
    // A real ComfyUI answers 404 for a folder and a file that an account does not have.
    const missing = calls.filter((call) => !call.endsWith(' 200'));
    expect(missing.filter((call) => !/userdata|fuse_options/.test(call))).toEqual([]);
  });

  it('opens the workflow of a picture that it has made', async () => {
    const { page } = await open(admin);
    await run(page);
    await page.locator('#nodes').evaluate((shown) => shown.replaceChildren());
    await page.getByRole('img', { name: 'Result', exact: true }).first().click();
    await page.getByText('EmptyImage, ImageInvert, SaveImage').waitFor();
  });

  it('ends in the browser when its user signs out of the console', async () => {
    const member = await stage.member('leaver@example.com');
    const { page } = await open(member);
    expect(await page.locator('#socket').textContent()).toBe('open');
    await member.post('/api/v1/auth/logout', {}, { origin: stage.url });
    await page.getByText('closed 4401').waitFor();
    await page.reload();
    await page.getByText('Open ComfyUI from the console').waitFor();
  });

  describe('gives a script of a worker nothing of the user who is signed in', () => {
    const facts = async () => ({
      tokens: await admin.get('/api/v1/auth/tokens'),
      queue: (await admin.get<{ data: { paused: unknown } }>('/api/queue')).data.paused,
      account: (await admin.get<{ email: string }>('/api/v1/auth/me')).email,
    });

    it('when the page loads it as the script of a custom node', async () => {
      const before = await facts();
      const { page } = await open(admin);
      await page.evaluate(() => sessionStorage.setItem('attacks', 'yes'));
      await page.reload();
      await state(page, 'ready');
      const got = await page.evaluate(() => (window as unknown as { got: object }).got);
      const opaque = ['readOpaque', 'writeOpaque', 'pauseOpaque', 'logoutOpaque', 'ticketOpaque'];
      const refused = Object.fromEntries(opaque.map((name) => [name, 'refused']));
      expect(got).toEqual({ ...nothing, ...refused });
      expect(await page.evaluate(() => document.cookie)).not.toMatch(/access_token|comfyui_page/);
      const registered = await page.evaluate(() =>
        navigator.serviceWorker.register('/extensions/custom-node/script.js').then(
          () => 'registered',
          () => 'refused',
        ),
      );
      expect(registered).toBe('refused');
      expect(await facts()).toEqual(before);
    });

    it('when no policy of the page holds it back, on another port of the same host', async () => {
      const before = await facts();
      const { page } = await stage.visit({ session: admin, statuses: [404, 401, 403] });
      // The browser sends the cookies of the gateway to each port of its host.
      await page.goto(worker.url);
      expect(await page.evaluate(attack, stage.url)).toEqual({
        ...nothing,
        readOpaque: expect.stringMatching(/^(refused)?$/),
        writeOpaque: expect.stringMatching(/^(refused)?$/),
        pauseOpaque: expect.stringMatching(/^(refused)?$/),
        logoutOpaque: expect.stringMatching(/^(refused)?$/),
        ticketOpaque: expect.stringMatching(/^(refused)?$/),
      });
      expect(await facts()).toEqual(before);
    });
  });

  it.each([1280, 360])(
    'is not needed by a client that gets its address from the console, %i pixels wide',
    async (width) => {
      const words = wordsOf('en')('tokens');
      const { page, faults } = await stage.visit({ session: admin, width });
      await page.goto('/tokens');
      await page
        .getByRole('button', { name: words('create.open') })
        .first()
        .click();
      await page.getByLabel(words('create.name')).fill(`Krita ${width}`);
      const scope = (name: string) => page.getByRole('checkbox', { name: words(`scope.${name}`) });
      await scope('comfyui').check();
      expect(await scope('dispatch-read').isChecked()).toBe(false);
      await page.getByRole('button', { name: words('create.submit') }).click();
      const shown = page.getByRole('dialog', { name: words('address.title') });
      const address = await shown.locator('[data-command]').textContent();
      expect(await (await fetch(`${address}/queue`)).json()).toEqual({
        queue_running: [],
        queue_pending: [],
      });
      expect(
        await page.evaluate(() => document.documentElement.scrollWidth - innerWidth),
      ).toBeLessThanOrEqual(0);
      expect(faults).toEqual([]);
    },
  );

  it('shows two accounts in two windows what is theirs', async () => {
    const [one, other] = [await stage.member('first@example.com'), await stage.member('second@example.com')];
    const mine = await open(one);
    const theirs = await open(other);
    await run(mine.page);
    await mine.page.getByRole('img', { name: 'Past result' }).waitFor();
    await theirs.page.reload();
    await state(theirs.page, 'ready');
    expect(await theirs.page.getByRole('img', { name: 'Past result' }).count()).toBe(0);
    expect(await theirs.page.getByRole('img', { name: 'Result', exact: true }).count()).toBe(0);
    await run(theirs.page);
    expect(await mine.page.getByRole('img', { name: 'Result', exact: true }).count()).toBe(3);
  });
});
