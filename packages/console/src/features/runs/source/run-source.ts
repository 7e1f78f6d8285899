import type { Run } from '@switchyard/contract/conversation/run';
import type { RunEvent } from '@switchyard/contract/conversation/run-event';
import type { RunFile } from '@switchyard/contract/conversation/run-file';
import { addSpans, noSpans, type SpanData } from './span-data.ts';

/** Stored events, as far as they are loaded. */
export interface EventPages {
  events: readonly RunEvent[];
  hasMore: boolean;
  isLoading: boolean;
  loadMore: () => void;
}

/** A run to look at: one of the gateway, or an imported file. */
export interface RunSource {
  run: Run;
  spanData: SpanData;
  /** The events that a replay shows, all of them. */
  replayEvents: readonly RunEvent[];
  isReplayCut: boolean;
  eventPages: EventPages;
  /** The address of a small picture of a file; null when it is not available. */
  pictureOf: (fileId: string) => string | null;
  isFile: boolean;
}

export function sourceOfFile(file: RunFile): RunSource {
  const pictures = new Map(
    file.pictures.map(({ file_id, content_type, data }) => [file_id, `data:${content_type};base64,${data}`]),
  );
  return {
    run: file.run,
    spanData: { ...addSpans(noSpans, file.spans), isCut: file.cut.spans },
    replayEvents: file.events,
    isReplayCut: file.cut.events,
    eventPages: { events: file.events, hasMore: false, isLoading: false, loadMore: () => undefined },
    pictureOf: (fileId) => pictures.get(fileId) ?? null,
    isFile: true,
  };
}

/** The session of the page opens it; nothing is signed. */
export function thumbnailAddress(fileId: string): string {
  return `/api/files/${encodeURIComponent(fileId)}/thumbnail?size=256`;
}
