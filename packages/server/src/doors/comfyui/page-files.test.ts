import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Instance } from '@switchyard/contract/dispatch/instance';
import { type ScriptedServer, startScriptedServer } from '@switchyard/dev-env/scripted-server';
import { afterEach, describe, expect, it } from 'vitest';
import { initialSettings } from '../../dispatch/instances/settings.ts';
import { systemTimer } from '../../lib/async/timer.ts';
import { minuteMs } from '../../lib/time-units.ts';
import { guardedLookup } from '../../platform/outbound/host-rules.ts';
import { PageFiles, type PageFilesOptions } from './page-files.ts';

type Script = (request: IncomingMessage, response: ServerResponse) => void;

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

async function workerWith(script: Script): Promise<ScriptedServer> {
  const worker = await startScriptedServer(script);
  open.push(worker);
  return worker;
}

function instanceOf({ port }: ScriptedServer, changes: Partial<Instance> = {}): Instance {
  const known = { id: `127.0.0.1:${port}`, serverId: 'one', ip: '127.0.0.1', port, version: '1' };
  return { ...known, kind: 'comfyui', alive: true, enabled: true, busy: false, ...changes } as Instance;
}

function filesOf(list: () => Instance[], more: Partial<PageFilesOptions> = {}) {
  const clock = { nowMs: 0 };
  const files = new PageFiles({
    instances: { list: async () => list() },
    settings: () => initialSettings,
    server: null,
    lookup: guardedLookup({ allowPrivate: true }),
    steadyClock: () => clock.nowMs,
    timer: systemTimer,
    ...more,
  });
  open.unshift(files);
  return { files, clock };
}

const text =
  (answer: string, headers: Record<string, string> = {}): Script =>
  (_, response) =>
    response.writeHead(200, { 'content-type': 'text/javascript', ...headers }).end(answer);

