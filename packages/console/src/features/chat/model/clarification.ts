import { isRecord } from '@switchyard/contract/is-record';
import { clarificationTool } from './pool-tools.ts';
import type { ToolPart, Turn } from './turn.ts';

export interface Clarification {
  question: string;
  context: string | null;
  options: string[];
}

/** The question of a call, as the model wrote it; null for other tools and while it is still being written. */
export function clarificationIn({ name, args }: Pick<ToolPart, 'name' | 'args'>): Clarification | null {
  if (name !== clarificationTool || !isRecord(args) || typeof args.question !== 'string') return null;
  const { question, context, options } = args;
  const words = Array.isArray(options) ? options.filter((option) => typeof option === 'string') : [];
  return { question, context: typeof context === 'string' ? context : null, options: words };
}

/** Returns whether the turn ended with a question, so that the next message answers it. */
export function endsWithQuestion(turn: Turn | undefined): boolean {
  const last = turn?.parts.at(-1);
  return last?.kind === 'tool' && clarificationIn(last) !== null;
}
