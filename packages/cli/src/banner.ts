import type { Colors } from './terminal.ts';

export interface BannerFacts {
  version: string;
  readyMs: number;
  url: string;
  /** The busy default port that the gateway moved up from. */
  movedFromPort: number | null;
  database: { backend: string; place: string | null };
  bus: string;
  configFile: string | null;
  /** Where the first password stands, while that file exists. */
  credentialsFile: string | null;
  /** No admin exists yet and the first visitor is to make one. */
  awaitsFirstAdmin: boolean;
  /** Other machines can reach the gateway, and nothing encrypts what they send. */
  isOpenOverPlainHttp: boolean;
}

/** What a person wants to know once the gateway is ready; at most 12 lines. */
export function banner(facts: BannerFacts, colors: Colors): string {
  const rows: [string, string][] = [
    ['API', facts.url],
    ['Docs', `${facts.url}/docs`],
    ['Database', [facts.database.backend, facts.database.place].filter(Boolean).join('  ')],
    ['Bus', facts.bus],
    ['Config', facts.configFile ?? 'defaults (no switchyard.yaml here)'],
    ...signInRows(facts),
    ['Next', nextStep(facts)],
    ['Stop', 'Ctrl-C'],
  ];
  const title = `${colors.bold(`switchyard ${facts.version}`)}  ready in ${(facts.readyMs / 1000).toFixed(1)} s`;
  const lines = [title, ...rows.map(([name, text]) => `${colors.dim(name.padEnd(9))} ${text}`)];
  const text = [...lines, ...notes(facts).map((note) => colors.yellow(note))];
  // Lines of the log stand before and after it.
  return `\n${text.map((line) => `  ${line}\n`).join('')}\n`;
}

function signInRows({ credentialsFile }: BannerFacts): [string, string][] {
  return credentialsFile ? [['Sign in', `with what stands in ${credentialsFile}`]] : [];
}

function nextStep({ awaitsFirstAdmin, credentialsFile, url }: BannerFacts): string {
  if (awaitsFirstAdmin)
    return `make the first admin: POST ${url}/api/v1/auth/initialize {"email", "password"}`;
  if (credentialsFile) return 'switchyard login, then: switchyard chat "what can you do?"';
  return `try the API at ${url}/docs, or see what is set: switchyard config show --effective --sources`;
}

function notes({ movedFromPort, isOpenOverPlainHttp }: BannerFacts): string[] {
  return [
    ...(movedFromPort === null
      ? []
      : [`Port ${movedFromPort} was in use, so the next free one was taken; --port chooses.`]),
    ...(isOpenOverPlainHttp
      ? ['Other machines can reach this over plain HTTP: put a TLS proxy in front, or use --host 127.0.0.1.']
      : []),
  ];
}
