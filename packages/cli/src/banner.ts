import type { RegistrationFacts } from '@switchyard/server/context';
import { plainText } from './plain-text.ts';
import type { Colors } from './terminal.ts';

export interface BannerFacts {
  version: string;
  readyMs: number;
  url: string;
  /** The origin of ComfyUI's page; null when it has none. */
  pageUrl: string | null;
  /** The busy default port that the gateway moved up from. */
  movedFromPort: number | null;
  database: { backend: string; place: string | null };
  bus: string;
  configFile: string | null;
  /** The agents from users' own files; null while they are still being loaded. */
  agents: readonly { name: string; fault: string | null }[] | null;
  /** The name or the path by which the user calls this program. */
  command: string;
  /** The file with the first password, while it exists. */
  credentialsFile: string | null;
  /** True when no admin exists yet and the first visitor has to make one. */
  awaitsFirstAdmin: boolean;
  registration: RegistrationFacts;
  /** True when it listens for other machines. */
  isReachable: boolean;
  /** True when other machines can reach the gateway without encryption. */
  isOpenOverPlainHttp: boolean;
}

/** The maximum number of broken agents that are shown with their causes; the log has the rest. */
const shownFaults = 5;

/** Returns what a person wants to know when the gateway is ready: at most 13 lines, and a few more for broken agents. */
export function banner(facts: BannerFacts, colors: Colors): string {
  const rows: [string, string][] = [
    ['Console', facts.url],
    ['API', `${facts.url}/docs`],
    ...pageRows(facts),
    ['Database', [facts.database.backend, facts.database.place].filter(Boolean).join('  ')],
    ['Bus', facts.bus],
    ['Config', facts.configFile ?? 'defaults (no switchyard.yaml here)'],
    ...agentRows(facts),
    ...signInRows(facts),
    ['Next', nextStep(facts)],
    ['Stop', 'Ctrl-C'],
  ];
  const title = `${colors.bold(`switchyard ${facts.version}`)}  ready in ${(facts.readyMs / 1000).toFixed(1)} s`;
  const lines = [title, ...rows.map(([name, text]) => `${colors.dim(name.padEnd(9))} ${text}`)];
  const text = [...lines, ...notes(facts).map((note) => colors.yellow(note))];
  // Empty lines separate it from the lines of the log.
  return `\n${text.map((line) => `  ${line}\n`).join('')}\n`;
}

function pageRows({ pageUrl }: BannerFacts): [string, string][] {
  return pageUrl === null ? [] : [['ComfyUI', `${pageUrl}  (opens from the workflows of the console)`]];
}

function agentRows({ agents }: BannerFacts): [string, string][] {
  if (agents === null) return [['Agents', 'not loaded yet; what is wrong with one will be in the log']];
  const usable = agents.filter(({ fault }) => fault === null).map(({ name }) => name);
  return usable.length > 0 ? [['Agents', `${usable.join(', ')} (and the built-in lead_agent)`]] : [];
}

function brokenAgents({ agents }: BannerFacts): string[] {
  const broken = (agents ?? []).flatMap(({ name, fault }) =>
    fault === null ? [] : [plainText(`Left out: ${name}: ${fault}`)],
  );
  const more = broken.length - shownFaults;
  return [
    ...broken.slice(0, shownFaults),
    ...(more > 0 ? [`Left out: ${more} more; the log has them.`] : []),
  ];
}

function signInRows({ credentialsFile }: BannerFacts): [string, string][] {
  return credentialsFile ? [['Sign in', `with the password in ${credentialsFile}`]] : [];
}

function nextStep({ awaitsFirstAdmin, credentialsFile, url, command }: BannerFacts): string {
  if (awaitsFirstAdmin) return `open ${url} in a browser and make the first administrator`;
  if (credentialsFile)
    return `open the console, or: ${command} login, then ${command} chat "what can you do?"`;
  return `try the API at ${url}/docs, or see what is set: ${command} config show --effective --sources`;
}

/** Says who may make an account where that is a surprise. */
function registrationNotes({ registration: { mode, because }, isReachable }: BannerFacts): string[] {
  if (because === 'has auth') {
    return mode === 'closed'
      ? ['Registration is closed beside the auth of langgraph.json; auth.registration: open opens it.']
      : ['Registration is open: strangers make accounts and run graphs past the auth of langgraph.json.'];
  }
  if (because === 'cannot be used' && mode === 'closed')
    return ['Registration is closed while langgraph.json cannot be used; auth.registration: open opens it.'];
  if (mode === 'closed' || !isReachable) return [];
  return ['Registration is open to everyone who reaches this address; auth.registration: closed ends that.'];
}

function notes(facts: BannerFacts): string[] {
  const { movedFromPort, isOpenOverPlainHttp } = facts;
  return [
    ...brokenAgents(facts),
    ...registrationNotes(facts),
    ...(movedFromPort === null
      ? []
      : [`Port ${movedFromPort} was in use, so the next free one was taken; --port chooses.`]),
    ...(isOpenOverPlainHttp
      ? ['Other machines can reach this over plain HTTP: put a TLS proxy in front, or use --host 127.0.0.1.']
      : []),
  ];
}
