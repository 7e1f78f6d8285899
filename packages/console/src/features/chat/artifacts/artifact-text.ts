import { queryOptions } from '@tanstack/react-query';
import { keys } from '../../../lib/data/keys.ts';
import { readThreadText } from '../../../lib/thread-files.ts';

const outputs = '/mnt/user-data/outputs/';
const textEndings = /\.(md|txt|csv|tsv|json|jsonl|ya?ml|toml|ini|html?|css|svg|xml|m?[jt]s|py|sh|sql)$/i;

/** Only what the agent has made can be changed, and only text. */
export function canEditArtifact(path: string): boolean {
  return path.startsWith(outputs) && textEndings.test(path);
}

/** The text as it is now; editing begins with it. */
export function artifactTextQuery(threadId: string, path: string) {
  return queryOptions({
    queryKey: [...keys.thread(threadId), 'artifact', path],
    queryFn: ({ signal }) => readThreadText(threadId, path, signal),
    staleTime: 0,
    gcTime: 0,
    // The text stays as it was read while it is edited. So a save notices a change by somebody else.
    refetchOnWindowFocus: false,
  });
}
