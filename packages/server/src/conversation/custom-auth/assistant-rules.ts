import {
  assistantVersions,
  countAssistants,
  createAssistant,
  deleteAssistant,
  getAssistant,
  getAssistantGraph,
  getAssistantSchemas,
  getAssistantSubgraph,
  getAssistantSubgraphs,
  patchAssistant,
  searchAssistants,
  setLatestVersion,
} from '@switchyard/contract/conversation/assistants';
import type { CustomCall } from '../../http/access/custom-calls.ts';
import { AppError } from '../../lib/app-error.ts';
import type { Assistants } from '../catalog/assistants.ts';
import {
  type AskedRequest,
  type AuthRule,
  bodyOf,
  metadataIn,
  narrowSearch,
  paramOf,
  type RuleOfEndpoint,
} from './asked-request.ts';
import { type AuthFilter, passes } from './auth-filter.ts';

/** Returns what the handlers are asked about assistants, by endpoint. */
export function assistantRules(assistants: Startable): RuleOfEndpoint[] {
  const reading = [
    getAssistant,
    assistantVersions,
    getAssistantSchemas,
    getAssistantGraph,
    getAssistantSubgraphs,
    getAssistantSubgraph,
  ];
  return [
    ...reading.map((endpoint) => [endpoint, read(assistants)] as const),
    [searchAssistants, search({ headers: { 'x-pagination-total': '0' }, body: [] })],
    [countAssistants, search({ headers: {}, body: 0 })],
    [createAssistant, create(assistants)],
    [patchAssistant, patch(assistants)],
    [setLatestVersion, useVersion(assistants)],
    [deleteAssistant, remove(assistants)],
  ];
}

type Known = Pick<Assistants, 'get'>;
type Startable = Pick<Assistants, 'get' | 'isStored'>;

function read(assistants: Known): AuthRule {
  return (asked) => readAssistant(assistants, asked, paramOf(asked, 'assistant_id'));
}

export async function readAssistant(
  assistants: Known,
  asked: AskedRequest,
  assistantId: string,
): Promise<void> {
  const { filter } = await asked.ask('assistants:read', { assistant_id: assistantId, metadata: {} });
  await requireAssistant(assistants, asked, { assistantId, filter });
}

function search(nothing: NonNullable<CustomCall['answer']>): AuthRule {
  return async (asked) => {
    const { graph_id, metadata, limit, offset } = bodyOf(asked);
    const value = { graph_id, metadata: metadata ?? {}, limit, offset };
    const { filter } = await asked.ask('assistants:search', value);
    narrowSearch(asked, filter, nothing);
  };
}

/** The answer to a request for an assistant that is there already reads it. */
function create(assistants: Startable): AuthRule {
  return async (asked) => {
    const body = bodyOf(asked);
    const { filter, value } = await asked.ask('assistants:create', {
      ...body,
      metadata: body.metadata ?? {},
    });
    body.metadata = metadataIn(value, 'assistants:create');
    const { assistant_id: assistantId } = body;
    if (typeof assistantId !== 'string') return;
    await requireAssistant(assistants, asked, { assistantId, filter, mayBeNew: true });
    if (body.if_exists === 'do_nothing' && (await assistants.isStored(asked.call.owner, assistantId)))
      await readAssistant(assistants, asked, assistantId);
  };
}

function patch(assistants: Known): AuthRule {
  return async (asked) => {
    const body = bodyOf(asked);
    const assistantId = paramOf(asked, 'assistant_id');
    const given = { ...body, assistant_id: assistantId, metadata: body.metadata ?? {} };
    const { filter, value } = await asked.ask('assistants:update', given);
    body.metadata = metadataIn(value, 'assistants:update');
    await requireAssistant(assistants, asked, { assistantId, filter });
  };
}

function useVersion(assistants: Known): AuthRule {
  return async (asked) => {
    const assistantId = paramOf(asked, 'assistant_id');
    const { version } = bodyOf(asked);
    const value = { assistant_id: assistantId, version, metadata: {} };
    const { filter } = await asked.ask('assistants:update', value);
    await requireAssistant(assistants, asked, { assistantId, filter });
  };
}

/** Threads that go with the assistant are asked about as well; a filter of threads cannot be met by all of them at once. */
function remove(assistants: Known): AuthRule {
  return async (asked) => {
    const assistantId = paramOf(asked, 'assistant_id');
    const { filter } = await asked.ask('assistants:delete', { assistant_id: assistantId });
    await requireAssistant(assistants, asked, { assistantId, filter });
    if (asked.call.query.delete_threads !== true) return;
    const threads = await asked.ask('threads:delete', {});
    if (!threads.filter) return;
    const message = 'Threads cannot be deleted with their assistant here. Delete them one by one first.';
    throw new AppError('custom_auth_unserved', { message });
  };
}

/** An assistant that the filter hides is answered like one that does not exist. */
async function requireAssistant(
  assistants: Known,
  { call: { owner } }: AskedRequest,
  {
    assistantId,
    filter,
    mayBeNew = false,
  }: { assistantId: string; filter: AuthFilter | null; mayBeNew?: boolean },
): Promise<void> {
  if (!filter) return;
  const metadata = await assistants.get(owner, assistantId).then(
    (assistant) => assistant.metadata,
    (error: unknown) => {
      if (mayBeNew && error instanceof AppError && error.code === 'assistant_not_found') return null;
      throw error;
    },
  );
  if (metadata === null || passes(metadata, filter)) return;
  throw new AppError('assistant_not_found', {
    message: `Assistant ${assistantId} not found`,
    named: assistantId,
  });
}
