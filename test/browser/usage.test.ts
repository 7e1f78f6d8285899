import { canBrowse } from '@switchyard/dev-env/chromium';
import type { HttpSession } from '@switchyard/dev-env/http-session';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Stage } from './support/stage.ts';

const agentName = 'Night painter';

describe.runIf(canBrowse)('the page of usage', () => {
  let stage: Stage;
  let admin: HttpSession;

  beforeAll(async () => {
    stage = await Stage.open();
    admin = await stage.admin();
    const { assistant_id } = await admin.post<{ assistant_id: string }>('/api/assistants', {
      graph_id: 'lead_agent',
      name: agentName,
    });
    const { thread_id } = await admin.post<{ thread_id: string }>('/api/threads', {});
    const input = { messages: [{ role: 'user', content: 'hello' }] };
    await admin.post(`/api/threads/${thread_id}/runs/wait`, { assistant_id, input });
  });
  afterEach(() => stage.closePages());
  afterAll(() => stage?.close());

  it.each([1280, 1024, 800, 360])(
    'calls users and agents by name, and fits into %d pixels',
    async (width) => {
      const { page, faults } = await stage.visit({ session: admin, width });
      const { email } = await admin.get<{ email: string }>('/api/v1/auth/me');
      for (const [address, name] of [
        ['/usage?scope=all&by=user', email],
        ['/usage?by=agent', agentName],
      ] as const) {
        await page.goto(address);
        const shown = page.getByText(name, { exact: true });
        await shown.waitFor();
        expect((await shown.boundingBox())?.width, name).toBeGreaterThan(80);
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        expect(overflow, 'the page is not wider than the window').toBeLessThanOrEqual(0);
      }
      expect(faults).toEqual([]);
    },
  );
});
