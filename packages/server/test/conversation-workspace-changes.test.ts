import { type FakeOpenAi, type FakeReply, startFakeOpenAi } from '@switchyard/dev-env/fake-openai';
import { readModels } from '@switchyard/server/config/models';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ConversationCaller, says } from './support/conversation-caller.ts';
import { type ConversationGateway, startConversation } from './support/conversation-gateway.ts';

type Call = [name: string, args: object];

let provider: FakeOpenAi;
let server: ConversationGateway;
let ada: ConversationCaller;
let bob: ConversationCaller;
/** The model's next answers: tool calls, or whole replies. When none is left it says that it is done. */
let script: (Call[] | FakeReply)[];

beforeAll(async () => {
  provider = await startFakeOpenAi(() => nextReply());
  const models = readModels({ only: { base_url: provider.url, api_key: 'sk-x', model: 'm' } });
  server = await startConversation({ models, title: { enabled: false } });
  ({ ada, bob } = server);
});
beforeEach(() => {
  script = [];
});
afterAll(async () => {
  await server?.close();
  await provider?.close();
});

function nextReply(): FakeReply {
  const next = script.shift();
  if (!Array.isArray(next)) return next ?? { text: 'Done.' };
  const calls = next.map(([name, args], index) => ({
    id: `call_${script.length}_${index}`,
    name,
    args: { description: 'For the test', ...args },
  }));
  return { calls };
}

const ask = { assistant_id: 'lead_agent', input: says('Go on') };
const report = '/mnt/user-data/outputs/report.md';
const writes = (path: string, content: string): Call => ['write_file', { path, content }];

/** Runs the script in the thread, and returns the id of the run. */
async function perform(threadId: string, ...steps: Call[][]): Promise<string> {
  script = steps;
  const { run_id } = await ada.run(threadId, ask);
  expect((await ada.ended(threadId, run_id)).status).toBe('success');
  return run_id;
}
const addressOf = (threadId: string, runId: string, query = '') =>
  `/threads/${threadId}/runs/${runId}/workspace-changes${query}`;
const changesOf = (threadId: string, runId: string, query = '') =>
  ada.ok('GET', addressOf(threadId, runId, query));
const recorded = async (threadId: string, runId: string) =>
  (await ada.ok('GET', `/threads/${threadId}/runs/${runId}/events`)).map(
    ({ event_type, category }: { event_type: string; category: string }) => [event_type, category],
  );
const nothing = {
  available: false,
  version: 1,
  summary: {
    created: 0,
    modified: 0,
    deleted: 0,
    symlink_created: 0,
    additions: 0,
    deletions: 0,
    truncated: false,
  },
  files: [],
  limits: {},
};

