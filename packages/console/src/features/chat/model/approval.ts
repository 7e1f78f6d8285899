import { isRecord } from '../../../lib/is-record.ts';
import type { LiveInterrupt } from '../../../lib/live/run-news.ts';

export type Decision = 'approve' | 'edit' | 'reject';

/** One action that waits for a human. */
export interface ActionRequest {
  name: string;
  args: Record<string, unknown>;
  description: string;
  allowed: Decision[];
}

/** What a human is asked; its decisions are answered together, in this order. */
export interface Approval {
  interruptId: string | null;
  actions: ActionRequest[];
}

/** Reads the questions of a thread in the form of LangChain's middleware. Others are left to `otherQuestions`. */
export function approvalsIn(interrupts: readonly LiveInterrupt[]): Approval[] {
  return interrupts.flatMap(({ id, value }) => {
    const actions = actionsIn(value);
    return actions.length === 0 ? [] : [{ interruptId: id ?? null, actions }];
  });
}

/** Questions in a form that an agent of a user's own chose. */
export function otherQuestions(interrupts: readonly LiveInterrupt[]): LiveInterrupt[] {
  return interrupts.filter(({ value }) => actionsIn(value).length === 0);
}

function actionsIn(value: unknown): ActionRequest[] {
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

/** The `resume` of a run that answers these questions. */
export function resumeOf(approvals: readonly Approval[], answers: readonly (readonly Answer[])[]): unknown {
  const [only, ...others] = approvals.map(({ actions, interruptId }, index) => {
    const decisions = actions.map(({ name }, place) => decisionOf(answers[index]?.[place], name));
    return { interruptId, value: { decisions } };
  });
  if (only && others.length === 0) return only.value;
  return Object.fromEntries(
    [only, ...others].flatMap((one) => (one?.interruptId ? [[one.interruptId, one.value]] : [])),
  );
}

function decisionOf(answer: Answer | undefined, name: string): object {
  if (answer?.type === 'approve') return { type: 'approve' };
  if (answer?.type === 'edit') return { type: 'edit', edited_action: { name, args: answer.args } };
  const message = answer?.message ?? '';
  return message === '' ? { type: 'reject' } : { type: 'reject', message };
}
