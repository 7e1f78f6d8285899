/** A question of an agent to a person, as its stream and its thread show it. */
export interface Interrupt {
  id?: string | undefined;
  value: unknown;
}

const decisions = ['approve', 'reject'] as const;

/** The question for the person, as text. */
export function questionOf(interrupts: readonly Interrupt[]): string {
  return interrupts.map(({ value }) => questionIn(value)).join('\n');
}

/**
 * The answer to the agent: a decision on each action that waits for approval, JSON as JSON, and any other text
 * unchanged.
 */
export function answerTo(interrupts: readonly Interrupt[], text: string): unknown {
  const actions = interrupts.flatMap(({ value }) => actionsIn(value));
  const [word = '', ...reason] = text.trim().split(/\s+/);
  const type = decisions.find((decision) => decision === word.toLowerCase());
  if (actions.length === 0 || type === undefined) return jsonOr(text);
  const message = reason.join(' ');
  return { decisions: actions.map(() => ({ type, ...(message !== '' && { message }) })) };
}

function questionIn(value: unknown): string {
  const actions = actionsIn(value);
  if (actions.length === 0) return typeof value === 'string' ? value : JSON.stringify(value);
  return [...actions.map(wordsFor), 'Answer "approve", or "reject" and why.'].join('\n');
}

interface Action {
  name?: unknown;
  args?: unknown;
  description?: unknown;
}

function actionsIn(value: unknown): Action[] {
  if (typeof value !== 'object' || value === null || !('action_requests' in value)) return [];
  return Array.isArray(value.action_requests) ? value.action_requests : [];
}

function wordsFor({ name, args, description }: Action): string {
  if (typeof description === 'string' && description !== '') return description;
  return `${name} ${JSON.stringify(args)}`;
}

function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
