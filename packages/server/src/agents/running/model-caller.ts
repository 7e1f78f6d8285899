import { graphOf, isInside, namespaceOf, type TaskMetadata } from './task-origins.ts';

export interface ModelCall {
  tags: readonly string[];
  metadata: TaskMetadata;
  /** Namespaces of the tools that are at work. */
  toolNamespaces: Iterable<string>;
}

const knownTag = /^(lead_agent$|subagent:|middleware:)/;

/** A tag that says who asks a model. The gateway sets them; whoever asks for a run must not. */
export function isCallerTag(tag: string): boolean {
  return knownTag.test(tag);
}

/**
 * Who asks the model. A tag decides; then what LangChain's own middleware and agents say of themselves. In a user's own
 * graph a call of the root graph is the lead agent's.
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
/** A type of event is 32 characters, of which `middleware:` takes eleven. */
const longestTag = 21;

export interface MiddlewareNode {
  name: string;
  hook: string;
  tag: string;
}

/** Which middleware a node is: LangChain calls it `<name>.<hook>`. Undefined for any other node. */
export function middlewareOf(node: unknown): MiddlewareNode | undefined {
  const match = typeof node === 'string' ? hook.exec(node) : null;
  const [, name, hookName] = match ?? [];
  if (name === undefined || hookName === undefined) return undefined;
  return { name, hook: hookName, tag: tagOf(name) };
}

/** `SummarizationMiddleware` is `summarize`, `TodoListMiddleware` is `todo_list`. */
function tagOf(name: string): string {
  if (/^summariz/i.test(name)) return 'summarize';
  const words = name.replace(/Middleware$/, '').replace(/([a-z0-9])([A-Z])/g, '$1_$2');
  return words.toLowerCase().slice(0, longestTag);
}
