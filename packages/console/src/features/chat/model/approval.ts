import { isRecord } from '@switchyard/contract/is-record';
import type { LiveInterrupt } from '../../../lib/live/run-news.ts';

export type Decision = 'approve' | 'edit' | 'reject';

/** One action that waits for a human. */
export interface ActionRequest {
  name: string;
  args: Record<string, unknown>;
  description: string;
  allowed: Decision[];
}

/** The actions that wait for a decision, as LangChain's middleware asks for it. Any other question has none. */
export function actionsIn(value: unknown): ActionRequest[] {
  if (!isRecord(value)) return [];
  const requests = value.action_requests ?? value.actionRequests;
  const reviews = value.review_configs ?? value.reviewConfigs;
  if (!Array.isArray(requests)) return [];
  return requests.flatMap((request: unknown) => {
    if (!isRecord(request) || typeof request.name !== 'string') return [];
    const { name, description } = request;
    const args = isRecord(request.args) ? request.args : {};
    const words = typeof description === 'string' ? description : '';
    return { name, args, description: words, allowed: allowedFor(name, reviews) };
  });
}

const every: Decision[] = ['approve', 'edit', 'reject'];

function allowedFor(name: string, reviews: unknown): Decision[] {
  if (!Array.isArray(reviews)) return every;
  const review: unknown = reviews.find(
    (config: unknown) => isRecord(config) && (config.action_name ?? config.actionName) === name,
  );
  if (!isRecord(review)) return every;
  const allowed = review.allowed_decisions ?? review.allowedDecisions;
  return Array.isArray(allowed) ? every.filter((decision) => allowed.includes(decision)) : every;
}

export type Answer =
  | { type: 'approve' }
  | { type: 'edit'; args: Record<string, unknown> }
  | { type: 'reject'; message: string };

/** Returns the answer to a question about these actions. */
export function decisionsOf(actions: readonly ActionRequest[], answers: readonly (Answer | null)[]): object {
  return { decisions: actions.map(({ name }, place) => decisionOf(answers[place], name)) };
}

/** Names a question among those of a run, whose order may change when they are read again. */
export function questionKey({ id }: LiveInterrupt, place: number): string {
  return id ?? String(place);
}

/** The `resume` of a run that answers these questions: the answer to the only one, or all of them by id. */
export function resumeOf(
  interrupts: readonly LiveInterrupt[],
  answers: ReadonlyMap<string, unknown>,
): unknown {
  const [first, ...others] = interrupts;
  if (first && others.length === 0) return answers.get(questionKey(first, 0));
  return Object.fromEntries(
    interrupts.flatMap(({ id }) => (id === undefined ? [] : [[id, answers.get(id)]])),
  );
}

function decisionOf(answer: Answer | null | undefined, name: string): object {
  if (answer?.type === 'approve') return { type: 'approve' };
  if (answer?.type === 'edit') return { type: 'edit', edited_action: { name, args: answer.args } };
  const message = answer?.message ?? '';
  return message === '' ? { type: 'reject' } : { type: 'reject', message };
}
