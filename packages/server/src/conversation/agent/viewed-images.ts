import { type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { Command } from '@langchain/langgraph';
import { createMiddleware } from 'langchain';
import { callsOf } from './dangling-calls.ts';
import type { AnsweringModels } from './models/answering-model.ts';
import { wishOf } from './models/model-wish.ts';
import { threadState, type ViewedImages } from './thread-state.ts';
import { FileTrees, type FileTreesOptions } from './tools/files/file-trees.ts';
import { viewImageName, viewImageTool } from './tools/files/view-image.ts';

/** Each is held by a checkpoint and sent to the provider whole. */
const mostAtOnce = 4;

/**
 * Shows the model the pictures that it has asked to look at, in the call after that and in no other: they are put beside the
 * messages of the call, and taken out of the state with its answer. Only where the run's model can see, and the models that
 * are asked in its place when it fails.
 */
export function viewedImages(models: AnsweringModels, files: FileTreesOptions) {
  return createMiddleware({
    name: 'ViewImageMiddleware',
    stateSchema: threadState,
    tools: [viewImageTool(new FileTrees(files))],
    wrapModelCall: async (request, handler) => {
      const { messages, tools, runtime } = request;
      const viewed = request.state.viewed_images ?? {};
      const canSee = seesPictures(models, runtime);
      // A question of the user begins anew, whatever a run that was stopped, or a client, has left here.
      const isAsked = canSee && messages.at(-1)?.type === 'tool' && Object.keys(viewed).length > 0;
      const answer = await handler({
        ...request,
        tools: canSee ? tools : tools.filter(({ name }) => name !== viewImageName),
        messages: isAsked ? [...messages, messageOf(viewed)] : messages,
      });
      return Object.keys(viewed).length === 0 ? answer : new Command({ update: { viewed_images: {} } });
    },
    wrapToolCall: (request, handler) => {
      const { toolCall, state, runtime } = request;
      if (toolCall.name !== viewImageName) return handler(request);
      if (!seesPictures(models, runtime)) return refusal(toolCall.id, 'the model of this run cannot see.');
      if (placeOf(toolCall.id, state.messages) < mostAtOnce) return handler(request);
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

function messageOf(viewed: ViewedImages): HumanMessage {
  const blocks = Object.entries(viewed).flatMap(([path, { base64, mime_type: type }]) => [
    { type: 'text', text: `The picture ${path}:` },
    { type: 'image_url', image_url: { url: `data:${type};base64,${base64}` } },
  ]);
  return new HumanMessage({ content: blocks });
}

/** Which of those that were asked for together it is; from the messages, so that a repeated call is the same one. */
function placeOf(callId: string | undefined, messages: readonly BaseMessage[]): number {
  const asking = messages.findLast(({ type }) => type === 'ai');
  const calls = asking ? callsOf(asking) : [];
  return calls.filter(({ name }) => name === viewImageName).findIndex(({ id }) => id === callId);
}

function refusal(callId: string | undefined, reason: string): ToolMessage {
  return new ToolMessage({
    content: `Error: Tool '${viewImageName}' was refused: ${reason}`,
    tool_call_id: callId ?? '',
    name: viewImageName,
    status: 'error',
  });
}
