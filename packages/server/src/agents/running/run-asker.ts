import { deadline } from '../../lib/async/deadline.ts';
import { once } from '../../lib/once.ts';
import { loadLangchain } from '../langchain.ts';
import type { ChatModelsOptions } from '../models/chat-models.ts';
import { requestedModelOf } from '../models/requested-model.ts';
import type { AgentRunRequest, AgentRunTools } from '../run-contract/agent-run.ts';

interface Question {
  /** Names the part of the gateway that asks; tokens are counted under it. */
  tag: `middleware:${string}`;
  request: AgentRunRequest;
  tools: AgentRunTools;
}

/** Asks the model of a run for the gateway's own purposes, outside of its graph. The call is recorded with the run. */
export type AskInRun = (prompt: string, question: Question) => Promise<string>;

const maxCallMs = 60_000;

export function runAsker(options: ChatModelsOptions): AskInRun {
  const loaded = once(() =>
    loadLangchain(async () => {
      const { ChatModels } = await import('../models/chat-models.ts');
      const { RunObserver } = await import('./run-observer.ts');
      return { models: new ChatModels(options), RunObserver };
    }),
  );
  return async (prompt, { tag, request, tools }) => {
    const { models, RunObserver } = await loaded();
    const { name } = requestedModelOf(request.context, request.config.configurable);
    const model = await models.of({ name, thinking: false, effort: null });
    const { signal } = deadline(maxCallMs, tools.signal);
    const callbacks = [new RunObserver(tools.recorder, { signal: tools.signal, meter: tools.meter })];
    return (await model.invoke(prompt, { tags: [tag, 'nostream'], signal, callbacks })).text;
  };
}
