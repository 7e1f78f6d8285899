import {
  deleteStoreItem,
  getStoreItem,
  listStoreNamespaces,
  putStoreItem,
  searchStoreItems,
} from '@switchyard/contract/conversation/store';
import { isRecord } from '@switchyard/contract/is-record';
import { type AskedRequest, bodyOf, type Json, type RuleOfEndpoint } from './asked-request.ts';
import { nonsense } from './thrown.ts';

/** The questions to the handlers about items, by endpoint. A handler may change where an item is; it cannot filter. */
export const storeRules: readonly RuleOfEndpoint[] = [
  [putStoreItem, put],
  [getStoreItem, get],
  [deleteStoreItem, remove],
  [searchStoreItems, search],
  [listStoreNamespaces, listNamespaces],
];

async function put(asked: AskedRequest): Promise<void> {
  const body = bodyOf(asked);
  const { namespace, key, value } = body;
  const { value: left } = await asked.ask('store:put', { namespace, key, value });
  if (!isRecord(left.value))
    throw nonsense('the handler of store:put left a value.value that is not an object');
  Object.assign(body, { ...placeIn(left), value: left.value });
}

async function get(asked: AskedRequest): Promise<void> {
  const query = asked.call.query;
  const { namespace = '', key } = query;
  const { value } = await asked.ask('store:get', { namespace: String(namespace).split('.'), key });
  const place = placeIn(value);
  if (place.namespace.some((label) => label.includes('.')))
    throw nonsense('the handler of store:get left a label with a dot in value.namespace');
  Object.assign(query, { namespace: place.namespace.join('.'), key: place.key });
}

async function remove(asked: AskedRequest): Promise<void> {
  const body = bodyOf(asked);
  const { namespace, key } = body;
  const { value } = await asked.ask('store:delete', { namespace, key });
  Object.assign(body, placeIn(value));
}

async function search(asked: AskedRequest): Promise<void> {
  const body = bodyOf(asked);
  const { namespace_prefix: prefix, filter, limit, offset, query } = body;
  const value = { namespace: prefix ?? [], filter, limit, offset, query };
  const { value: left } = await asked.ask('store:search', value);
  body.namespace_prefix = labelsOf(left.namespace);
}

async function listNamespaces(asked: AskedRequest): Promise<void> {
  const body = bodyOf(asked);
  const { prefix, suffix, max_depth, limit, offset } = body;
  const value = { namespace: prefix ?? [], suffix, max_depth, limit, offset };
  const { value: left } = await asked.ask('store:list_namespaces', value);
  body.prefix = labelsOf(left.namespace);
}

function placeIn({ namespace, key }: Json): { namespace: string[]; key: string } {
  if (typeof key !== 'string' || key === '' || key.length > maxKeyLength) {
    throw nonsense(
      `a handler of the store left a value.key that is not a text of 1 to ${maxKeyLength} characters`,
    );
  }
  return { namespace: labelsOf(namespace), key };
}

/** The limits of the contract, which has checked only what the client sent. */
const maxKeyLength = 512;
const maxLabels = 20;
const maxLabelLength = 128;

function labelsOf(namespace: unknown): string[] {
  const isList = Array.isArray(namespace) && namespace.length <= maxLabels;
  if (isList && namespace.every(isLabel)) return namespace;
  throw nonsense(
    `a handler of the store left a value.namespace that is not a list of at most ${maxLabels} labels`,
  );
}

function isLabel(label: unknown): boolean {
  return typeof label === 'string' && label.length <= maxLabelLength;
}
