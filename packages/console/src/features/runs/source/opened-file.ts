import { maxRunFileBytes, RunFileError, readRunFile } from '@switchyard/client/conversation/read-run-file';
import type { RunFile } from '@switchyard/contract/conversation/run-file';
import { useSyncExternalStore } from 'react';

/** The imported run. It lives as long as the page, and goes to no server. */
let opened: RunFile | null = null;
const listeners = new Set<() => void>();

export async function openRunFile(file: File): Promise<void> {
  if (file.size > maxRunFileBytes) {
    throw new RunFileError('too_large', `${file.name} is larger than ${maxRunFileBytes} bytes.`);
  }
  opened = readRunFile(await file.text());
  for (const listener of listeners) listener();
}

export function useOpenedRun(): RunFile | null {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => opened,
  );
}
