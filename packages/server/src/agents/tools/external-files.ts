import { posix } from 'node:path';
import { AppError } from '../../lib/app-error.ts';
import type { ExternalFile } from './external-tool.ts';
import { outputNames, outputsFolder } from './workflow-outputs.ts';
import type { Workspace, WorkspaceKey } from './workspace.ts';

const maxFiles = 20;

/**
 * Puts the files that a tool of another server gave into the outputs of the thread, and returns a line for the model about each.
 * Names follow from the call, so a call that is made again writes the same files.
 */
export async function keepFiles(
  files: readonly ExternalFile[],
  {
    tool,
    callId,
    workspace,
    whose,
  }: { tool: string; callId: string; workspace: Workspace; whose: WorkspaceKey },
): Promise<string[]> {
  const kept = files.slice(0, maxFiles);
  const names = outputNames(
    callId,
    kept.map(({ name, mediaType }) => ({ filename: name ?? `${tool}.${extensionOf(mediaType)}` })),
  );
  const lines: string[] = [];
  for (const [index, { mediaType, bytes }] of kept.entries()) {
    const path = posix.join(outputsFolder, names[index] ?? '');
    const problem = await whyNotKept(() => workspace.write(whose, path, bytes));
    lines.push(problem === null ? `[${mediaType}: ${path}]` : `[${mediaType}, not kept: ${problem}]`);
  }
  if (files.length > maxFiles) lines.push(`[${files.length - maxFiles} more files were not kept]`);
  return lines;
}

/** Without a thread that has files, they are only named. */
export function nameFiles(files: readonly ExternalFile[]): string[] {
  return files.map(({ mediaType }) => `[${mediaType}]`);
}

async function whyNotKept(write: () => Promise<void>): Promise<string | null> {
  try {
    await write();
    return null;
  } catch (error) {
    if (error instanceof AppError) return error.message;
    throw error;
  }
}

const usualExtensions: Readonly<Record<string, string>> = { jpeg: 'jpg', mpeg: 'mp3', plain: 'txt' };

/** `image/svg+xml` becomes `svg`. */
function extensionOf(mediaType: string): string {
  const [, subtype = ''] = /^[^/]+\/([A-Za-z0-9]+)/.exec(mediaType) ?? [];
  return usualExtensions[subtype] ?? subtype;
}
