import { markLimits } from '@switchyard/contract/dispatch/file';

/** Returns the files in parts of as many as one request can name. */
export function* filePartsOf(fileIds: readonly string[]): Generator<string[]> {
  for (let from = 0; from < fileIds.length; from += markLimits.files)
    yield fileIds.slice(from, from + markLimits.files);
}
