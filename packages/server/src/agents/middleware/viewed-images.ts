import { HumanMessage, ToolMessage } from '@langchain/core/messages';
import { Command } from '@langchain/langgraph';
import { createMiddleware } from 'langchain';
import type { AnsweringModels } from '../models/answering-model.ts';
import { requestedModelOf } from '../models/requested-model.ts';
import { runHandleOf } from '../run-contract/run-handle.ts';
import { threadState } from '../state/thread-state.ts';
import { FileTrees, type FileTreesOptions } from '../tools/files/file-trees.ts';
import { readPicture, viewImageName, viewImageTool } from '../tools/files/view-image.ts';
import { ToolFailure } from '../tools/tool-failure.ts';
import type { WorkspaceKey } from '../tools/workspace.ts';
import { placeAmongCalls } from './called-tools.ts';

/** Every picture is sent to the provider in full. */
const maxAtOnce = 4;

/**
 * Shows the model the pictures that it asked to look at, in the next call and in no other. They are added to the messages of that
 * call, and its answer removes them from the state. This happens only when the run's model can see; fallback models must be able
 * to see as well.
 */
export function viewedImages(models: AnsweringModels, files: FileTreesOptions) {
  const trees = new FileTrees(files);
  return createMiddleware({
    name: 'ViewImageMiddleware',
    stateSchema: threadState,
    tools: [viewImageTool(trees)],
    wrapModelCall: async (request, handler) => {
      const { messages, tools, runtime } = request;
      const viewed = Object.keys(request.state.viewed_images ?? {});
      const run = runHandleOf(runtime);
      const canSee = seesPictures(models, runtime);
      // A question of the user starts from nothing, whatever a stopped run or a client has left in the state.
      const isAsked = canSee && messages.at(-1)?.type === 'tool';
      const pictures = isAsked && run ? await messagesOf(trees, run, viewed.slice(0, maxAtOnce)) : [];
      const answer = await handler({
        ...request,
        tools: canSee ? tools : tools.filter(({ name }) => name !== viewImageName),
        messages: [...messages, ...pictures],
      });
      return viewed.length === 0 ? answer : new Command({ update: { viewed_images: {} } });
    },
    wrapToolCall: (request, handler) => {
      const { toolCall, state, runtime } = request;
      if (toolCall.name !== viewImageName) return handler(request);
      if (!seesPictures(models, runtime)) return refusal(toolCall.id, 'the model of this run cannot see.');
      if (placeAmongCalls(toolCall, state.messages) < maxAtOnce) return handler(request);
      return refusal(
        toolCall.id,
        `at most ${maxAtOnce} pictures are looked at together. Ask for it afterwards.`,
      );
    },
  });
}

function seesPictures(
  models: AnsweringModels,
  { context, configurable }: { context?: unknown; configurable?: unknown },
): boolean {
  const requested = requestedModelOf(context, configurable);
  const asked = [requested.name, ...models.fallbacksOf(requested)];
  return asked.every((name) => models.configOf({ name })?.supports_vision === true);
}

/** Returns one message, or none. */
async function messagesOf(
  trees: FileTrees,
  whose: WorkspaceKey,
  paths: readonly string[],
): Promise<HumanMessage[]> {
  const content = (await Promise.all(paths.map((path) => blocksOf(trees, whose, path)))).flat();
  return content.length === 0 ? [] : [new HumanMessage({ content })];
}

async function blocksOf(trees: FileTrees, whose: WorkspaceKey, path: string) {
  try {
    const { base64, mime_type: type } = await readPicture(trees, whose, path);
    return [
      { type: 'text', text: `The picture ${path}:` },
      { type: 'image_url', image_url: { url: `data:${type};base64,${base64}` } },
    ];
  } catch (error) {
    // The picture was changed or removed after the tool looked at it.
    if (error instanceof ToolFailure) return [{ type: 'text', text: error.message }];
    throw error;
  }
}

function refusal(callId: string | undefined, reason: string): ToolMessage {
  return new ToolMessage({
    content: `Error: Tool '${viewImageName}' was refused: ${reason}`,
    tool_call_id: callId ?? '',
    name: viewImageName,
    status: 'error',
  });
}
