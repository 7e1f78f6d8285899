import type { BaseCallbackHandler } from '@langchain/core/callbacks/base';
import { CallbackManager, CallbackManagerForChainRun } from '@langchain/core/callbacks/manager';
import { newTimeOrderedId } from '../../lib/ids.ts';
import type { RunRecord } from '../run-record.ts';
import { RunObserver } from './run-observer.ts';

type ChainStart = Parameters<CallbackManager['handleChainStart']>;
type ChainEnd = Parameters<CallbackManagerForChainRun['handleChainEnd']>;
type ChainError = Parameters<CallbackManagerForChainRun['handleChainError']>;

/**
 * LangChain copies the callbacks of a run several times in each step of a graph, which costs it the square of the number of
 * metadata, and takes six promises to call a handler. These share their metadata with their copies until one of them changes
 * its own, and an observer that is alone, which answers at once, is simply called: a short graph takes an eighth less time. To
 * everybody else they are LangChain's own.
 */
export class RunCallbacks extends CallbackManager {
  /** For the config of a run: whatever the graph calls inherits the observer. */
  static recording(recorder: RunRecord): RunCallbacks {
    const observer = new RunObserver(recorder);
    return new RunCallbacks(undefined, { handlers: [observer], inheritableHandlers: [observer] });
  }

  override copy(additionalHandlers: BaseCallbackHandler[] = [], inherit = true): RunCallbacks {
    const copy = new RunCallbacks(this._parentRunId, {
      handlers: [...this.handlers],
      inheritableHandlers: this.handlers.filter((handler) => this.inheritableHandlers.includes(handler)),
      tags: [...this.tags],
      inheritableTags: this.tags.filter((tag) => this.inheritableTags.includes(tag)),
      metadata: this.metadata,
      inheritableMetadata: chosen(this.metadata, this.inheritableMetadata),
    });
    for (const handler of additionalHandlers) {
      if (!(isConsole(handler) && copy.handlers.some(isConsole))) copy.addHandler(handler, inherit);
    }
    return copy;
  }

  /** The same metadata come again with each step. */
  override addMetadata(metadata: Record<string, unknown>, inherit = true): void {
    const isNew = !holds(this.metadata, metadata);
    if (isNew || (inherit && !holds(this.inheritableMetadata, metadata)))
      super.addMetadata(metadata, inherit);
  }

  override removeMetadata(metadata: Record<string, unknown>): void {
    this.metadata = { ...this.metadata };
    this.inheritableMetadata = { ...this.inheritableMetadata };
    super.removeMetadata(metadata);
  }

  override async handleChainStart(...given: ChainStart): Promise<CallbackManagerForChainRun> {
    const [chain, inputs, givenId, ...rest] = given;
    const runId = givenId ?? newTimeOrderedId();
    const observer = aloneIn(this.handlers);
    if (observer) {
      const { _parentRunId, tags, metadata } = this;
      const [runType, , , runName] = rest;
      observer.handleChainStart(chain, inputs, runId, _parentRunId, tags, metadata, runType, runName);
    } else {
      await super.handleChainStart(chain, inputs, runId, ...rest);
    }
    return new ChainCallbacks(
      runId,
      this.handlers,
      this.inheritableHandlers,
      this.tags,
      this.inheritableTags,
      this.metadata,
      this.inheritableMetadata,
      this._parentRunId,
    );
  }
}

class ChainCallbacks extends CallbackManagerForChainRun {
  override getChild(tag?: string): RunCallbacks {
    const { inheritableHandlers, inheritableTags, inheritableMetadata } = this;
    const child = new RunCallbacks(this.runId, {
      handlers: [...inheritableHandlers],
      inheritableHandlers: [...inheritableHandlers],
      tags: [...inheritableTags],
      inheritableTags: [...inheritableTags],
      metadata: inheritableMetadata,
      inheritableMetadata,
    });
    if (tag) child.addTags([tag], false);
    return child;
  }

  override async handleChainEnd(...given: ChainEnd): Promise<void> {
    const observer = aloneIn(this.handlers);
    if (!observer) return super.handleChainEnd(...given);
    observer.handleChainEnd(given[0], this.runId);
  }

  override async handleChainError(...given: ChainError): Promise<void> {
    const observer = aloneIn(this.handlers);
    if (!observer) return super.handleChainError(...given);
    observer.handleChainError(given[0], this.runId);
  }
}

/** As LangChain has it: under a key that is passed on, what is passed on is the value that counts here. */
function chosen(values: Record<string, unknown>, keys: Record<string, unknown>): Record<string, unknown> {
  if (holds(values, keys)) return keys;
  const some: Record<string, unknown> = {};
  for (const key of Object.keys(keys)) if (key in values) some[key] = values[key];
  return some;
}

function holds(values: Record<string, unknown>, some: Record<string, unknown>): boolean {
  if (values === some) return true;
  for (const key in some) if (values[key] !== some[key] || !(key in values)) return false;
  return true;
}

function aloneIn(handlers: readonly BaseCallbackHandler[]): RunObserver | undefined {
  const [first] = handlers;
  return handlers.length === 1 && first instanceof RunObserver ? first : undefined;
}

/** LangChain prints what happens once, however often it is asked to. */
function isConsole({ name }: BaseCallbackHandler): boolean {
  return name === 'console_callback_handler';
}
