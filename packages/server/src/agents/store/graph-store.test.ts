import { AsyncBatchedStore } from '@langchain/langgraph-checkpoint';
import { expect, it } from 'vitest';
import { graphStores } from './graph-store.ts';
import type { StoreItems } from './store-items.ts';

it('a LangGraph whose queue has other methods is refused, by the name of what is missing', () => {
  const { search } = AsyncBatchedStore.prototype;
  Reflect.deleteProperty(AsyncBatchedStore.prototype, 'search');
  try {
    expect(() => graphStores({} as StoreItems)).toThrow(
      "search of LangGraph's AsyncBatchedStore: no such methods. Read docs/adr/0042",
    );
  } finally {
    AsyncBatchedStore.prototype.search = search;
  }
});
