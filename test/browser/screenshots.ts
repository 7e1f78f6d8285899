/**
 * `npm run screenshots`: the named pictures of the console, made of the built gateway with real workers, in
 * docs/images. Each has the same name in each theme.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { HttpSession } from '@switchyard/dev-env/http-session';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { dropFile } from './support/drop-file.ts';
import { addBoxes, type Box, definePool, longGraph } from './support/fleet.ts';
import { type Look, Stage } from './support/stage.ts';
import { wordsOf } from './support/words.ts';

const hills = `<svg xmlns="http://www.w3.org/2000/svg" width="768" height="512">
  <linearGradient id="sky" x1="0" y1="0" x2="0" y2="1"><stop stop-color="#3d5a98"/><stop offset="1" stop-color="#f2b134"/></linearGradient>
  <rect width="768" height="512" fill="url(#sky)"/><circle cx="520" cy="250" r="60" fill="#fff3d0"/>
  <path d="M0 380 180 210 320 350 430 260 768 430V512H0Z" fill="#2a3b5c"/>
  <path d="M0 440 260 380 500 450 768 400V512H0Z" fill="#15213a"/>
</svg>`;

/** A photo with a colour where a mask is painted over it. */
const softened = Object.fromEntries(
  [
    ['Photo', 'LoadImage', { image: 'hills.png' }],
    ['Colour', 'EmptyImage', { width: 768, height: 512, batch_size: 1, color: 0xc2410c }],
    [
      'Paint',
      'ImageCompositeMasked',
      {
        destination: ['photo', 0],
        source: ['colour', 0],
        mask: ['photo', 1],
        x: 0,
        y: 0,
        resize_source: true,
      },
    ],
    ['Soften', 'ImageBlur', { image: ['paint', 0], blur_radius: 4, sigma: 1 }],
    ['Save', 'SaveImage', { images: ['soften', 0], filename_prefix: 'landscape' }],
  ].map(([title, class_type, inputs]) => [
    String(title).toLowerCase(),
    { class_type, inputs, _meta: { title } },
  ]),
);

const folder = resolve(dirname(fileURLToPath(import.meta.url)), '../../docs/images');
const paceMs = 450;
const closedPort = 9;
const words = wordsOf('en');
const colours = [
  { ground: 0xf2b134, spot: 0x3d5a98 },
  { ground: 0xef7b6c, spot: 0x56a3d9 },
  { ground: 0x7d5ba6, spot: 0x2a9d8f },
  { ground: 0x3d5a98, spot: 0xd9c6a5 },
  { ground: 0x2a9d8f, spot: 0xf2b134 },
  { ground: 0x7a9e3f, spot: 0xef7b6c },
  { ground: 0xd9c6a5, spot: 0x7d5ba6 },
];

interface Studio {
  stage: Stage;
  admin: HttpSession;
  boxes: Box[];
}

mkdirSync(folder, { recursive: true });
await firstUse();
await studio();

/** An empty data home, as a newcomer sees it. */
async function firstUse(): Promise<void> {
  for (const theme of ['light', 'dark'] as const) {
    const stage = await Stage.open();
    const admin = await stage.admin();
    await shoot({ stage, admin }, 'first-use', { theme }, async (page) => {
      await page.goto('/start');
      await page.getByRole('button', { name: words('start')('run.start') }).click();
      await page.getByRole('button', { name: words('start')('run.again') }).waitFor();
    });
    await stage.close();
  }
}

/** A pool of boxes at work, and a conversation that uses it. */
async function studio(): Promise<void> {
  const stage = await Stage.open();
  const admin = await stage.admin();
  const boxes = await addBoxes(admin, ['box-20', 'box-21', 'box-22'], paceMs);
  const open = { stage, admin, boxes };
  try {
    await chatCard(open);
    await instanceStates(open);
    await workAndWaiting(open);
    await records(open);
    await other(open);
  } finally {
    await stage.close();
    await Promise.all(boxes.map((box) => box.close()));
  }
}

