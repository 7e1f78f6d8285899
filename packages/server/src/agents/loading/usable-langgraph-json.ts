import type { Log } from '../../lib/log.ts';
import { AgentFault } from './agent-fault.ts';
import { type LanggraphJson, langgraphFile, readLanggraphJson } from './langgraph-json.ts';

export interface UsableLanggraphJson
  extends Pick<LanggraphJson, 'graphs' | 'httpApp' | 'auth' | 'storeIndex'> {
  /** The reason for which the file cannot be used; null when it can, or when there is none. */
  fault: AgentFault | null;
}

/** Reports a faulty file and uses nothing of it, so the other agents keep working. */
export function usableLanggraphJson(sources: {
  /** `langgraph.json` is looked for here. */
  cwd: string;
  /** The origins that the gateway lets in. */
  corsOrigins: readonly string[];
  /** Receives the variables of the file, for code that reads its environment itself. */
  setVariables: (variables: Record<string, string>) => void;
  log: Pick<Log, 'warn'>;
}): UsableLanggraphJson {
  const { cwd, corsOrigins, log, setVariables } = sources;
  try {
    const found = readLanggraphJson(cwd, { corsOrigins });
    if (found === null) return noLanggraphJson;
    if (found.ignored.length > 0) {
      log.warn({ file: langgraphFile, keys: found.ignored }, 'Keys of langgraph.json without effect here');
    }
    for (const warning of found.warnings) log.warn({ file: langgraphFile }, `langgraph.json: ${warning}`);
    setVariables(found.env);
    return { ...found, fault: null };
  } catch (error) {
    const fault = AgentFault.from(error);
    log.warn({ fault: fault.message }, 'langgraph.json cannot be used');
    return { ...noLanggraphJson, fault };
  }
}

export const noLanggraphJson: UsableLanggraphJson = {
  graphs: [],
  httpApp: null,
  auth: null,
  storeIndex: null,
  fault: null,
};
