import type { Log } from '../../lib/log.ts';
import type { AgentDefinition } from './agents.ts';
import type { LanggraphJson } from './langgraph-json.ts';
import { loadAgent } from './load-agent.ts';
import type { AgentModules } from './load-agent-modules.ts';
import { placeOf } from './load-export.ts';

/** Returns every agent that is named anywhere, the built-in ones first. Loads none of them. */
export function agentDefinitions(sources: {
  builtIn: readonly AgentDefinition[];
  /** Entries of `agents` in the configuration: `name=./file.ts:export`. They take precedence over `langgraph.json`. */
  configured: readonly string[];
  /** The graphs of `langgraph.json`. */
  listed: LanggraphJson['graphs'];
  /** Relative paths begin here. */
  cwd: string;
  modules: AgentModules;
  log: Pick<Log, 'warn'>;
}): AgentDefinition[] {
  const { builtIn, configured, listed, cwd, modules, log } = sources;
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
  for (const { graphId, target, description } of listed) {
    add(fileAgent({ graphId, target, description, cwd, modules }));
  }
  for (const text of configured) {
    const { graphId, target } = splitEntry(text);
    add(fileAgent({ graphId, target, description: null, cwd, modules }));
  }
  return [...definitions.values()];
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
  const place = placeOf(target, cwd);
  return {
    graphId,
    description,
    from: target,
    place,
    load: () => loadAgent(place, modules),
  };
}
