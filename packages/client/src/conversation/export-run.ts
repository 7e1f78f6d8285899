import type { RunEvent } from '@switchyard/contract/conversation/run-event';
import { listRunEvents } from '@switchyard/contract/conversation/run-events';
import {
  type RunFile,
  type RunFilePicture,
  runFileFormat,
  runFileVersion,
} from '@switchyard/contract/conversation/run-file';
import { getRun } from '@switchyard/contract/conversation/runs';
import { getRunTimeline, type RunSpan } from '@switchyard/contract/conversation/timeline';
import type { Client } from '../client.ts';
import { ApiError } from '../errors.ts';

export interface ExportOptions {
  threadId: string;
  runId: string;
  /** Small pictures of what its tasks have made; false leaves them out. */
  withPictures?: boolean;
  signal?: AbortSignal | undefined;
  now?: () => Date;
  /** The maximum of each list; what goes beyond it is left out, and the file says so. */
  limits?: Partial<ExportLimits>;
}

interface ExportLimits {
  events: number;
  spans: number;
  pictures: number;
}

const defaultLimits: ExportLimits = { events: 100_000, spans: 100_000, pictures: 200 };
const eventsPerPage = 2_000;
const spansPerPage = 1_000;

type Gateway = Pick<Client, 'call' | 'downloadThumbnail'>;

/**
 * A run as one file that can be read without the gateway. The rows of a run that has ended do not change, so its pages
 * fit together; the file of a run that goes on says that it is a beginning.
 */
export async function exportRun(gateway: Gateway, options: ExportOptions): Promise<RunFile> {
  const { threadId: thread_id, runId: run_id, signal, withPictures = true, now = () => new Date() } = options;
  const limits = { ...defaultLimits, ...options.limits };
  const params = { thread_id, run_id };
  const run = await gateway.call(getRun, { params, signal });
  const spans = await paged(limits.spans, async (last: string | undefined, limit) => {
    const query = { limit: Math.min(spansPerPage, limit), cursor: last };
    const page = await gateway.call(getRunTimeline, { params, query, signal });
    return { rows: page.spans, next: page.next_cursor ?? undefined };
  });
  const events = await paged(limits.events, async (after_seq: number | undefined, limit) => {
    const query = { limit: Math.min(eventsPerPage, limit), after_seq };
    const rows = await gateway.call(listRunEvents, { params, query, signal });
    return { rows, next: rows.length < query.limit ? undefined : rows.at(-1)?.seq };
  });
  const fileIds = withPictures ? pictureIds(events.rows) : [];
  const pictures = await picturesOf(gateway, fileIds.slice(0, limits.pictures), signal);
  return {
    format: runFileFormat,
    version: runFileVersion,
    exported_at: now().toISOString(),
    live: run.ended_at === null,
    run: withoutLinks(run),
    events: withoutLinks(events.rows),
    spans: spans.rows satisfies RunSpan[],
    pictures,
    cut: { events: events.isCut, spans: spans.isCut, pictures: fileIds.length > limits.pictures },
  };
}

async function paged<Row, Place>(
  max: number,
  read: (after: Place | undefined, limit: number) => Promise<{ rows: Row[]; next: Place | undefined }>,
): Promise<{ rows: Row[]; isCut: boolean }> {
  const rows: Row[] = [];
  let after: Place | undefined;
  while (rows.length < max) {
    const page = await read(after, max - rows.length);
    rows.push(...page.rows);
    after = page.next;
    if (after === undefined) return { rows, isCut: false };
  }
  return { rows, isCut: true };
}

/** The pictures that tasks of the run have made. */
function pictureIds(events: readonly RunEvent[]): string[] {
  const files = events
    .filter(({ event_type }) => event_type === 'worker_task_completed')
    .flatMap(({ metadata }) => (Array.isArray(metadata.files) ? (metadata.files as unknown[]) : []))
    .map((file) => file as { file_id?: unknown; content_type?: unknown } | null)
    .filter((file) => typeof file?.content_type === 'string' && file.content_type.startsWith('image/'));
  return [...new Set(files.flatMap((file) => (typeof file?.file_id === 'string' ? [file.file_id] : [])))];
}

async function picturesOf(
  gateway: Gateway,
  fileIds: readonly string[],
  signal: AbortSignal | undefined,
): Promise<RunFilePicture[]> {
  const pictures: RunFilePicture[] = [];
  for (const file_id of fileIds) {
    try {
      const { stream, contentType } = await gateway.downloadThumbnail(file_id, { signal });
      const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
      pictures.push({ file_id, content_type: contentType ?? 'image/webp', data: base64(bytes) });
    } catch (error) {
      // A file may have been deleted since, or be no picture that the gateway can read. The replay then shows its name.
      if (!(error instanceof ApiError && error.status < 500 && error.status !== 401)) throw error;
    }
  }
  return pictures;
}

function base64(bytes: Uint8Array): string {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}

/** A signed link opens a file for everyone who has it, so the exported file keeps the address without its signature. */
function withoutLinks<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value).replace(/\?expires=\d+&sig=[\w-]+/g, '')) as Value;
}
