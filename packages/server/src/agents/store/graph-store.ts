import {
  AsyncBatchedStore,
  BaseStore,
  type Item,
  type ListNamespacesOperation,
  type MatchCondition,
  type Operation,
  type OperationResults,
} from '@langchain/langgraph-checkpoint';
import type { Owner } from '../../lib/owner.ts';
import type { FoundItem, StoreItems } from './store-items.ts';

/** Makes a separate store for each user, for their graphs. */
export function graphStores(items: StoreItems): (userId: string) => BaseStore {
  handOnAtOnce();
  return (userId) => new GraphStore(items, userId);
}

/**
 * The store that graphs reach: the items of the user for whom they run, which the store routes show as well. Without an
 * index of meanings a `query` does not rank, as in LangGraph's own stores without one.
 */
class GraphStore extends BaseStore {
  readonly #items: StoreItems;
  readonly #owner: Owner;

  constructor(items: StoreItems, userId: string) {
    super();
    this.#items = items;
    this.#owner = { user: userId };
  }

  override async batch<Op extends Operation[]>(operations: Op): Promise<OperationResults<Op>> {
    const results: unknown[] = [];
    // One after the other, because a later operation may read what an earlier one has written.
    for (const operation of operations) results.push(await this.#apply(operation));
    return results as OperationResults<Op>;
  }

  async #apply(operation: Operation): Promise<unknown> {
    if ('namespacePrefix' in operation) {
      const { namespacePrefix: prefix, filter = {}, limit = 10, offset = 0, query } = operation;
      return (await this.#items.search(this.#owner, { prefix, filter, limit, offset, query })).map(graphItem);
    }
    if ('value' in operation) {
      const { namespace, key, value, index } = operation;
      if (value === null) return this.#items.delete(this.#owner, namespace, key);
      return this.#items.put(this.#owner, namespace, { key, value, index: index ?? null });
    }
    if ('key' in operation) {
      const item = await this.#items.get(this.#owner, operation.namespace, { key: operation.key });
      return item && graphItem(item);
    }
    return this.#list(operation);
  }

  async #list({
    matchConditions = [],
    maxDepth,
    limit,
    offset,
  }: ListNamespacesOperation): Promise<string[][]> {
    const pathOf = (type: MatchCondition['matchType']) =>
      matchConditions.find(({ matchType }) => matchType === type)?.path ?? [];
    const search = { prefix: pathOf('prefix'), suffix: pathOf('suffix'), maxDepth, limit, offset };
    return this.#items.namespaces(this.#owner, search);
  }
}

function graphItem({ created_at, updated_at, ...item }: FoundItem): Item {
  return { ...item, createdAt: new Date(created_at), updatedAt: new Date(updated_at) };
}

/**
 * LangGraph puts a queue of its own in front of each run's store. It looks into that queue a thousand times a second as long as
 * the run lasts, even when the graph does not use the store: one waiting run takes a twentieth of a processor. LangGraph offers
 * no way around the queue, so the methods of these stores are replaced by the following ones, which call our store at once.
 */
class DirectStore extends AsyncBatchedStore {
  override start(): void {}

  override async stop(): Promise<void> {}

  override batch<Op extends Operation[]>(operations: Op): Promise<OperationResults<Op>> {
    return this.store.batch(operations);
  }
}

const queueMethods = ['start', 'stop', 'batch'] as const;
/** These would put an operation into the queue. Those of the base class call `batch`. */
const queuedOperations = ['get', 'search', 'put', 'delete'] as const;

/** Throws when a later LangGraph has other methods, because runs would then wait for a queue that no one empties. */
function handOnAtOnce(): void {
  const missing = [...queueMethods, ...queuedOperations].filter(
    (name) => !Object.hasOwn(AsyncBatchedStore.prototype, name),
  );
  if (missing.length > 0)
    throw new Error(`${missing.join(', ')} of LangGraph's AsyncBatchedStore: ${advice}`);
  for (const name of queueMethods)
    Object.assign(AsyncBatchedStore.prototype, { [name]: DirectStore.prototype[name] });
  for (const name of queuedOperations)
    Object.assign(AsyncBatchedStore.prototype, { [name]: BaseStore.prototype[name] });
}

const advice =
  'no such methods. Read docs/adr/0042-what-libraries-do-not-promise.md before you take this version.';