describe('the files of the page of a worker', () => {
  it('are asked for once in a minute, then whether they are still right', async () => {
    let mark = '"a"';
    const worker = await workerWith((request, response) => {
      if (request.headers['if-none-match'] === mark) response.writeHead(304).end();
      else text(`version ${mark}`, { etag: mark })(request, response);
    });
    const { files, clock } = filesOf(() => [instanceOf(worker)]);
    const first = await files.read('/assets/a.js');
    expect([String(first?.body), first?.contentType]).toEqual(['version "a"', 'text/javascript']);
    expect(await files.read('/assets/a.js')).toEqual(first);
    expect(worker.requests).toHaveLength(1);
    clock.nowMs += minuteMs;
    expect(await files.read('/assets/a.js')).toEqual(first);
    expect(worker.requests).toHaveLength(2);
    mark = '"b"';
    clock.nowMs += minuteMs;
    expect(String((await files.read('/assets/a.js'))?.body)).toBe('version "b"');
  });

  it('are asked for once when many want them at the same time, and not more at a time than may be', async () => {
    const held: ServerResponse[] = [];
    const worker = await workerWith((_, response) => void held.push(response));
    const { files } = filesOf(() => [instanceOf(worker)], { limits: { inFlight: 1 } });
    const both = [files.read('/a.js'), files.read('/a.js')];
    await expect.poll(() => held.length).toBe(1);
    await expect(files.read('/b.js')).rejects.toMatchObject({ code: 'overloaded' });
    held[0]?.end('one');
    expect((await Promise.all(both)).map((file) => String(file?.body))).toEqual(['one', 'one']);
    expect(worker.requests).toEqual(['GET /a.js']);
  });

  it.each<[string, Script]>([
    ['that are not there', (_, response) => response.writeHead(404).end()],
    [
      'that lead elsewhere',
      (_, response) => response.writeHead(302, { location: 'http://127.0.0.1/' }).end(),
    ],
    ['that are packed although nobody asked', text('x', { 'content-encoding': 'br' })],
  ])('are none when the worker answers with ones %s', async (_, script) => {
    const worker = await workerWith(script);
    expect(await filesOf(() => [instanceOf(worker)]).files.read('/a.js')).toBeNull();
  });

  it.each<[string, Script]>([
    ['breaks off', (_, response) => void response.socket?.destroy()],
    ['fails', (_, response) => response.writeHead(500).end()],
    ['sends more than a file may have', text('x'.repeat(101))],
  ])('are away when the worker %s', async (_, script) => {
    const worker = await workerWith(script);
    const { files } = filesOf(() => [instanceOf(worker)], { limits: { fileBytes: 100 } });
    await expect(files.read('/a.js')).rejects.toMatchObject({ code: 'comfyui_page_away' });
  });

  it('send nothing of the user to the worker, and nothing of the worker but type and content to the user', async () => {
    let sent: IncomingMessage['headers'] = {};
    const worker = await workerWith((request, response) => {
      sent = request.headers;
      text('x', { 'set-cookie': 'access_token=evil', 'access-control-allow-origin': '*' })(request, response);
    });
    const file = await filesOf(() => [instanceOf(worker)]).files.read('/a.js');
    expect(Object.keys(file ?? {}).sort()).toEqual(['body', 'contentType', 'etag']);
    expect(Object.keys(sent).sort()).toEqual(['accept-encoding', 'connection', 'host']);
  });

  it('come from a real worker before the built-in one, from an idle one before a busy one, and from that one on', async () => {
    const [builtIn, busy, idle] = [
      await workerWith(text('built-in')),
      await workerWith(text('busy')),
      await workerWith(text('idle')),
    ];
    const there = [
      instanceOf(builtIn, { kind: 'reference' }),
      instanceOf(busy, { busy: true }),
      instanceOf(idle, { serverId: 'two' }),
    ];
    const { files, clock } = filesOf(() => there);
    const shown = async () => String((await files.read('/'))?.body);
    expect(await shown()).toBe('idle');
    there[2] = instanceOf(idle, { busy: true });
    clock.nowMs += minuteMs;
    expect(await shown()).toBe('idle');
    there[2] = instanceOf(idle, { alive: false });
    clock.nowMs += minuteMs;
    expect(await shown()).toBe('busy');
    there.splice(1);
    clock.nowMs += minuteMs;
    expect(await shown()).toBe('built-in');
    there.splice(0);
    clock.nowMs += minuteMs;
    await expect(shown()).rejects.toMatchObject({ code: 'comfyui_page_away' });
  });

  it('come from the server that was chosen, and are asked for again when it has another version', async () => {
    const [one, two] = [await workerWith(text('one')), await workerWith(text('two'))];
    let version = '1';
    const list = () => [instanceOf(one), instanceOf(two, { serverId: 'two', busy: true, version })];
    const { files, clock } = filesOf(list, { server: 'two' });
    expect(String((await files.read('/'))?.body)).toBe('two');
    version = '2';
    clock.nowMs += minuteMs / 2;
    expect(String((await files.read('/'))?.body)).toBe('two');
    expect([one.requests.length, two.requests.length]).toEqual([0, 2]);
  });

  it('are forgotten when they take more than may be kept, the one first that was not wanted for the longest', async () => {
    const worker = await workerWith(text('x'.repeat(60)));
    const { files } = filesOf(() => [instanceOf(worker)], { limits: { keptBytes: 130 } });
    for (const path of ['/a.js', '/b.js', '/a.js', '/c.js', '/a.js']) await files.read(path);
    expect(worker.requests).toEqual(['GET /a.js', 'GET /b.js', 'GET /c.js']);
    await files.read('/b.js');
    expect(worker.requests).toHaveLength(4);
  });

  it('name the scripts to load, without those that are not passed on', async () => {
    const list = ['/extensions/core/a.js', '/extensions/ComfyUI-Manager/b.js', 'http://elsewhere/c.js', 7];
    const worker = await workerWith(text(JSON.stringify(list)));
    expect(await filesOf(() => [instanceOf(worker)]).files.extensions()).toEqual(['/extensions/core/a.js']);
    const broken = await workerWith(text('{'));
    expect(await filesOf(() => [instanceOf(broken)]).files.extensions()).toEqual([]);
  });
});
