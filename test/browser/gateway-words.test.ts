import { canBrowse } from '@switchyard/dev-env/chromium';
import type { HttpSession } from '@switchyard/dev-env/http-session';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { zip } from '../../packages/server/test/support/zip.ts';
import { addBoxes, type Box, definePool, longGraph } from './support/fleet.ts';
import { openForm, openLayer } from './support/open-layer.js';
import { adminPassword, Stage } from './support/stage.ts';
import { wordsOf } from './support/words.ts';

const words = wordsOf('zh-CN');
const discardPort = 9;
const tokensPerAccount = 100;
const filesPerRequest = 10;

describe.runIf(canBrowse)('what the gateway says, on a page in Chinese', () => {
  let stage: Stage;
  let admin: HttpSession;
  let boxes: Box[];
  let page: Page;
  let faults: string[] = [];

  beforeAll(async () => {
    stage = await Stage.open();
    admin = await stage.admin();
    boxes = await addBoxes(admin, ['box-a'], 1);
    ({ page, faults } = await stage.visit({
      session: admin,
      locale: 'zh-CN',
      statuses: [400, 409, 413, 422],
    }));
  });
  afterEach(() => expect(faults.splice(0)).toEqual([]));
  afterAll(async () => {
    await stage?.close();
    await Promise.all((boxes ?? []).map((box) => box.close()));
  });

  const taskOf = async (workflow: object): Promise<string> =>
    (await admin.post<{ data: { id: string } }>('/api/tasks', { workflow, maxAttempts: 1 })).data.id;

  it('is Chinese for a failed task, with the words of the worker as a quote', async () => {
    const missing = {
      load: { class_type: 'LoadImage', inputs: { image: 'nowhere.png' } },
      save: { class_type: 'SaveImage', inputs: { images: ['load', 0], filename_prefix: 'x' } },
    };
    const id = await taskOf(missing);
    await page.goto(`/tasks/${id}`);
    const note = page.getByRole('main').getByRole('alert');
    await note.getByText(/原话：“.*nowhere\.png.*”。没有实例拥有此文件/).waitFor();
    await page.goto('/instances?view=journal');
    await page
      .getByText(/缺少输入文件：/)
      .first()
      .waitFor();
  });

  it('is Chinese for a run that the gateway refuses', async () => {
    const unknown = {
      swap: { class_type: 'FaceSwapOfNoWorker', inputs: {} },
      save: { class_type: 'SaveImage', inputs: { images: ['swap', 0], filename_prefix: 'x' } },
    };
    const { data } = await admin.post<{ data: { id: string } }>('/api/workflows', {
      name: 'Swap faces',
      workflow: unknown,
    });
    await page.goto(`/workflows/${data.id}`);
    const why = '没有实例拥有“FaceSwapOfNoWorker”，需要先在实例上安装。';
    // The same words before the click and after it.
    await page.getByRole('status').getByText(why).waitFor();
    await page.getByRole('button', { name: words('workflows')('run.start', { count: 1 }) }).click();
    await page.getByRole('alert').getByText(why).waitFor();
  });

  it('is Chinese for a warning of a task', async () => {
    const { data } = await admin.post<{ data: { id: string } }>('/api/tasks', {
      workflow: longGraph(1),
      params: { '1.widht': 5 },
    });
    await page.goto(`/tasks/${data.id}`);
    await page.getByText('“1.widht”与工作流中的任何位置都不对应。').waitFor();
    expect(await page.getByText(/fits nothing/).count()).toBe(0);
  });

  it('is Chinese for what is wrong with a field', async () => {
    const text = words('account');
    await page.goto('/account');
    await page.getByLabel(text('password.current')).first().fill(adminPassword);
    await page.getByLabel(text('password.new')).fill('password1');
    await page.getByRole('button', { name: text('password.submit') }).click();
    await page.getByText('请求无效：new_password：密码过于常见，请选择更强的密码。').waitFor();
  });

  it('is Chinese for an agent that is there already', async () => {
    const text = words('agents');
    await admin.post('/api/agents', { name: 'painter' });
    await page.goto('/agents');
    const dialog = await openForm(page, text('create'));
    await dialog.getByLabel(text('form.name'), { exact: true }).fill('painter');
    await dialog.getByRole('button', { name: text('form.create') }).click();
    await dialog.getByText('与当前状态冲突：已有名为“painter”的智能体。', { exact: true }).waitFor();
  });

  it('is Chinese for a fact that the memory holds already', async () => {
    const text = words('memory');
    await admin.post('/api/memory/facts', { content: 'Likes red.' });
    await page.goto('/memory');
    const dialog = await openForm(page, text('fact.add'));
    await dialog.getByRole('textbox', { name: text('fact.content') }).fill('Likes red.');
    await dialog.getByRole('button', { name: text('fact.remember') }).click();
    await dialog.getByText('记忆中已有这条事实。', { exact: true }).waitFor();
  });

  it('is Chinese for one access token more than there may be', async () => {
    const text = words('tokens');
    const another = (name: string) => admin.post('/api/v1/auth/tokens', { name, scopes: ['dispatch:read'] });
    for (let made = 0; made < tokensPerAccount; made += 1) await another(`token ${made}`);
    await page.goto('/tokens');
    const dialog = await openForm(page, text('create.open'));
    await dialog.getByRole('textbox', { name: text('create.name') }).fill('One more');
    await dialog.getByRole('button', { name: text('create.submit') }).click();
    await dialog.getByText('此账户的访问令牌数量已达上限，请先删除一个。', { exact: true }).waitFor();
  });

  it('is Chinese for more files than a thread takes at once', async () => {
    const files = Array.from({ length: filesPerRequest + 1 }, (_, index) => ({
      name: `note-${index}.txt`,
      mimeType: 'text/plain',
      buffer: Buffer.from('A note.'),
    }));
    await page.goto('/chat');
    const message = page.getByRole('textbox', { name: words('chat')('composer.message') });
    await message.waitFor();
    await page.locator('input[type=file]').setInputFiles(files);
    await message.fill('notes');
    await message.press('Enter');
    await page
      .getByRole('region', { name: words('kit')('toast.region') })
      .getByText('内容太大：一次最多上传 10 个文件。', { exact: true })
      .waitFor();
  });

  it('is Chinese for a test of an MCP server', async () => {
    const away = { type: 'http', url: `http://127.0.0.1:${discardPort}/mcp`, enabled: false };
    await admin.put('/api/mcp/config', { mcp_servers: { away } });
    await page.goto('/mcp-servers');
    await page.getByRole('button', { name: words('mcp')('test.open') }).click();
    await page.getByText('服务器的地址上没有程序在监听。（ECONNREFUSED）').waitFor();
  });

  it('is Chinese for settings of an MCP server that it refuses', async () => {
    const text = words('mcp');
    await page.goto('/mcp-servers');
    await page.getByRole('button', { name: text('add') }).click();
    const dialog = openLayer(page);
    await dialog.getByLabel(text('form.name'), { exact: true }).fill('web');
    await dialog.getByLabel(text('form.url')).fill('http://169.254.169.254/mcp');
    await dialog.getByRole('button', { name: text('submit') }).click();
    await dialog
      .getByText('请求无效：mcp_servers.web.url：不允许调用此地址：169.254.169.254 是链路本地地址。')
      .waitFor();
  });

  it('is Chinese for an address that webhooks may not call', async () => {
    const text = words('webhooks');
    await page.goto('/webhooks');
    const dialog = await openForm(page, text('add'));
    await dialog.getByRole('textbox', { name: text('column.url') }).fill('http://10.0.0.1/hook');
    await dialog.getByRole('button', { name: text('submit') }).click();
    await dialog.getByText(/不允许调用此地址：10\.0\.0\.1 属于专用网络。/).waitFor();
  });

  it('is Chinese for a pause, with the reason as it was written', async () => {
    await admin.post('/api/queue/pause', { scope: 'all', reason: 'New drivers' });
    await page.goto(`/tasks/${await taskOf(longGraph(1))}`);
    await page.getByText(/管理员已于 .* 暂停整个队列。原因：New drivers/).waitFor();
    expect(await page.getByText(/The queue is paused/).count()).toBe(0);
    await admin.post('/api/queue/resume', { scope: 'all' });
  });

  it('is Chinese for an instance that refuses connections', async () => {
    await definePool(admin, [...boxes, { name: 'box-gone', port: discardPort }]);
    await page.goto('/instances');
    const card = page.getByRole('article').filter({ hasText: 'box-gone' });
    await card.getByText(/拒绝了连接/).waitFor();
  });

  it('is Chinese for an archive of a skill that cannot be installed', async () => {
    await page.goto('/skills');
    await page.locator('input[type=file]').setInputFiles({
      name: 'empty.skill',
      mimeType: 'application/zip',
      buffer: zip([{ name: 'README.md', content: Buffer.from('No skill.') }]),
    });
    await page
      .getByRole('alert')
      .getByText('请求无效：无法安装此压缩包：SKILL.md 必须位于压缩包的顶层，或位于其中唯一的文件夹内。')
      .waitFor();
  });

  it('is Chinese for a sign-in from a page of another origin', async () => {
    const text = words('sign-in');
    const visit = await stage.visit({ locale: 'zh-CN', statuses: [401, 403] });
    await visit.page.route('**/auth/login/local', async (route) => {
      const headers = { ...route.request().headers(), origin: 'http://elsewhere.example' };
      await route.fulfill({ response: await route.fetch({ headers }) });
    });
    await visit.page.goto('/login');
    await visit.page.getByLabel(text('email')).fill('ada@example.com');
    await visit.page.getByLabel(text('password.label'), { exact: true }).fill(adminPassword);
    await visit.page.getByRole('button', { name: text('login.submit') }).click();
    const said = visit.page.getByRole('alert').getByText(/来自其他网站的登录请求已被拒绝。/);
    expect(await said.textContent()).not.toMatch(/Cross-site|reverse proxy/);
    expect(visit.faults).toEqual([]);
  });

  it('has words for people on a page in English, without codes and routes', async () => {
    const visit = await stage.visit({ session: admin, statuses: [404] });
    await visit.page.goto('/instances?view=journal');
    await visit.page
      .getByText(/Input file missing: /)
      .first()
      .waitFor();
    expect(await visit.page.getByText(/input_file_missing/).count()).toBe(0);
    await visit.page.goto('/tasks/01900000-0000-7000-8000-000000000000');
    await visit.page.getByText('No such task.', { exact: true }).waitFor();
    expect(visit.faults).toEqual([]);
  });
});
