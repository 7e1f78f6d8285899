import { ApiError, ConnectionError } from '@switchyard/client/errors';
import { errorCatalogue } from '@switchyard/contract/errors';
import { isRecord } from '@switchyard/contract/is-record';
import type { Sentence } from '@switchyard/contract/sentences/sentence';
import { faultsOf } from './faults.ts';

/**
 * The texts of a language for the gateway's messages. A language that has none shows the gateway's own, which is
 * English.
 */
export interface GatewayTexts {
  has: (key: string) => boolean;
  text: (key: string, values?: Record<string, string>) => string;
  time: (at: Date) => string;
}

/** A text of the gateway, and the same as codes. */
export interface GatewayMessage {
  message: string;
  sentences?: readonly Sentence[] | undefined;
}

/** Returns null when a sentence has no text in this language: then the gateway's text counts. */
export function wordSentences(sentences: readonly Sentence[], texts: GatewayTexts): string | null {
  if (sentences.length === 0 || !sentences.every(({ code }) => texts.has(`sentence.${code}`))) return null;
  return sentences
    .map((sentence) => wordSentence(sentence, texts))
    .reduce((first, next) => texts.text('join', { first, next }));
}

function wordSentence({ code, values }: Sentence, { has, text, time }: GatewayTexts): string {
  const { error = '', until = '', detail } = values;
  const shown = {
    ...values,
    ...(has(`taskError.${error}`) && { error: text(`taskError.${error}`) }),
    ...(until !== '' && { until: time(new Date(until)) }),
  };
  const sentence = text(`sentence.${code}`, shown);
  return detail === undefined ? sentence : text('detail', { sentence, detail });
}

/**
 * Returns the message of a failed request in the language of the page, and null when its code has no text in this
 * language.
 */
export function wordError(error: unknown, texts: GatewayTexts): string | null {
  const { has, text } = texts;
  const answer = error instanceof ApiError ? error : null;
  const ofText = answer ? codeOfText.get(answer.message) : undefined;
  const code = ofText ?? codeOf(error);
  if (code === null || !has(`error.${code}`)) return null;
  const names = namesIn(answer?.details);
  const said = answer && wordSentences(answer.sentences, texts);
  const message = wordFaults(error, texts) ?? said ?? (error as Error).message;
  return text(`error.${code}`, {
    message,
    own: ofText ? 'yes' : 'no',
    named: names.length > 0 ? 'yes' : 'no',
    names: names.join('、'),
  });
}

/**
 * The conversation area sends a sentence and no code. Its answer may be one of the catalogue, and no two errors of the
 * catalogue have the same text.
 */
const codeOfText: ReadonlyMap<string, string> = new Map(
  Object.entries(errorCatalogue).map(([code, { message }]) => [message, code]),
);

function codeOf(error: unknown): string | null {
  if (error instanceof ConnectionError) return error.fault;
  return error instanceof ApiError ? error.code : null;
}

/** A sentence that sends programs to a route. */
const routeAdvice = / (?:GET|POST|PUT|DELETE) \/api\/\S+ [^.]+\./g;

/**
 * Returns the message of a failed request in the gateway's own words. A page has neither a body nor routes, so `body.`
 * before the name of a field and advice for programs are left out.
 */
export function ownWords(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.replace(/^body\./, '').replace(routeAdvice, '');
}

/** What a program does about a file that no worker has; a page has a field for it. */
const fileAdvice = ': upload it and give the task { "$file": "<fileId>" } as the param';

/** A text in the gateway's own words. The code of a task's error is worded where the language has a word for it. */
export function ownText({ message, sentences = [] }: GatewayMessage, { has, text }: GatewayTexts): string {
  return sentences.reduce(
    (shown, { code, values: { error = '' } }) => {
      const isWorded = code === 'task_error' && has(`taskError.${error}`);
      return isWorded ? shown.replace(`${error}: `, `${text(`taskError.${error}`)}: `) : shown;
    },
    message.replace(fileAdvice, ''),
  );
}

/** The first fault of a field, and how many more there are. Returns null when it has no text in this language. */
function wordFaults(error: unknown, texts: GatewayTexts): string | null {
  const [first, ...others] = faultsOf(error);
  const fault = first && wordSentences(first.sentences ?? [], texts);
  if (!fault) return null;
  const told = texts.text('fault', { path: first.path.replace(/^body\./, ''), fault });
  return others.length === 0 ? told : texts.text('moreFaults', { first: told, count: `${others.length}` });
}

/** Returns the names in the details of an error, such as the nodes that no instance has. */
function namesIn(details: unknown): string[] {
  if (!Array.isArray(details)) return [];
  return details.flatMap((detail: unknown) =>
    isRecord(detail) && typeof detail.name === 'string' ? [detail.name] : [],
  );
}
