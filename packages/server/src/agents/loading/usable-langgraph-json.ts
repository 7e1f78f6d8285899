import type { Log } from '../../lib/log.ts';
import { AgentFault } from '../agent-fault.ts';
import { type LanggraphJson, langgraphFile, readLanggraphJson } from './langgraph-json.ts';

export interface LanggraphJsonSources {
  /** `langgraph.json` is looked for here. */
  cwd: string;
  /** Receives the variables of the file, for code that reads its environment itself. */
  setVariables: (variables: Record<string, string>) => void;
  /** Called for a file that cannot be used. */
  onFault?: (fault: AgentFault) => void;
  log: Pick<Log, 'warn'>;
}

/** Reports a faulty file and uses nothing of it, so the other agents keep working. */
export function usableLanggraphJson(
  sources: LanggraphJsonSources,
): Pick<LanggraphJson, 'graphs' | 'httpApp' | 'auth' | 'storeIndex'> {
  const { cwd, log, setVariables, onFault } = sources;
  try {
    const found = readLanggraphJson(cwd);
    if (found === null) return nothing;
    if (found.ignored.length > 0) {
      log.warn({ file: langgraphFile, keys: found.ignored }, 'Keys of langgraph.json without effect here');
    }
    setVariables(found.env);
    return found;
  } catch (error) {
    const fault = AgentFault.from(error);
    log.warn({ fault: fault.message }, 'langgraph.json cannot be used');
    onFault?.(fault);
    return nothing;
  }
}

const nothing = { graphs: [], httpApp: null, auth: null, storeIndex: null };
