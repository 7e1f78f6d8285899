import type { OpenaiModel } from '@switchyard/contract/doors/openai';
import type { Assistants } from '../../conversation/catalog/assistants.ts';
import type { SavedWorkflows } from '../../dispatch/workflows/saved-workflows.ts';
import type { Identity } from '../../http/access/identity.ts';
import { modelNotFound } from './openai-errors.ts';

export const workflowPrefix = 'workflow/';
export const plainPrefix = 'model/';

/** More would be no list to choose from. */
const maxAgents = 1_000;
/** The gateway does not know when a plain model was made. */
const unknownTime = 0;

interface ModelListOptions {
  /** Null when the area of that name is switched off. */
  conversation: { assistants: Pick<Assistants, 'search' | 'get'>; modelNames: readonly string[] } | null;
  dispatch: { savedWorkflows: Pick<SavedWorkflows, 'exposed'> } | null;
}

/** What the caller can name as a model. */
export class ModelList {
  readonly #options;

  constructor(options: ModelListOptions) {
    this.#options = options;
  }

  async all(identity: Identity): Promise<OpenaiModel[]> {
    return [
      ...(await this.#agents(identity)),
      ...this.#plain(identity),
      ...(await this.#workflows(identity)),
    ];
  }

  async find(identity: Identity, id: string): Promise<OpenaiModel> {
    const model = (await this.all(identity)).find((each) => each.id === id);
    if (!model) throw modelNotFound(id);
    return model;
  }

  async #agents(identity: Identity): Promise<OpenaiModel[]> {
    const { conversation } = this.#options;
    if (!conversation || !mayCall(identity, 'conversation:write')) return [];
    const { page } = await conversation.assistants.search({ user: identity.userId }, { limit: maxAgents });
    return page.map(
      ({
        assistant_id: assistantId = '',
        graph_id: graphId,
        name,
        description,
        metadata,
        created_at: at,
      }) => ({
        // A graph is known by its name, and its assistant has an id that follows from it.
        ...modelOf(metadata?.created_by === 'system' ? (graphId ?? assistantId) : assistantId, 'agent'),
        created: Math.floor(Date.parse(at ?? '') / 1_000) || unknownTime,
        name: name ?? '',
        description: description ?? '',
      }),
    );
  }

  #plain(identity: Identity): OpenaiModel[] {
    const { conversation } = this.#options;
    if (!conversation || !mayCall(identity, 'conversation:write')) return [];
    return conversation.modelNames.map((name) => ({ ...modelOf(plainPrefix + name, 'model'), name }));
  }

  async #workflows(identity: Identity): Promise<OpenaiModel[]> {
    const { dispatch } = this.#options;
    if (!dispatch || !mayCall(identity, 'dispatch:write')) return [];
    const workflows = await dispatch.savedWorkflows.exposed(identity.userId);
    return workflows.map(({ name, description }) => ({
      ...modelOf(workflowPrefix + name, 'workflow'),
      name,
      description,
    }));
  }
}

function modelOf(id: string, kind: OpenaiModel['kind']): OpenaiModel {
  return {
    id,
    object: 'model',
    created: unknownTime,
    owned_by: 'switchyard',
    name: id,
    description: '',
    kind,
  };
}

function mayCall({ scopes }: Identity, scope: 'conversation:write' | 'dispatch:write'): boolean {
  return scopes === null || scopes.includes(scope);
}
