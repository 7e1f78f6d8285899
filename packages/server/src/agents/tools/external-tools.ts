import { posix } from 'node:path';
import { tool } from '@langchain/core/tools';
import { AppError } from '../../lib/app-error.ts';
import { runHandleOf } from '../run-contract/run-handle.ts';
import type { ExternalFile, ExternalTool } from './external-tool.ts';
import { toolCallIdOf } from './tool-call-id.ts';
import { outputNames, outputsFolder } from './workflow-outputs.ts';
import type { Workspace, WorkspaceKey } from './workspace.ts';

const maxFiles = 20;
const usualExtensions: Readonly<Record<string, string>> = { jpeg: 'jpg', mpeg: 'mp3', plain: 'txt' };

/** Files that the tools give go into the workspace; null when threads have no files. */
export function externalTools(tools: readonly ExternalTool[], workspace: Workspace | null) {
  return tools.map(({ name, description, inputSchema, call }) =>
    tool(
      async (input, config) => {
        const { text, files } = await call(input as Record<string, unknown>, config.signal);
        if (files.length === 0) return text;
        const whose = runHandleOf(config);
        const lines =
          workspace && whose
            ? await keepFiles(files, { tool: name, callId: toolCallIdOf(config), workspace, whose })
            : nameFiles(files);
        return [...(text === '' ? [] : [text]), ...lines].join('\n');
      },
      {
        name,
        description,
        schema: inputSchema,
        // Without it the model gets to know that something does not fit, but not what.
        verboseParsingErrors: true,
      },
    ),
  );
}

/**
 * Puts the files that a tool of another server gave into the outputs of the thread, and returns a line for the model about each.
 * Names follow from the call, so a call that is made again writes the same files.
 */
async function keepFiles(
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
function nameFiles(files: readonly ExternalFile[]): string[] {
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

/** `image/svg+xml` becomes `svg`. */
function extensionOf(mediaType: string): string {
  const [, subtype = ''] = /^[^/]+\/([A-Za-z0-9]+)/.exec(mediaType) ?? [];
  return usualExtensions[subtype] ?? subtype;
}
