import { createElement, useEffect } from 'react';
import { create, type ReactTestRenderer } from 'react-test-renderer';

export interface ShownMessage {
  id: string;
  type: string;
  text: string;
}

/** What a hook gives to its component, in the words of no particular hook. */
export interface HookView {
  messages: ShownMessage[];
  isLoading: boolean;
  isThreadLoading: boolean;
  /** The number of questions that wait for the user. */
  questions: number;
  error: unknown;
  say(text: string): Promise<void>;
  answer(value: string): Promise<void>;
}

/** A chat that React renders in a window of its own. */
export class HookWindow {
  readonly #renderer: ReactTestRenderer;
  #view: HookView | undefined;
  #waiting: (() => void)[] = [];

  constructor(useChat: () => HookView) {
    const Chat = () => {
      const view = useChat();
      useEffect(() => this.#show(view));
      return null;
    };
    this.#renderer = create(createElement(Chat));
  }

  get view(): HookView {
    if (!this.#view) throw new Error('React has not rendered the window yet.');
    return this.#view;
  }

  /** Looks again each time React has rendered something new. */
  async until(isWanted: (view: HookView) => boolean): Promise<void> {
    while (!this.#view || !isWanted(this.#view))
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  close(): void {
    this.#renderer.unmount();
  }

  #show(view: HookView): void {
    this.#view = view;
    for (const look of this.#waiting.splice(0)) look();
  }
}
