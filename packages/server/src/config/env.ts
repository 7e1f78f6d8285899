import { type ConfigFault, type Source, unknownKey } from './faults.ts';
import { child, environmentName, fields, isSection, rootSection, type SettingsSection } from './keys.ts';
import type { Entry } from './resolve.ts';

export type Environment = Record<string, string | undefined>;

/** The only place that reads the process's environment. All other code receives what it needs. */
export function environment(): Environment {
  return process.env;
}

/** For libraries that read the environment themselves. A variable that is already set keeps its value. */
export function setMissingVariables(variables: Environment): void {
  for (const [name, value] of Object.entries(variables)) process.env[name] ??= value;
}

/** The variable in which LangGraph's own servers take the settings of graphs. */
export function graphConfig(): string | undefined {
  return process.env.LANGGRAPH_CONFIG;
}

/** Returns what LangChain's packages for OpenAI read. */
export function openAiVariables(): { apiKey: string | null; baseUrl: string | null } {
  return { apiKey: process.env.OPENAI_API_KEY || null, baseUrl: process.env.OPENAI_BASE_URL || null };
}

const prefix = 'SWITCHYARD__';

/**
 * Reads values from `SWITCHYARD__A__B` and from the short names; the long name wins. An empty variable counts as unset. Names of
 * proxies are read in lower case first, as other programs do.
 */
export function readEnvironment(env: Environment): { entries: Entry[]; faults: ConfigFault[] } {
  const entries: Entry[] = [];
  const faults: ConfigFault[] = [];
  for (const [name, text] of Object.entries(env)) {
    if (!name.startsWith(prefix) || !text) continue;
    const source: Source = { kind: 'env', name };
    const key = name.slice(prefix.length).toLowerCase().split('__').join('.');
    if (fields.has(key)) entries.push({ key, source, data: text, isText: true });
    else faults.push(notAKey(key, source));
  }
  for (const [key, field] of fields) {
    const name = field['x-env'];
    if (!name) continue;
    const used = name.endsWith('_PROXY') && env[name.toLowerCase()] ? name.toLowerCase() : name;
    const text = env[used];
    if (text) entries.push({ key, source: { kind: 'env', name: used }, data: text, isText: true });
  }
  return { entries, faults };
}

function notAKey(key: string, source: Source): ConfigFault {
  let section: SettingsSection = rootSection;
  for (const name of key.split('.')) {
    const node = child(section, name);
    if (!node || !isSection(node)) return unknownKey(key, Object.keys(section.properties), source);
    section = node;
  }
  const example = environmentName(`${key}.${Object.keys(section.properties)[0]}`);
  return { key, source, message: `is a section; set its keys one by one, for example ${example}` };
}

/**
 * LangChain looks for this variable while its modules load. With it, LangChain awaits its callbacks, so that what they
 * record is stored before the next step begins.
 */
export function awaitLangchainCallbacks(): void {
  process.env.LANGCHAIN_CALLBACKS_BACKGROUND = 'false';
}
