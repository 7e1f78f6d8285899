import { posix } from 'node:path';
import { type ToolRunnableConfig, tool } from '@langchain/core/tools';
import { interrupt, type LangGraphRunnableConfig } from '@langchain/langgraph';
import { isRecord } from '@switchyard/contract/is-record';
import { AppError } from '../../lib/app-error.ts';
import { readTraceparent, spanIdOfCall, traceparentOf } from '../../platform/telemetry/trace-ids.ts';
import { type RunHandle, runHandleOf } from '../run-contract/run-handle.ts';
import type { ExternalCall, ExternalFile, ExternalQuestion, ExternalTool } from './external-tool.ts';
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
        const { text, files } = await call(input as Record<string, unknown>, callIn(config, name));
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

function callIn(config: ToolRunnableConfig, toolName: string): ExternalCall {
  const { signal, writer } = config as LangGraphRunnableConfig;
  const run = runHandleOf(config);
  return {
    signal,
    run: run && {
      threadId: run.threadId,
      runId: run.runId,
      key: [run.threadId, ...(run.within ?? []), toolCallIdOf(config)].join(':'),
      beforeActing: () => run.beforeActing(),
      traceparent: traceparentOfCall(run, toolCallIdOf(config)),
    },
    tell: (progress) =>
      writer?.({ type: 'external_task_progress', tool_call_id: toolCallIdOf(config), ...progress }),
    ask: (question) => ask(toolName, question),
  };
}

function traceparentOfCall({ traceparent, runId }: RunHandle, toolCallId: string): string | undefined {
  const around = readTraceparent(traceparent);
  return around ? traceparentOf(around.traceId, spanIdOfCall(runId, toolCallId)) : undefined;
}

/** Asks in the form of LangChain's own middleware, like a workflow that needs approval. Returns null for a refusal. */
function ask(toolName: string, { message, fields }: ExternalQuestion): Record<string, unknown> | null {
  const decisions = Object.keys(fields).length > 0 ? ['approve', 'edit', 'reject'] : ['approve', 'reject'];
  const answer: unknown = interrupt({
    actionRequests: [{ name: toolName, args: fields, description: message }],
    reviewConfigs: [{ actionName: toolName, allowedDecisions: decisions }],
  });
  const [decision] =
    isRecord(answer) && Array.isArray(answer.decisions) ? (answer.decisions as unknown[]) : [];
  if (!isRecord(decision)) return null;
  if (decision.type === 'approve') return fields;
  const edited = decision.edited_action ?? decision.editedAction;
  return decision.type === 'edit' && isRecord(edited) && isRecord(edited.args) ? edited.args : null;
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
