import { graphOf, isInside, namespaceOf, type TaskMetadata } from './task-origins.ts';

export interface ModelCall {
  tags: readonly string[];
  metadata: TaskMetadata;
  /** Namespaces of the tools that are running. */
  toolNamespaces: Iterable<string>;
}

const knownTag = /^(lead_agent$|subagent:|middleware:)/;

/**
 * Returns whether a tag says which part of the gateway asks a model. Only the gateway sets such tags; a client's request must
 * not.
 */
export function isCallerTag(tag: string): boolean {
  return knownTag.test(tag);
}

/**
 * Returns which part of the agent asks the model. A tag decides first, then what LangChain's own middleware and agents note in
 * the metadata. In a user's own graph a call of the root graph counts as the lead agent's.
 */
export function callerOf({ tags, metadata, toolNamespaces }: ModelCall): string {
  const tagged = tags.find((tag) => knownTag.test(tag));
  if (tagged !== undefined) return tagged;
  if (metadata?.lc_source === 'summarization') return 'middleware:summarize';
  const middleware = middlewareOf(metadata?.langgraph_node);
  if (middleware) return `middleware:${middleware.tag}`;
  const namespace = namespaceOf(metadata);
  if (graphOf(namespace) === '') return 'lead_agent';
  const agent = metadata?.lc_agent_name;
  const isInTool = [...toolNamespaces].some((tool) => isInside(namespace, tool));
  return isInTool && typeof agent === 'string' ? `subagent:${agent}` : 'unknown';
}

const hook = /^(.+)\.(before_agent|before_model|after_model|after_agent)$/;
/** The type of an event has 32 characters, and `middleware:` takes eleven of them. */
const maxTagLength = 21;

export interface MiddlewareNode {
  name: string;
  hook: string;
  tag: string;
}

/**
 * Reads from the name of a node which middleware it is: LangChain calls it `<name>.<hook>`. Returns undefined for any other node.
 */
export function middlewareOf(node: unknown): MiddlewareNode | undefined {
  const match = typeof node === 'string' ? hook.exec(node) : null;
  const [, name, hookName] = match ?? [];
  if (name === undefined || hookName === undefined) return undefined;
  return { name, hook: hookName, tag: tagOf(name) };
}

/** `SummarizationMiddleware` becomes `summarize`, `TodoListMiddleware` becomes `todo_list`. */
function tagOf(name: string): string {
  if (/^summariz/i.test(name)) return 'summarize';
  const words = name.replace(/Middleware$/, '').replace(/([a-z0-9])([A-Z])/g, '$1_$2');
  return words.toLowerCase().slice(0, maxTagLength);
}
