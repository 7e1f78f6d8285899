import type { RunNews } from '../../lib/live/run-news.ts';
import type { LiveWorkerTask } from '../../lib/live/run-worker-tasks.ts';

interface ReplyParts {
  /** The text of the agent before it used the pool. */
  before: string;
  tasks: LiveWorkerTask[];
  /** The text of the agent about the result. */
  after: string;
}

/** The last turn of a run in the order in which it happened: words, tasks, words. */
export function replyParts({ messages, tasks }: Pick<RunNews, 'messages' | 'tasks'>): ReplyParts {
  const lastQuestion = messages.findLastIndex(({ type }) => type === 'human');
  const turn = messages.slice(lastQuestion + 1);
  const firstResult = turn.findIndex(({ type }) => type === 'tool');
  const isSaid = ({ type }: { type: string }) => type === 'ai' || type === 'AIMessageChunk';
  const words = (part: readonly (typeof turn)[number][]) =>
    part
      .filter(isSaid)
      .map(({ content }) => withoutLinks(textOf(content)))
      .filter((said) => said !== '')
      .join('\n\n');
  const split = firstResult === -1 ? turn.length : firstResult;
  return { before: words(turn.slice(0, split)), tasks: [...tasks.values()], after: words(turn.slice(split)) };
}

/** The name of a link stands for it: signed addresses are long, and the pictures are shown beside. */
function withoutLinks(markdown: string): string {
  return markdown.replace(/!?\[([^\]]*)\]\([^)\s]*\)/g, '$1');
}

/** A message is a text, or a list of parts of which some are texts. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content.trim();
  if (!Array.isArray(content)) return '';
  return content
    .map((part: unknown) => (isText(part) ? part.text : ''))
    .join('')
    .trim();
}

function isText(part: unknown): part is { text: string } {
  return typeof part === 'object' && part !== null && 'text' in part && typeof part.text === 'string';
}
