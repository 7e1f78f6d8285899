import type { Log } from '../../lib/log.ts';
import { danglingCalls } from '../middleware/dangling-calls.ts';
import { planTodos } from '../middleware/plan-todos.ts';
import { repeatedCalls } from '../middleware/repeated-calls.ts';
import { summarization } from '../middleware/summarization.ts';
import { threadTitle } from '../middleware/thread-title.ts';
import { type AnsweringModels, answeringModel } from '../models/answering-model.ts';
import { modelFailure } from '../models/model-failure.ts';
import { toolErrors } from '../tools/tool-errors.ts';
import type { TurnSettings } from './turn-settings.ts';

/** Returns the middleware around the calls of a turn, the outermost first. */
export function turnMiddleware({
  models,
  turn,
  log,
}: {
  models: AnsweringModels;
  turn: TurnSettings;
  log: Pick<Log, 'warn'>;
}) {
  const hasModels = models.configOf({ name: null }) !== undefined;
  const isSummarised = hasModels && turn.summarization.enabled;
  return [
    // First, so that it sees the answer that the middleware after it leaves.
    ...(turn.title.enabled ? [threadTitle(models, { settings: turn.title, log })] : []),
    ...(isSummarised ? [summarization(models, { settings: turn.summarization, log })] : []),
    danglingCalls(),
    planTodos(),
    repeatedCalls(),
    modelFailure(log),
    answeringModel(models),
    toolErrors(log),
  ] as const;
}
