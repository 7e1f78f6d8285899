import { isRecord } from '@switchyard/contract/is-record';
/** The result of a run for a chat. The values come from graphs of all kinds, so any of them may be missing or different. */
export interface ChannelAnswer {
  text: string;
  /** Virtual paths of the files that the run made for the user. */
  artifacts: string[];
  /** Every artifact of the thread. */
  allArtifacts: string[];
  questions: Question[];
}

/** A question at which the run stopped. It continues with the answer. */
export interface Question {
  id: string | null;
  text: string;
  /** Number of decisions that the question asks for; null when it asks for words. */
  decisions: number | null;
}

export const answerTexts = {
  empty: '(No response from agent)',
  failed: 'An internal error occurred. Please try again.',
  timeout: 'This took too long and was stopped.',
  stopped: 'Stopped.',
  unreadable: 'I can read text and files only.',
} as const;

const outputs = '/mnt/user-data/outputs/';
const maxQuestionLength = 2_000;

export function answerOf(values: Record<string, unknown>, sentBefore: readonly string[]): ChannelAnswer {
  const turn = lastTurn(values.messages);
  const all = textsIn(values.artifacts).filter((path) => path.startsWith(outputs));
  const presented = turn.flatMap(presentedIn).filter((path) => path.startsWith(outputs));
  const fresh = all.filter((path) => !sentBefore.includes(path));
  const questions = questionsIn(values.__interrupt__);
  const asked = questions.map(({ text }) => text).join('\n\n');
  const said = finalText(turn);
  const text = [said, asked].filter((part) => part !== '').join('\n\n');
  return {
    text: text || answerTexts.empty,
    artifacts: [...new Set([...presented, ...fresh])],
    allArtifacts: all,
    questions,
  };
}

/** Returns the resume value of a run that stopped at these questions, or null when the text decides none of them. */
export function resumeOf(questions: readonly Question[], text: string): unknown {
  const answers = questions.map(({ id, decisions }) => ({ id, answer: answerTo(decisions, text) }));
  if (answers.some(({ answer }) => answer === null)) return null;
  const [first] = answers;
  if (answers.every(({ id }) => id !== null))
    return Object.fromEntries(answers.map(({ id, answer }) => [id, answer]));
  return first?.answer ?? null;
}

export const decisionText = 'Please answer "yes" or "no".';

function answerTo(decisions: number | null, text: string): unknown {
  if (decisions === null) return text;
  const word = text
    .trim()
    .toLowerCase()
    .replace(/[.!]+$/, '');
  const type = /^(y|yes|ok|okay|approve)$/.test(word)
    ? 'approve'
    : /^(n|no|reject)$/.test(word)
      ? 'reject'
      : null;
  return type && { decisions: Array.from({ length: decisions }, () => ({ type })) };
}

type Message = Record<string, unknown>;

/** Returns what came after the human's last message. */
function lastTurn(messages: unknown): Message[] {
  const list = Array.isArray(messages) ? messages.filter(isRecord) : [];
  const last = list.findLastIndex(({ type, role }) => type === 'human' || role === 'user');
  return list.slice(last + 1);
}

/** Returns the last words of the agent. A question that ends its turn is in the result of the tool that asked it. */
function finalText(turn: readonly Message[]): string {
  const last = turn.findLast((message) => isSpoken(message) && answerText(message.content) !== '');
  return last ? answerText(last.content) : '';
}

function isSpoken({ type, role, name }: Message): boolean {
  return type === 'ai' || role === 'assistant' || (type === 'tool' && name === 'ask_clarification');
}

function presentedIn({ tool_calls: calls }: Message): string[] {
  const found = Array.isArray(calls) ? calls.filter(isRecord) : [];
  return found
    .filter(({ name }) => name === 'present_files')
    .flatMap(({ args }) => (isRecord(args) ? Object.values(args).flatMap(textsIn) : []));
}

/** Returns the text, or the joined text blocks of a message that has several. */
export function answerText(content: unknown): string {
  if (typeof content === 'string') return content.trim();
  if (!Array.isArray(content)) return '';
  const texts = content.map((block) =>
    isRecord(block) && block.type === 'text' ? String(block.text ?? '') : '',
  );
  return texts.join('').trim();
}

function questionsIn(interrupts: unknown): Question[] {
  const list = Array.isArray(interrupts) ? interrupts.filter(isRecord) : [];
  return list.map(({ id, value }) => ({ id: typeof id === 'string' ? id : null, ...questionOf(value) }));
}

function questionOf(value: unknown): Pick<Question, 'text' | 'decisions'> {
  const requests = isRecord(value) ? (value.actionRequests ?? value.action_requests) : undefined;
  if (Array.isArray(requests)) {
    const actions = requests
      .filter(isRecord)
      .map(({ name, description }) => `${name}: ${description ?? ''}`.trim());
    return { text: cut([...actions, decisionText].join('\n')), decisions: requests.length };
  }
  const words = isRecord(value) && typeof value.question === 'string' ? value.question : value;
  return { text: cut(typeof words === 'string' ? words : JSON.stringify(words ?? '')), decisions: null };
}

function cut(text: string): string {
  return text.length <= maxQuestionLength ? text : `${text.slice(0, maxQuestionLength)}…`;
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