describe('what a run changed in the files of its thread', () => {
  it('is listed with diffs: what it created and what it modified, and not what earlier runs did', async () => {
    const thread = await ada.thread();
    const first = await perform(thread, [writes(report, '# Report\nold\n')]);
    const second = await perform(
      thread,
      [['str_replace', { path: report, old_str: 'old', new_str: 'new' }]],
      [
        writes('/mnt/user-data/workspace/.env', 'KEY=hunter2\n'),
        writes('/mnt/user-data/outputs/b.txt', 'b\n'),
      ],
    );
    const created = await changesOf(thread, first);
    expect(created).toMatchObject({
      available: true,
      version: 1,
      summary: { created: 1, modified: 0, deleted: 0, additions: 2, deletions: 0, truncated: false },
      limits: {
        max_files: 200,
        max_scanned_files: 2000,
        max_file_bytes_for_diff: 262_144,
        max_total_diff_bytes: 1_048_576,
      },
    });
    const changes = await changesOf(thread, second);
    expect(changes.summary).toMatchObject({ created: 2, modified: 1, additions: 2, deletions: 1 });
    expect(changes.files.map(({ path }: { path: string }) => path)).toEqual([
      '/mnt/user-data/outputs/b.txt',
      report,
      '/mnt/user-data/workspace/.env',
    ]);
    expect(changes.files[1]).toEqual({
      path: report,
      root: 'outputs',
      status: 'modified',
      binary: false,
      sensitive: false,
      size_before: 13,
      size_after: 13,
      sha256_before: created.files[0].sha256_after,
      sha256_after: expect.stringMatching(/^[0-9a-f]{64}$/),
      diff: `--- a${report}\n+++ b${report}\n@@ -1,2 +1,2 @@\n # Report\n-old\n+new\n`,
      diff_truncated: false,
      diff_unavailable_reason: null,
      additions: 1,
      deletions: 1,
      symlink: false,
      symlink_target_before: null,
      symlink_target_after: null,
    });
    expect(changes.files[2]).toMatchObject({
      sensitive: true,
      diff: '',
      diff_unavailable_reason: 'sensitive',
    });
    expect(JSON.stringify(changes)).not.toContain('hunter2');
    expect(JSON.stringify(changes)).not.toContain(server.gateway.home);
  });

  it('comes without diffs and without files when the query says so', async () => {
    const thread = await ada.thread();
    const run = await perform(thread, [writes(report, 'x\n')]);
    const bare = await changesOf(thread, run, '?include_diff=false');
    expect(bare.files).toMatchObject([{ path: report, diff: '', additions: 1 }]);
    const counted = await changesOf(thread, run, '?include_files=0');
    expect(counted).toMatchObject({ available: true, files: [], summary: { created: 1 } });
    expect((await ada.get(addressOf(thread, run, '?include_diffs=true'))).status).toBe(422);
  });

  it('is one event before the end of the run, and none for a run that leaves the files as they are', async () => {
    const thread = await ada.thread();
    const run = await perform(thread, [writes(report, 'x\n')], [writes(report, 'y\n')]);
    expect((await recorded(thread, run)).slice(-2)).toEqual([
      ['workspace_changes', 'workspace'],
      ['run_end', 'lifecycle'],
    ]);
    const same = await perform(thread, [['read_file', { path: report }]], [writes(report, 'y\n')]);
    expect(await changesOf(thread, same)).toEqual(nothing);
    const types = (await recorded(thread, same)).map(([type]: [string]) => type);
    expect(types).not.toContain('workspace_changes');
  });

  it('includes what a sub-agent wrote', async () => {
    const thread = await ada.thread();
    script = [
      [['task', { prompt: 'Write', subagent_type: 'general-purpose' }]],
      [writes(report, 'by a helper\n')],
    ];
    const { run_id } = await ada.run(thread, { ...ask, context: { subagent_enabled: true } });
    await ada.ended(thread, run_id);
    expect((await changesOf(thread, run_id)).files).toMatchObject([{ path: report, status: 'created' }]);
  });

  it('leaves out what the user uploads meanwhile, and is kept of a run that was stopped', async () => {
    const thread = await ada.thread();
    script = [[writes(report, 'x\n')], { text: 'I go on', hangs: true }];
    const { run_id } = await ada.run(thread, ask);
    await expect.poll(async () => (await ada.get(`/threads/${thread}/artifacts${report}`)).status).toBe(200);
    await expect.poll(() => script.length).toBe(0);
    const form = new FormData();
    form.append('files', new Blob(['hers']), 'a.txt');
    await fetch(new URL(`/api/threads/${thread}/uploads`, ada.url), {
      method: 'POST',
      headers: { 'x-api-key': ada.token },
      body: form,
    });
    expect((await ada.post(`/threads/${thread}/runs/${run_id}/cancel?wait=true`)).status).toBe(204);
    const changes = await changesOf(thread, run_id);
    expect(changes.files.map(({ path }: { path: string }) => path)).toEqual([report]);
  });

  it('is of no other user and of no other run', async () => {
    const thread = await ada.thread();
    const run = await perform(thread, [writes(report, 'x\n')]);
    expect((await bob.get(addressOf(thread, run))).status).toBe(404);
    expect((await bob.get(addressOf(await bob.thread(), run))).status).toBe(404);
    expect((await ada.get(addressOf(thread, 'none'))).status).toBe(404);
  });
});