async function chatCard({ stage, admin }: Studio): Promise<void> {
  const { page } = await stage.visit({ session: admin });
  await page.goto('/chat');
  const composer = page.getByRole('textbox', { name: words('chat')('composer.message') });
  await composer.fill('invert a picture');
  await composer.press('Enter');
  const card = page.getByRole('region', { name: /^Task / });
  await card.getByRole('progressbar').waitFor();
  await page.waitForTimeout(2 * paceMs);
  await save(page, 'chat-card-running');
  await page.reload();
  await card.getByRole('progressbar').waitFor();
  await save(page, 'chat-card-after-reload');
  await card.getByRole('img').first().waitFor();
  await page.getByText(/^Done\. Task /).waitFor();
  await save(page, 'chat-card-finished');
  const thread = new URL(page.url()).pathname;
  await stage.closePages();
  for (const look of [{ theme: 'dark' }, { width: 360 }] as const) {
    await shoot({ stage, admin }, 'chat', look, async (other) => {
      await other.goto(thread);
      await other.getByRole('img').first().waitFor();
    });
  }
}

/** Idle, busy, draining, unreachable and off in one picture. */
async function instanceStates({ stage, admin, boxes }: Studio): Promise<void> {
  await definePool(admin, [
    ...boxes,
    { name: 'box-23', port: closedPort },
    { name: 'box-24', port: closedPort + 4, enabled: false },
  ]);
  const on = (box: string) => boxes.find(({ name }) => name === box)?.port;
  const tasks = [
    ['box-21', 60, 'Long portrait'],
    ['box-22', 96, 'Longer portrait'],
  ] as const;
  for (const [index, [box, steps, name]] of tasks.entries())
    await admin.post('/api/tasks', {
      workflow: painted(steps, index),
      name,
      instanceId: `127.0.0.1:${on(box)}`,
    });
  const { page } = await stage.visit({ session: admin });
  await page.goto('/instances');
  const text = words('instances');
  const card = page.getByRole('article').filter({ hasText: 'box-22' });
  await card.getByText(text('state.busy')).waitFor();
  await card.getByRole('button', { name: text('menu.label', { name: 'box-22' }) }).click();
  await page.getByRole('menuitem', { name: text('menu.drain') }).click();
  await card
    .getByText(/^Draining/)
    .first()
    .waitFor();
  await page.getByText(text('state.unreachable')).first().waitFor();
  await page.waitForTimeout(2_000);
  await save(page, 'instances');
  await page.emulateMedia({ colorScheme: 'dark' });
  await save(page, 'instances-dark');
  await stage.closePages();
}

/** Three tasks with different progress, others that wait, and one that has failed. */
async function workAndWaiting(open: Studio): Promise<void> {
  const { admin, boxes } = open;
  await definePool(admin, boxes);
  const tasks = [
    ['Portrait', 30],
    ['Contact sheet', 18],
    ['Poster', 24],
    ['Portrait, darker', 30],
    ['Poster, wide', 24],
  ] as const;
  for (const [index, [name, steps]] of tasks.entries())
    await admin.post('/api/tasks', { workflow: painted(steps, index + 2), name });
  await new Promise((done) => setTimeout(done, 8 * paceMs));
  for (const theme of ['light', 'dark'] as const) {
    await shoot(open, 'overview', { theme }, (page) => page.goto('/overview'));
    await shoot(open, 'tasks', { theme }, (page) => page.goto('/tasks'));
  }
  await shoot(open, 'tasks', { width: 360 }, (page) => page.goto('/tasks'));
  await shoot(open, 'overview', { locale: 'zh-CN' }, (page) => page.goto('/overview'));
}

