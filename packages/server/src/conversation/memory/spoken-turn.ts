import { type MessageContent, messageText } from '../../agents/message-text.ts';
import { wellFormed } from '../../lib/storable-text.ts';

export interface SpokenMessage {
  role: 'user' | 'assistant';
  text: string;
}

/** The user's messages in one turn, and the answers to them. */
export interface SpokenTurn {
  /** The answer before it, which the user may be referring to. */
  before: string | null;
  said: SpokenMessage[];
}

/** A message in the form of a thread's state. */
type Message = Record<string, unknown>;

/** This many of the newest messages are searched. A turn is much shorter, apart from messages of tools. */
const maxMessages = 200;
/** Usually there are two. */
const maxSpokenMessages = 8;
const maxTextLength = 4_000;
const maxBeforeLength = 1_000;

/**
 * The last turn of a conversation: messages of the user and answers, without calls and results of tools, without messages that
 * are hidden from the user, and without lists of uploaded files. Null when the user has said nothing.
 */
export function spokenTurnIn({ messages }: { messages?: unknown }): SpokenTurn | null {
  const all = Array.isArray(messages) ? (messages.slice(-maxMessages) as Message[]) : [];
  const said = all.flatMap(spokenIn);
  const last = said.findLastIndex(({ role }) => role === 'user');
  if (last < 0) return null;
  const before = said.slice(0, last + 1).findLastIndex(({ role }) => role === 'assistant');
  return {
    before: said[before] ? cut(said[before].text, maxBeforeLength) : null,
    said: said
      .slice(before + 1)
      .slice(-maxSpokenMessages)
      .map(({ role, text }) => ({ role, text: cut(text, maxTextLength) })),
  };
}

function spokenIn(message: Message): SpokenMessage[] {
  const role = roleOf(message);
  if (!role || isHidden(message)) return [];
  const text = plainText(messageText(message.content as MessageContent));
  return text === '' ? [] : [{ role, text }];
}

function roleOf({ type, tool_calls: calls }: Message): SpokenMessage['role'] | null {
  if (type === 'human') return 'user';
  const callsTools = Array.isArray(calls) && calls.length > 0;
  return type === 'ai' && !callsTools ? 'assistant' : null;
}

/** Messages of middleware: a summary of older messages, or one that the user never sees. */
function isHidden({ name, additional_kwargs: extra }: Message): boolean {
  const { hide_from_ui: isKept, lc_source: source } = (extra ?? {}) as Message;
  return name === 'summary' || source === 'summarization' || isKept === true;
}

/** Without reasoning, and without the list of uploads that some clients put before the user's text. */
function plainText(text: string): string {
  return text.replace(/<(think|thinking|uploaded_files)>[\s\S]*?<\/\1>/g, '').trim();
}

function cut(text: string, maxLength: number): string {
  return wellFormed(text.slice(0, maxLength));
}
