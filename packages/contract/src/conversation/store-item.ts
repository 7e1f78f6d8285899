import { type Static, Type } from 'typebox';
import { isoTime } from '../shapes.ts';
import { openRecord } from './thread.ts';

export const storeItem = Type.Object({
  namespace: Type.Array(Type.String()),
  key: Type.String(),
  value: openRecord(),
  created_at: isoTime,
  updated_at: isoTime,
});
export type StoreItem = Static<typeof storeItem>;

export const foundStoreItem = Type.Object({
  ...storeItem.properties,
  score: Type.Optional(
    Type.Number({
      description: 'With a `query`: the cosine of the angle between the meanings, 1 for the same.',
    }),
  ),
});
