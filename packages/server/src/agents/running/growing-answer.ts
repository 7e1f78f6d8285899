import { demoModelName } from '../demo/demo-model-name.ts';
import { type MessageContent, messageText } from '../message-text.ts';
import { stoppedMark } from '../run-contract/run-marks.ts';
import type { ObservedCall } from './observed-calls.ts';
import type { Message } from './observed-messages.ts';

/** An answer of a model that is being streamed. */
export class GrowingAnswer {
  readonly call: ObservedCall;
  readonly #texts: string[] = [];
  #id: string | undefined;

  constructor(call: ObservedCall) {
    this.call = call;
  }

  add({ id, content }: Message): void {
    if (typeof id === 'string') this.#id ??= id;
    this.#texts.push(messageText(content as MessageContent));
  }

  /**
   * Returns the answer as far as it has come, as a message of the state, or undefined when no text has come. Calls of tools may be
   * incomplete, and providers refuse thoughts that are cut off, so both are left out.
   */
  cutOff(): Message | undefined {
    const content = this.#texts.join('');
    if (content.trim() === '') return undefined;
    const { model } = this.call;
    return {
      type: 'ai',
      ...(this.#id !== undefined && { id: this.#id }),
      content,
      additional_kwargs: { ...stoppedMark },
      response_metadata: {
        ...(model !== null && { model_name: model }),
        ...(model === demoModelName && { simulated: true }),
        finish_reason: 'stopped',
      },
    };
  }
}
