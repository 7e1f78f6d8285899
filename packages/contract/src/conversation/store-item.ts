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
