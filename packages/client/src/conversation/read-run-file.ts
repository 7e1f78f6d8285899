import { type RunFile, runFileFormat, runFileVersion } from '@switchyard/contract/conversation/run-file';

/** A larger file is refused before it is read into memory. */
export const maxRunFileBytes = 200_000_000;

export type RunFileFault = 'too_large' | 'not_json' | 'not_a_run' | 'newer_version';

/** A file that is not an exported run, and what it is instead. */
export class RunFileError extends Error {
  readonly fault: RunFileFault;

  constructor(fault: RunFileFault, message: string) {
    super(message);
    this.name = 'RunFileError';
    this.fault = fault;
  }
}

/** Reads an exported run. Rows that a reader could not show are left out; everything else is kept as it is. */
export function readRunFile(text: string): RunFile {
  const file = recordOf(parsed(text));
  if (file.format !== runFileFormat || recordOf(file.run).run_id === undefined) {
    throw new RunFileError('not_a_run', `This is not an exported run: its format is not "${runFileFormat}".`);
  }
  if (file.version !== runFileVersion) {
    throw new RunFileError(
      'newer_version',
      `This file has version ${String(file.version)}; this page reads version ${runFileVersion}. Open it with a newer Switchyard.`,
    );
  }
  return {
    ...(file as unknown as RunFile),
    events: rowsOf(file.events, ({ seq, event_type, created_at, category }) =>
      [typeof seq === 'number', isText(event_type), isTime(created_at), isText(category)].every(Boolean),
    ).map((event) => ({ ...event, metadata: recordOf(event.metadata) })) as RunFile['events'],
    spans: rowsOf(file.spans, ({ id, kind, start, links }) =>
      [isText(id), isText(kind), isTime(start), typeof links === 'object' && links !== null].every(Boolean),
    ) as RunFile['spans'],
    pictures: rowsOf(file.pictures, ({ file_id, content_type, data }) =>
      [isText(file_id), isPictureType(content_type), isBase64(data)].every(Boolean),
    ) as RunFile['pictures'],
    cut: { events: false, spans: false, pictures: false, ...recordOf(file.cut) },
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new RunFileError('not_json', 'This is not an exported run: it is not JSON.');
  }
}

function rowsOf(value: unknown, isRow: (row: Record<string, unknown>) => boolean): Record<string, unknown>[] {
  return Array.isArray(value) ? value.map(recordOf).filter(isRow) : [];
}

function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isTime(value: unknown): boolean {
  return isText(value) && !Number.isNaN(Date.parse(value));
}

/** SVG is left out: it is a document, not only a picture. */
function isPictureType(value: unknown): boolean {
  return isText(value) && /^image\/(webp|png|jpeg|gif|avif)$/.test(value);
}

function isBase64(value: unknown): boolean {
  return isText(value) && /^[A-Za-z0-9+/=]*$/.test(value);
}
