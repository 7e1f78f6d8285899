import type { RunEvent } from '@switchyard/contract/conversation/run-event';
import { describe, expect, it } from 'vitest';
import type { Client } from '../client.ts';
import { ApiError } from '../errors.ts';
import { exportRun } from './export-run.ts';
import { readRunFile } from './read-run-file.ts';

const event = (seq: number, more: Partial<RunEvent> = {}): RunEvent => ({
  thread_id: 't',
  run_id: 'r',
  user_id: 'u',
  event_type: 'ai_message',
  category: 'message',
  content: 'hi',
  metadata: {},
  seq,
  created_at: '2026-01-01T00:00:00.000Z',
  ...more,
});
const link = 'http://x/uploads/f/a.png?expires=1795478400&sig=AbC_-9';
const files = ['image/png', 'text/plain'].map((content_type, index) => ({
  file_id: `f${index}`,
  content_type,
  url: link,
}));
const events = [
  event(1),
  event(2, { content: `see ${link} here` }),
  event(3, { event_type: 'worker_task_completed', category: 'trace', metadata: { files } }),
];
const span = { id: 's', kind: 'run', start: '2026-01-01T00:00:00.000Z', links: {} };

/** A gateway that answers as the endpoints do, page by page. */
function gatewayWith(thumbnail: () => Response) {
  return {
    call: async (
      { url }: { url: string },
      { query }: { query?: { limit: number; after_seq?: number } } = {},
    ) => {
      if (url.endsWith('/events')) {
        return events.filter(({ seq }) => seq > (query?.after_seq ?? 0)).slice(0, query?.limit);
      }
      return url.endsWith('/timeline')
        ? { spans: [span], next_cursor: null }
        : { run_id: 'r', ended_at: 'x' };
    },
    downloadThumbnail: async () => {
      const { body, headers } = thumbnail();
      return { stream: body, contentType: headers.get('content-type') };
    },
  } as unknown as Client;
}

const picture = () => new Response(new Uint8Array([1, 2, 3]), { headers: { 'content-type': 'image/webp' } });
const ids = { threadId: 't', runId: 'r', now: () => new Date('2026-02-03T00:00:00Z') };

describe('an exported run', () => {
  it('holds events, spans and small pictures, and comes back as it was', async () => {
    const file = await exportRun(gatewayWith(picture), ids);
    expect(file).toMatchObject({
      live: false,
      exported_at: '2026-02-03T00:00:00.000Z',
      spans: [{ id: 's' }],
    });
    expect(file.events.map(({ seq }) => seq)).toEqual([1, 2, 3]);
    expect(file.pictures).toEqual([{ file_id: 'f0', content_type: 'image/webp', data: 'AQID' }]);
    expect(readRunFile(JSON.stringify(file))).toEqual(file);
  });

  it('has no link that opens a file without credentials', async () => {
    const text = JSON.stringify(await exportRun(gatewayWith(picture), ids));
    expect(text).not.toContain('sig=');
    expect(text).toContain('http://x/uploads/f/a.png');
  });

  it('is read page by page, and says when it is cut', async () => {
    const file = await exportRun(gatewayWith(picture), { ...ids, limits: { events: 2, pictures: 0 } });
    expect(file.events.map(({ seq }) => seq)).toEqual([1, 2]);
    expect(file.cut).toEqual({ events: true, spans: false, pictures: false });
  });

  it('goes without a picture that was deleted, and fails when the gateway does', async () => {
    const broken = (status: number) => () => {
      throw new ApiError({ status, code: 'x', message: 'x' });
    };
    expect((await exportRun(gatewayWith(broken(404)), ids)).pictures).toEqual([]);
    await expect(exportRun(gatewayWith(broken(500)), ids)).rejects.toThrow(ApiError);
    await expect(exportRun(gatewayWith(broken(401)), ids)).rejects.toThrow(ApiError);
  });
});

describe('a file that is opened as a run', () => {
  const file = { format: 'switchyard.run', version: 1, run: { run_id: 'r' }, events: [], spans: [] };
  const faultOf = (text: string) => {
    try {
      readRunFile(text);
      return null;
    } catch (error) {
      return (error as { fault?: string }).fault;
    }
  };

  it('says what it is when it is something else', () => {
    expect(faultOf('PNG')).toBe('not_json');
    expect(faultOf('{"3":{"class_type":"LoadImage"}}')).toBe('not_a_run');
    expect(faultOf('[]')).toBe('not_a_run');
    expect(faultOf(JSON.stringify({ ...file, version: 2 }))).toBe('newer_version');
    expect(faultOf(JSON.stringify(file))).toBeNull();
  });

  it('leaves out rows that cannot be shown, and pictures that are documents', () => {
    const pictures = [
      { file_id: 'a', content_type: 'image/svg+xml', data: 'AAAA' },
      { file_id: 'b', content_type: 'image/png', data: '" onerror="x' },
      { file_id: 'c', content_type: 'image/png', data: 'AAAA' },
    ];
    const odd = { ...file, events: [null, 3, event(1), { seq: 'x' }], spans: [{}, span], pictures };
    const read = readRunFile(JSON.stringify(odd));
    expect(read.events).toEqual([event(1)]);
    expect(read.spans).toEqual([span]);
    expect(read.pictures.map(({ file_id }) => file_id)).toEqual(['c']);
  });
});
