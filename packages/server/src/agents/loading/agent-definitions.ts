import { resolve } from 'node:path';
import type { Log } from '../../lib/log.ts';
import { AgentFault } from '../agent-fault.ts';
import type { AgentDefinition } from './agents.ts';
import { type LanggraphJson, langgraphFile, readLanggraphJson } from './langgraph-json.ts';
import { loadAgent } from './load-agent.ts';
import type { AgentModules } from './load-agent-modules.ts';

export interface DefinitionSources {
  builtIn: readonly AgentDefinition[];
  /** Entries of `agents` in the configuration: `name=./file.ts:export`. They take precedence over `langgraph.json`. */
  configured: readonly string[];
  /** Relative paths begin here; `langgraph.json` is looked for here. */
  cwd: string;
  modules: AgentModules;
  /** Receives the variables of `langgraph.json`, for code that reads its environment itself. */
  setVariables: (variables: Record<string, string>) => void;
  /** Called for a `langgraph.json` that cannot be used. */
  onFault?: (fault: AgentFault) => void;
  log: Pick<Log, 'warn'>;
}

/** Returns every agent that is named anywhere, the built-in ones first. Loads none of them. */
export function agentDefinitions(sources: DefinitionSources): AgentDefinition[] {
  const { builtIn, configured, cwd, modules, log } = sources;
  const definitions = new Map<string, AgentDefinition>();
  const add = (definition: AgentDefinition) => {
    if (definitions.has(definition.graphId)) {
      log.warn(
        { graphId: definition.graphId, from: definition.from },
        'An agent replaces another one of the same name',
      );
    }
    definitions.set(definition.graphId, definition);
  };
  for (const definition of builtIn) add(definition);
  for (const { graphId, target, description } of fromLanggraphJson(sources)) {
    add(fileAgent({ graphId, target, description, cwd, modules }));
  }
  for (const text of configured) {
    const { graphId, target } = splitEntry(text);
    add(fileAgent({ graphId, target, description: null, cwd, modules }));
  }
  return [...definitions.values()];
}

/** Reports a faulty file and returns no agents of it, so the other agents keep working. */
function fromLanggraphJson({ cwd, log, setVariables, onFault }: DefinitionSources): LanggraphJson['graphs'] {
  try {
    const found = readLanggraphJson(cwd);
    if (found === null) return [];
    if (found.ignored.length > 0) {
      log.warn({ file: langgraphFile, keys: found.ignored }, 'Keys of langgraph.json without effect here');
    }
    setVariables(found.env);
    return found.graphs;
  } catch (error) {
    const fault = AgentFault.from(error);
    log.warn({ fault: fault.message }, 'langgraph.json cannot be used');
    onFault?.(fault);
    return [];
  }
}

/** Splits `name=./file.ts:export`, which the configuration has already checked. */
function splitEntry(text: string): { graphId: string; target: string } {
  const at = text.indexOf('=');
  return { graphId: text.slice(0, at), target: text.slice(at + 1) };
}

function fileAgent(agent: {
  graphId: string;
  target: string;
  description: string | null;
  cwd: string;
  modules: AgentModules;
}): AgentDefinition {
  const { graphId, target, description, cwd, modules } = agent;
  const { path, exportName } = splitTarget(target);
  const file = resolve(cwd, path);
  return {
    graphId,
    description,
    from: target,
    file,
    load: () => loadAgent({ file, exportName, cwd }, modules),
  };
}

/** Without an export the default export is used. */
function splitTarget(target: string): { path: string; exportName: string } {
  const at = target.lastIndexOf(':');
  if (at <= 0) return { path: target, exportName: 'default' };
  return { path: target.slice(0, at), exportName: target.slice(at + 1) };
}