/** The run of the conversation on one time axis, replayed, and what all of it cost. */
async function records(open: Studio): Promise<void> {
  const { admin } = open;
  const { runs } = await admin.get<{ runs: { run_id: string; thread_id: string }[] }>('/api/console/runs');
  const [run] = runs;
  const address = `/runs/${run?.thread_id}/${run?.run_id}`;
  for (const theme of ['light', 'dark'] as const)
    await shoot(open, 'timeline', { theme }, async (page) => {
      await page.goto(address);
      await page.getByRole('treegrid').waitFor();
    });
  await shoot(open, 'replay', {}, async (page) => {
    await page.goto(`${address}?view=replay`);
    await page.getByText(words('runs')('replay.banner')).waitFor();
    await page.getByRole('slider').first().focus();
    for (let step = 0; step < 6; step += 1) await page.keyboard.press('PageUp');
  });
  await shoot(open, 'usage', {}, (page) => page.goto('/usage'));
}

async function other(open: Studio): Promise<void> {
  const { admin } = open;
  const { data } = await admin
    .post<{ data: { id: string } }>('/api/tasks', {
      workflow: {
        1: { class_type: 'LoadImage', inputs: { image: 'nowhere.png' } },
        2: { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: 'x' } },
      },
      name: 'A file that is not there',
      maxAttempts: 1,
    })
    .catch(() => ({ data: { id: '' } }));
  if (data.id !== '') {
    await new Promise((done) => setTimeout(done, 4_000));
    await shoot(open, 'task-failed', {}, (page) => page.goto(`/tasks/${data.id}`));
  }
  await untilIdle(admin);
  await bench(open);
  await gallery(open);
  await landscape(open);
  await admin.post('/api/workflows', { name: 'Portrait', workflow: painted(30, 1) });
  await shoot(open, 'workflows', {}, (page) => page.goto('/workflows'));
  await shoot(open, 'system', {}, (page) => page.goto('/system'));
}

/** A sitting at the bench: some results, and one that is being made. */
async function bench(open: Studio): Promise<void> {
  const { admin } = open;
  const saved = { name: 'Poster', workflow: painted(24, 0) };
  const { data } = await admin.post<{ data: { id: string } }>('/api/workflows', saved);
  const run = async ({ ground, spot }: (typeof colours)[number]) => {
    const params = { emptyimage_color: ground, color_spot: spot };
    await admin.post(`/api/workflows/${data.id}/run`, { params, tags: ['bench'] });
  };
  for (const each of colours) await run(each);
  await untilIdle(admin);
  for (const theme of ['light', 'dark'] as const) {
    for (const each of colours.slice(0, 4)) await run(each);
    const address = `/workflows/${data.id}?sitting=bench`;
    await shoot(open, 'bench', { theme }, (page) => page.goto(address));
    await untilIdle(admin);
  }
}

/** A workflow with a mask: its form while it is arranged, a grid that fills, and a mask while it is painted. */
async function landscape(open: Studio): Promise<void> {
  const { admin } = open;
  const pinned = [
    { name: 'blur_radius', label: 'Softness' },
    { name: 'sigma', label: 'Strength' },
    { name: 'image', label: 'Photo' },
  ];
  const { data } = await admin.post<{ data: { id: string } }>('/api/workflows', {
    name: 'Landscape',
    workflow: softened,
    parameters: pinned.map((edit, position) => ({ ...edit, pinned: true, position })),
  });
  const address = `/workflows/${data.id}`;
  const withPhoto = async (page: Page) => {
    await page.goto(address);
    const content = await sharp(Buffer.from(hills)).png().toBuffer();
    await dropFile(page.locator('[data-file-field]'), { name: 'hills.png', content, type: 'image/png' });
    await page.locator('[data-file-field="filled"]').waitFor();
  };
  await shoot(open, 'form', {}, async (page) => {
    await page.goto(`${address}?edit=form`);
    await page.getByRole('list', { name: words('workflows')('form.fields') }).waitFor();
  });
  await shoot(open, 'variations', {}, async (page) => {
    const text = words('workflows/sweep');
    await withPhoto(page);
    await page.getByRole('button', { name: text('open') }).click();
    const values = page.getByLabel(text('field.values'));
    await values.fill('1, 4, 12, 24');
    await page.getByRole('button', { name: text('axis.add') }).click();
    await values.nth(1).fill('0.3, 1, 4');
    await page.getByRole('button', { name: text('start', { count: 12 }) }).click();
    await page.getByText(text('counts', { done: 6, count: 12 })).waitFor();
  });
  await untilIdle(admin);
  await shoot(open, 'mask', {}, async (page) => {
    const text = words('kit/pictures');
    await withPhoto(page);
    await page.getByRole('button', { name: text('mask.paint') }).click();
    await page.getByRole('application').waitFor();
    for (let step = 0; step < 5; step += 1) await page.keyboard.press(']');
    await page.keyboard.press('Enter');
    for (let step = 0; step < 3; step += 1) await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
  });
}

