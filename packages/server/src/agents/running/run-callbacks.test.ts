import { BaseCallbackHandler } from '@langchain/core/callbacks/base';
import { CallbackManager } from '@langchain/core/callbacks/manager';
import type { ChainValues } from '@langchain/core/utils/types';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RunCallbacks } from './run-callbacks.ts';
import { RunObserver } from './run-observer.ts';

/** What a handler has been told. */
const callsOf = new WeakMap<BaseCallbackHandler, unknown[][]>();

function listening<Handler extends BaseCallbackHandler>(handler: Handler): Handler {
  const calls: unknown[][] = [];
  callsOf.set(handler, calls);
  return Object.assign(handler, {
    handleChainStart: (...given: unknown[]) => void calls.push(['start', ...given]),
    handleChainEnd: (...given: unknown[]) => void calls.push(['end', ...given]),
    handleChainError: (...given: unknown[]) => void calls.push(['error', ...given]),
  });
}

function named(name: string): BaseCallbackHandler {
  return listening(Object.assign(BaseCallbackHandler.fromMethods({}), { name, awaitHandlers: true }));
}

function watching(): RunObserver {
  return listening(new RunObserver({} as ConstructorParameters<typeof RunObserver>[0]));
}

const names = fc.uniqueArray(fc.constantFrom('a', 'b', 'console_callback_handler', 'c'));
const words = fc.uniqueArray(fc.constantFrom('x', 'y', 'z'));
const records = fc.dictionary(fc.constantFrom('k', 'l', 'm'), fc.integer());

interface Filling {
  handlers: BaseCallbackHandler[];
  tags: string[];
  metadata: Record<string, unknown>;
}

function filled<Manager extends CallbackManager>(manager: Manager, own: Filling, passedOn: Filling): Manager {
  for (const [filling, inherit] of [
    [passedOn, true],
    [own, false],
  ] as const) {
    for (const handler of filling.handlers) manager.addHandler(handler, inherit);
    manager.addTags(filling.tags, inherit);
    manager.addMetadata(filling.metadata, inherit);
  }
  return manager;
}

const shownBy = ({ handlers, inheritableHandlers, tags, inheritableTags, ...rest }: CallbackManager) => ({
  handlers: handlers.map(({ name }) => name),
  inheritableHandlers: inheritableHandlers.map(({ name }) => name),
  tags,
  inheritableTags,
  metadata: rest.metadata,
  inheritableMetadata: rest.inheritableMetadata,
  parent: rest._parentRunId,
});

const fillings = fc.record({
  handlers: names.map((all) => all.map((name) => named(name))),
  tags: words,
  metadata: records,
});

describe('callbacks of a run are those of LangChain', () => {
  it('as a copy', () => {
    fc.assert(
      fc.property(fillings, fillings, fillings, fc.boolean(), (own, passedOn, added, inherit) => {
        const [ours, theirs] = [new RunCallbacks('parent'), new CallbackManager('parent')].map((manager) =>
          shownBy(filled(manager, own, passedOn).copy(added.handlers, inherit)),
        );
        expect(ours).toEqual(theirs);
      }),
    );
  });

  it('as a copy that is changed, which leaves the original as it was', () => {
    const original = filled(
      new RunCallbacks('parent'),
      { handlers: [], tags: ['x'], metadata: { k: 1 } },
      { handlers: [named('a')], tags: ['y'], metadata: { l: 2 } },
    );
    const before = structuredClone(shownBy(original));
    const copy = original.copy([named('b')]);
    copy.addTags(['z']);
    copy.removeMetadata({ k: 1, l: 2 });
    copy.removeHandler(copy.handlers[0] as BaseCallbackHandler);
    expect(shownBy(original)).toEqual(before);
  });

  it('as what a chain passes on to its steps', async () => {
    await fc.assert(
      fc.asyncProperty(
        fillings,
        fillings,
        fc.option(fc.constant('seq:step:1')),
        async (own, passedOn, tag) => {
          const children = [new RunCallbacks('parent'), new CallbackManager('parent')].map(
            async (manager) => {
              const chain = await filled(manager, own, passedOn).handleChainStart({} as never, {}, 'run');
              return shownBy(chain.getChild(tag ?? undefined));
            },
          );
          const [ours, theirs] = await Promise.all(children);
          expect(ours).toEqual(theirs);
        },
      ),
    );
  });
});

describe('what a handler is told', () => {
  const told = async (
    Manager: typeof CallbackManager,
    handlers: BaseCallbackHandler[],
    outcome: 'end' | 'error',
  ): Promise<void> => {
    const manager = new Manager('parent');
    manager.setHandlers(handlers);
    manager.addTags(['x']);
    manager.addMetadata({ k: 1 });
    const chain = await manager.handleChainStart({} as never, { in: 1 }, 'run', 'tool', [], {}, 'node');
    if (outcome === 'end') await chain.handleChainEnd({ out: 1 } as ChainValues);
    else await chain.handleChainError(new Error('no'));
  };

  it.each(['end', 'error'] as const)('is the same for an observer alone: %s', async (outcome) => {
    const [alone, theirs] = [watching(), watching()];
    await told(RunCallbacks as typeof CallbackManager, [alone], outcome);
    await told(CallbackManager, [theirs], outcome);
    const calls = callsOf.get(alone) ?? [];
    expect(calls).toHaveLength(2);
    const [start, end] = (callsOf.get(theirs) ?? []).map((call) => call.slice(0, 9));
    expect(calls[0]).toEqual(start);
    expect(calls[1]).toEqual(end?.slice(0, 3));
  });

  it.each(['end', 'error'] as const)('reaches everybody beside an observer: %s', async (outcome) => {
    const [observer, other] = [watching(), named('a')];
    const [theirObserver, theirOther] = [watching(), named('a')];
    await told(RunCallbacks as typeof CallbackManager, [observer, other], outcome);
    await told(CallbackManager, [theirObserver, theirOther], outcome);
    expect(callsOf.get(other)).toHaveLength(2);
    expect(callsOf.get(observer)).toEqual(callsOf.get(theirObserver));
    expect(callsOf.get(other)).toEqual(callsOf.get(theirOther));
  });

  it('that fails ends the chain, as everything that cannot be recorded does', async () => {
    const observer = watching();
    observer.handleChainEnd = () => {
      throw new Error('the disk is full');
    };
    await expect(told(RunCallbacks as typeof CallbackManager, [observer], 'end')).rejects.toThrow('disk');
  });
});
