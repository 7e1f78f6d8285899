import { type MessageContent, textOf } from '../../agents/message-text.ts';
import { wellFormed } from '../journal/well-formed.ts';

export interface Said {
  role: 'user' | 'assistant';
  text: string;
}

/** What was said in one turn: by the user, and to the user. */
export interface SpokenTurn {
  /** The answer before it, which may be what the user speaks of. */
  before: string | null;
  said: Said[];
}

/** As a thread's state shows it. */
type Message = Record<string, unknown>;

/** Of the newest; a turn is far shorter, but for what tools have said in it. */
const mostMessages = 200;
/** As a rule it is two. */
const mostSaid = 8;
const longestText = 4_000;
const longestBefore = 1_000;

/**
 * The last turn of a conversation: messages of the user and answers, without calls and results of tools, without what is
 * hidden from the user, and without lists of uploaded files. Null when the user has said nothing.
 */
export function spokenTurnIn({ messages }: { messages?: unknown }): SpokenTurn | null {
  const all = Array.isArray(messages) ? (messages.slice(-mostMessages) as Message[]) : [];
  const said = all.flatMap(saidIn);
  const last = said.findLastIndex(({ role }) => role === 'user');
  if (last < 0) return null;
  const before = said.slice(0, last + 1).findLastIndex(({ role }) => role === 'assistant');
  return {
    before: said[before] ? cut(said[before].text, longestBefore) : null,
    said: said
      .slice(before + 1)
      .slice(-mostSaid)
      .map(({ role, text }) => ({ role, text: cut(text, longestText) })),
  };
}

function saidIn(message: Message): Said[] {
  const role = roleOf(message);
  if (!role || isHidden(message)) return [];
  const text = plainText(textOf(message.content as MessageContent));
  return text === '' ? [] : [{ role, text }];
}

function roleOf({ type, tool_calls: calls }: Message): Said['role'] | null {
  if (type === 'human') return 'user';
  const callsTools = Array.isArray(calls) && calls.length > 0;
  return type === 'ai' && !callsTools ? 'assistant' : null;
}

/** What middleware has put there: a summary of older messages, or something that the user never sees. */
function isHidden({ name, additional_kwargs: extra }: Message): boolean {
  const { hide_from_ui: isKept, lc_source: source } = (extra ?? {}) as Message;
  return name === 'summary' || source === 'summarization' || isKept === true;
}

/** Without thoughts, and without the list of uploads that some clients put before what the user says. */
function plainText(text: string): string {
  return text.replace(/<(think|thinking|uploaded_files)>[\s\S]*?<\/\1>/g, '').trim();
}

function cut(text: string, longest: number): string {
  return wellFormed(text.slice(0, longest));
}
