import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { createAgent } from 'langchain';
import { afterEach, describe, expect, it } from 'vitest';
import { ScriptedModel } from '../../../testing/scripted-model.ts';
import { threadWorkspace } from '../../../testing/thread-workspace.ts';
import { AppError } from '../../lib/app-error.ts';
import { runHandleKey } from '../run-contract/run-handle.ts';
import type { ExternalFile } from './external-tool.ts';
import { externalTools } from './external-tools.ts';
import { toolErrors } from './tool-errors.ts';
import type { Workspace } from './workspace.ts';

it('tells a model which argument of another server’s tool is invalid, and does not call the server', async () => {
  const called: unknown[] = [];
  const tools = externalTools(
    [
      {
        name: 'box_paint',
        server: 'box',
        description: 'Paints.',
        inputSchema: { type: 'object', properties: { width: { type: 'integer' } }, required: ['width'] },
        call: async (input) => ({ text: `painted ${called.push(input)}`, files: [] }),
      },
    ],
    null,
  );
  const model = new ScriptedModel('m', (messages) =>
    messages.some(({ type }) => type === 'tool')
      ? { text: 'Well.' }
      : { calls: [{ name: 'box_paint', args: { width: 'wide' }, id: 'c1' }] },
  );
  const agent = createAgent({ model, tools, middleware: [toolErrors({ warn: () => undefined })] });
  const { messages } = await agent.invoke({ messages: [{ role: 'user', content: 'go' }] });

  const answer = messages.find(({ type }) => type === 'tool');
  expect(answer).toMatchObject({ status: 'error', tool_call_id: 'c1' });
  expect(answer?.text).toContain('invalid_arguments');
  expect(answer?.text).toMatch(/width.*"integer"/);
  expect(answer?.text).not.toMatch(/file:|node_modules|\.ts:|\n {4}at /);
  expect(called).toEqual([]);
});

describe('files that a tool of another server gives', () => {
  const home = temporaryFolder();
  afterEach(() => home.remove());
  const whose = { userId: null, threadId: 't1', runId: 'r1' };
  const picture: ExternalFile = { mediaType: 'image/jpeg', name: null, bytes: Buffer.from('a cat') };

  async function paint(files: readonly ExternalFile[], workspace: Workspace | null): Promise<string> {
    const [paints] = externalTools(
      [
        {
          name: 'box_paint',
          server: 'box',
          description: 'Paints.',
          inputSchema: { type: 'object', properties: {} },
          call: async () => ({ text: 'Painted.', files }),
        },
      ],
      workspace,
    );
    const config = { configurable: { [runHandleKey]: whose }, toolCallId: 'call_7' };
    return String(await paints?.invoke({}, config as never));
  }

  it('are put into the outputs of the thread, and the model is told where', async () => {
    const workspace = threadWorkspace(home.path);
    const report = { mediaType: 'application/pdf', name: '../the report.pdf', bytes: Buffer.from('pages') };
    const text = await paint([picture, picture, report], workspace);
    const [said, ...lines] = text.split('\n');
    expect(said).toBe('Painted.');
    expect(lines).toEqual([
      '[image/jpeg: /mnt/user-data/outputs/box_paint-call7.jpg]',
      '[image/jpeg: /mnt/user-data/outputs/box_paint-call7-2.jpg]',
      expect.stringMatching(/^\[application\/pdf: \/mnt\/user-data\/outputs\/[^/]*report-call7\.pdf\]$/),
    ]);
    const [entry] = await workspace.list(whose, '/mnt/user-data/outputs');
    const path = `/mnt/user-data/outputs/${entry?.name}`;
    expect((await workspace.read(whose, path, 99)).bytes.toString()).toBe('a cat');
  });

  it('are named when they cannot be kept, or are too many', async () => {
    const full = { write: () => Promise.reject(new AppError('storage_full')) } as unknown as Workspace;
    expect(await paint([picture], full)).toMatch(/^Painted\.\n\[image\/jpeg, not kept: .+\]$/);
    expect(await paint([picture], null)).toBe('Painted.\n[image/jpeg]');
    const many = await paint(
      Array.from({ length: 22 }, () => picture),
      threadWorkspace(home.path),
    );
    expect(many.split('\n').slice(-2)).toEqual([
      '[image/jpeg: /mnt/user-data/outputs/box_paint-call7-20.jpg]',
      '[2 more files were not kept]',
    ]);
  });
});
