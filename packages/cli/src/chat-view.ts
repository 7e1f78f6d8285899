import { messageText } from '@switchyard/client/conversation/message-list';
import type { RunFrame } from '@switchyard/client/conversation/run-frame';
import type { StreamedMessage } from '@switchyard/contract/conversation/stream-frames';
import { argumentsLine, isModelRetry, linesFor, progressIn, resultLine } from './chat-events.ts';
import { plainLines, plainText } from './plain-text.ts';
import { type ProgressView, progressView } from './progress-view.ts';
import type { TaskState } from './task-board.ts';
import { type Colors, colorsFor, type Terminal } from './terminal.ts';

/** A run as it streams: the text of the answer on standard output, and all other events on standard error. */
export class ChatView {
  readonly #terminal: Terminal;
  readonly #colors: Colors;
  readonly #progress: ProgressView;
  #isProgressShown = false;
  #isMidLine = false;
  /** The message whose text arrived last, as far as it has arrived. */
  #current: { id: string | null | undefined; words: string } | undefined;
  /** True while a model call is running and part of its text is shown. */
  #isAnswering = false;
  /**
   * The text of a repeated model call, kept until it is complete, because the first try has already shown its own text.
   */
  #held: { id: string | null | undefined; words: string } | undefined;
  #simulatedBy: string | undefined;

  constructor(terminal: Terminal) {
    const { stderr, env } = terminal;
    this.#terminal = terminal;
    this.#colors = colorsFor(stderr, env);
    this.#progress = progressView(stderr, env);
  }

  show(frame: RunFrame): void {
    switch (frame.event) {
      case 'messages':
        if (frame.namespace.length === 0) this.#showWords(frame.data[0]);
        return;
      case 'updates':
        if (frame.namespace.length === 0) this.#showTools(frame.data);
        return;
      case 'custom':
        this.#showCustom(frame.data);
        return;
      case 'metadata':
        if (frame.data.attempt > 1) this.#beginAttempt();
        return;
      case 'disconnected': {
        const { reason, retryInMs } = frame.data;
        this.note(`(${reason} Trying again in ${Math.ceil(retryInMs / 1_000)} s.)`);
        return;
      }
      default:
    }
  }

  /** Shows a whole answer, unless all of it was shown as it arrived. */
  showWhole(message: StreamedMessage): void {
    if (this.#current?.id === message.id && this.#current?.words === wordsOf(message)) return;
    this.note('(Part of the answer was missed; this is the whole of it.)');
    this.#current = undefined;
    this.#showWords(message);
  }

  /** Writes a separate line to standard error. */
  note(text: string): void {
    this.#beginLine();
    this.#terminal.stderr.write(`${this.#colors.dim(plainText(text))}\n`);
  }

  /** Called after the last frame. */
  finish(): void {
    this.#showHeld();
    this.#beginLine();
    if (this.#simulatedBy !== undefined)
      this.note(`(A simulated answer of ${this.#simulatedBy}: no model is configured.)`);
  }

  /** The text that the first attempt had begun may come again from its beginning. */
  #beginAttempt(): void {
    this.note('(The gateway was restarted; the run goes on.)');
    this.#current = undefined;
    this.#held = undefined;
  }

  #showWords(message: StreamedMessage): void {
    if (message.type !== 'ai' && message.type !== 'AIMessageChunk') return;
    const { simulated, model_name: model } = message.response_metadata ?? {};
    if (simulated === true) this.#simulatedBy = plainText(String(model ?? 'a script'));
    const words = wordsOf(message);
    if (words === '') return;
    if (this.#held) this.#hold(message.id, words);
    else this.#write(message.id, words);
  }

  #write(id: string | null | undefined, words: string): void {
    this.#clearProgress();
    if (!this.#current || this.#current.id !== id) {
      this.#beginLine();
      this.#current = { id, words: '' };
    }
    this.#current.words += words;
    this.#terminal.stdout.write(words);
    this.#isMidLine = !words.endsWith('\n');
    this.#isAnswering = true;
  }

  /** When a call was tried several times, the last try counts. */
  #hold(id: string | null | undefined, words: string): void {
    const before = this.#held?.id === id ? (this.#held?.words ?? '') : '';
    this.#held = { id, words: before + words };
  }

  #showHeld(): void {
    const held = this.#held;
    this.#held = undefined;
    if (held && held.words !== '') this.#write(held.id, held.words);
    this.#isAnswering = false;
  }

  /** Shows what the nodes have added: tool calls before the tools run, and results afterwards. */
  #showTools(update: Record<string, unknown>): void {
    this.#showHeld();
    for (const message of Object.values(update).flatMap(addedMessages)) {
      for (const { name, args } of message.tool_calls ?? [])
        this.note(`→ ${name} ${argumentsLine(args)}`.trimEnd());
      if (message.type !== 'tool') continue;
      const mark = message.status === 'error' ? '✗' : '✓';
      this.note(`${mark} ${message.name ?? 'tool'}  ${resultLine(messageText(message))}`);
    }
  }

  #showCustom(data: unknown): void {
    const progress = progressIn(data);
    if (progress) this.#showProgress(progress);
    if (isModelRetry(data) && (this.#isAnswering || this.#held)) this.#held = { id: null, words: '' };
    for (const line of linesFor(data)) this.note(`  ${line}`);
  }

  #showProgress(state: TaskState): void {
    this.#beginLine();
    this.#progress.show(state, [state]);
    this.#isProgressShown = true;
  }

  #clearProgress(): void {
    if (this.#isProgressShown) this.#progress.clear();
    this.#isProgressShown = false;
  }

  #beginLine(): void {
    this.#clearProgress();
    if (this.#isMidLine) this.#terminal.stdout.write('\n');
    this.#isMidLine = false;
  }
}

function wordsOf(message: StreamedMessage): string {
  return plainLines(messageText(message));
}

/** Some nodes return all messages of the thread, which have been shown already. No node adds a human message. */
function addedMessages(update: unknown): StreamedMessage[] {
  const { messages } = (update ?? {}) as { messages?: unknown };
  const listed = ([messages].flat() as (StreamedMessage | undefined)[]).filter(
    (message): message is StreamedMessage => typeof message?.type === 'string',
  );
  return listed.some(({ type }) => type === 'human') ? [] : listed;
}
