import { HumanMessage, ToolMessage } from '@langchain/core/messages';
import { Command } from '@langchain/langgraph';
import { createMiddleware } from 'langchain';
import type { AnsweringModels } from '../models/answering-model.ts';
import { wishOf } from '../models/model-wish.ts';
import { runHandleOf } from '../run-handle.ts';
import { threadState } from '../state/thread-state.ts';
import { FileTrees, type FileTreesOptions } from '../tools/files/file-trees.ts';
import { readPicture, viewImageName, viewImageTool } from '../tools/files/view-image.ts';
import { ToolFailure } from '../tools/tool-failure.ts';
import type { WorkspaceKey } from '../tools/workspace.ts';
import { placeAmongCalls } from './called-tools.ts';

/** Each is sent to the provider whole. */
const mostAtOnce = 4;

/**
 * Shows the model the pictures that it has asked to look at, in the call after that and in no other: they are put beside the
 * messages of the call, and taken out of the state with its answer. Only where the run's model can see, and the models that
 * are asked in its place when it fails.
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
      // A question of the user begins anew, whatever a run that was stopped, or a client, has left here.
      const isAsked = canSee && messages.at(-1)?.type === 'tool';
      const pictures = isAsked && run ? await messagesOf(trees, run, viewed.slice(0, mostAtOnce)) : [];
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
      if (placeAmongCalls(toolCall, state.messages) < mostAtOnce) return handler(request);
      return refusal(
        toolCall.id,
        `at most ${mostAtOnce} pictures are looked at together. Ask for it afterwards.`,
      );
    },
  });
}

function seesPictures(
  models: AnsweringModels,
  { context, configurable }: { context?: unknown; configurable?: unknown },
): boolean {
  const wish = wishOf(context, configurable);
  const asked = [wish.name, ...models.fallbacksOf(wish)];
  return asked.every((name) => models.configOf({ name })?.supports_vision === true);
}

/** One message, or none. */
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
    // It was changed or taken away since the tool looked at it.
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