/** The gallery with collections and stars, and two pictures that are selected. */
async function gallery(open: Studio): Promise<void> {
  const { admin } = open;
  const { data } = await admin.get<{ data: { items: { fileId: string }[] } }>(
    '/api/files?kind=image&limit=8',
  );
  const ids = data.items.map(({ fileId }) => fileId);
  await admin.put('/api/files/marks', { fileIds: ids.slice(1, 3), starred: true });
  for (const [name, fileIds] of [
    ['Poster, final', ids.slice(0, 3)],
    ['Colours to try', ids.slice(3)],
  ] as const) {
    const made = await admin.post<{ data: { id: string } }>('/api/collections', { name });
    await admin.post(`/api/collections/${made.data.id}/files`, { fileIds });
  }
  for (const theme of ['light', 'dark'] as const)
    await shoot(open, 'gallery', { theme }, async (page) => {
      await page.goto('/gallery');
      await page.locator('[data-picture="5"]').waitFor();
      for (const key of ['j', 'x', 'ArrowRight', 'x']) {
        await page.keyboard.press(key);
        await page.waitForTimeout(200);
      }
    });
}

async function shoot(
  { stage, admin }: Pick<Studio, 'stage' | 'admin'>,
  name: string,
  look: Look,
  arrive: (page: Page) => Promise<unknown>,
): Promise<void> {
  const { page } = await stage.visit({ ...look, session: admin });
  await arrive(page);
  await page.getByRole('heading').first().waitFor();
  await page.waitForTimeout(2_500);
  const { theme = 'light', width = 1280, locale = 'en' } = look;
  const parts = [name, theme === 'dark' && 'dark', width < 600 && 'phone', locale === 'zh-CN' && 'chinese'];
  await save(page, parts.filter(Boolean).join('-'));
  await stage.closePages();
}

/** A long graph that begins with a picture of its own, so that a gallery shows which is which. */
function painted(steps: number, picture: number): object {
  const { ground = 0, spot = 0 } = colours[picture % colours.length] ?? {};
  const node = (class_type: string, inputs: object) => ({ class_type, inputs });
  const fill = (side: number, color: number) =>
    node('EmptyImage', { width: side, height: side, batch_size: 1, color });
  return {
    ...longGraph(steps),
    ground: fill(3, ground),
    spot: fill(1, spot),
    spotted: node('ImageCompositeMasked', {
      destination: ['ground', 0],
      source: ['spot', 0],
      x: picture % 3,
      y: 1,
      resize_source: false,
    }),
    first: node('ImageScale', {
      image: ['spotted', 0],
      upscale_method: 'bicubic',
      width: 384,
      height: 256,
      crop: 'disabled',
    }),
  };
}

/** Waits until every task has ended, for two minutes at most. */
async function untilIdle(admin: HttpSession): Promise<void> {
  const open = async (status: string): Promise<number> =>
    (await admin.get<{ data: { total: number } }>(`/api/tasks?limit=1&status=${status}`)).data.total;
  for (let tries = 0; tries < 60 && (await open('pending')) + (await open('running')) > 0; tries += 1)
    await new Promise((done) => setTimeout(done, 2_000));
}

async function save(page: Page, name: string): Promise<void> {
  await page.evaluate(() =>
    Promise.allSettled(
      document.getAnimations().map((each) => each instanceof CSSTransition && each.finished),
    ),
  );
  const picture = await page.screenshot();
  writeFileSync(join(folder, `${name}.webp`), await sharp(picture).webp({ quality: 88 }).toBuffer());
  console.log(`docs/images/${name}.webp`);
}
