export interface StartingChoices {
  /** True when other machines reach the gateway. */
  isShared: boolean;
  /** Addresses of ComfyUI servers, `host:port` or as in a browser. */
  workers: readonly string[];
  /** Null for the scripted demo model. */
  model: { name: string; baseUrl: string | null } | null;
  /** True when the folder has a `langgraph.json`. */
  hasGraphs: boolean;
}

/**
 * Returns a commented `switchyard.yaml`: what was chosen as settings, what most people change later as comments. A line that begins
 * with `#` and no single space is a setting that can be switched on.
 */
export function startingConfig({ isShared, workers, model, hasGraphs }: StartingChoices): string {
  return `# Settings of Switchyard. \`switchyard config schema\` prints every key for editors, \`switchyard config show --effective\` every value.
# A # without a space after it stands before a setting that can be switched on.
version: 1

# The database, the files, the secrets and the first password of the administrator. Relative to the folder of the start.
data_home: ./.switchyard

server:
  # 127.0.0.1: this machine alone. 0.0.0.0: other machines too; put a proxy with TLS in front of it, or trust the network.
  host: ${isShared ? '0.0.0.0' : '127.0.0.1'}
  port: 7300
  # What users type when a proxy stands in front. Links in answers begin with it.
  #public_url: https://switchyard.example.org

auth:
  # open: anybody who reaches the gateway can make an account. closed: an administrator makes them (switchyard users create).
  # auto: open, but closed where langgraph.json has "auth".
  registration: ${isShared ? 'closed' : 'auto'}
  # The proxies in front, whose X-Forwarded-For, -Proto and -Host count.
  #trusted_proxies: [127.0.0.1]

dispatch:
  # ComfyUI servers that are taken up at the first start; later ones with: switchyard instances add <host:port>.
  # While there are none, a built-in worker does image work on the processor.
  workers: [${workers.map((worker) => JSON.stringify(worker)).join(', ')}]

# Models of the lead agent; the first is the default. Without any, a scripted demo model answers.
${modelSection(model)}

${graphSection(hasGraphs)}

# SQLite in the data home is the default. With Postgres and Redis, several replicas share the work.
#database:
#  backend: postgres
#  url: \${DATABASE_URL}
`;
}

function modelSection(model: StartingChoices['model']): string {
  // biome-ignore-start lint/suspicious/noTemplateCurlyInString: The gateway puts in the variables when it reads the file.
  const { name, baseUrl } = model ?? { name: 'gpt-4o-mini', baseUrl: null };
  const lines = [
    'models:',
    '  main:',
    '    provider: openai',
    `    model: ${JSON.stringify(name)}`,
    ...(baseUrl === null
      ? ['    api_key: ${OPENAI_API_KEY}']
      : [`    base_url: ${JSON.stringify(baseUrl)}`, '    #api_key: ${MODEL_API_KEY}']),
  ];
  // biome-ignore-end lint/suspicious/noTemplateCurlyInString: as above
  return lines.map((line) => (model === null ? `#${line}` : line)).join('\n');
}

function graphSection(hasGraphs: boolean): string {
  return hasGraphs
    ? '# The graphs of ./langgraph.json are served by themselves when the gateway starts in this folder.'
    : `# Own graphs of LangGraph.js: a langgraph.json in this folder, or
#agents:
#  - mine=./agent.ts:graph`;
}
