import type { Agents } from '../../agents/loading/agents.ts';
import type { AskPlainly } from '../../agents/models/plain-model.ts';
import type { ModelConfig } from '../../config/models.ts';
import type { Assistants } from '../../conversation/catalog/assistants.ts';
import type { Runs } from '../../conversation/runs/runs.ts';
import type { ThreadAccess } from '../../conversation/threads/thread-access.ts';
import type { UsageStore } from '../../conversation/usage/usage-store.ts';
import type { DispatchArea } from '../../dispatch/create-dispatch.ts';
import type { Guard } from '../../http/access/guard.ts';
import type { Routes } from '../../http/app.ts';
import type { OpenStreams } from '../../http/streams/open-streams.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { StreamLog } from '../../platform/stream-log/stream-log.ts';
import { AgentAnswers } from './agent-answers.ts';
import { Images } from './images.ts';
import type { Download } from './input-pictures.ts';
import { ModelAnswers } from './model-answers.ts';
import { ModelList } from './model-list.ts';
import { openaiRoutes } from './openai-routes.ts';
import type { OpenaiTalk } from './talk-routes.ts';

/** What the door needs of the conversation area. */
export interface TalkParts {
  runs: Runs;
  access: ThreadAccess;
  agents: Pick<Agents, 'resolve'>;
  assistants: Assistants;
  usage: Pick<UsageStore, 'addCall'>;
  ask: AskPlainly;
  models: readonly ModelConfig[];
  modelNames: readonly string[];
}

interface OpenaiDoorOptions {
  /** Null when the area is switched off. */
  dispatch: DispatchArea | null;
  conversation: TalkParts | null;
  streamLog: StreamLog;
  download: Download;
  showsTools: boolean;
  guard: Pick<Guard, 'originOf'>;
  openStreams: OpenStreams;
  clock: Clock;
  log: Log;
}

/** Agents, models and workflows behind the API of OpenAI. It keeps nothing of its own: answers are runs, and pictures are tasks. */
export function createOpenaiDoor(options: OpenaiDoorOptions): Routes {
  const { dispatch, conversation, log } = options;
  return openaiRoutes({
    ...options,
    list: new ModelList({ conversation, dispatch }),
    talk: conversation && talkOf(options, conversation),
    images: dispatch && new Images({ ...dispatch, log }),
  });
}

function talkOf(
  { streamLog, showsTools, clock, log }: OpenaiDoorOptions,
  { runs, ask, models, modelNames, usage, ...parts }: TalkParts,
): OpenaiTalk {
  return {
    agents: new AgentAnswers({ ...parts, runs, models, streamLog, showsTools, log }),
    models: new ModelAnswers({ ask, names: modelNames, models, usage, clock, log }),
    threadOfRun: (userId) => async (runId) => {
      const run = await runs.look({ user: userId }, { threadId: null, runId });
      return run && run.delete_thread === 0 ? run.thread_id : null;
    },
  };
}
