import { environmentColors } from '@switchyard/contract/accounts/account';
import { type Static, type TProperties, Type } from 'typebox';
import {
  boolean,
  channels,
  choice,
  duration,
  integer,
  list,
  models,
  number,
  path,
  pathUnderHome,
  pathUnderSharedHome,
  size,
  subagents,
  text,
} from './fields.ts';
import { subagentLimits } from './subagents.ts';

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
const levelOf = (area: string) => choice(logLevels, null, `The level of lines about ${area}.`);

/**
 * Every key that this version understands: its type, default, limits, description and marks. Reading, faults,
 * `config show`, the schema for editors and the reference page all come from here.
 */
export const configSchema = section('Configuration of a Switchyard gateway.', {
  version: choice([1], 1, 'Version of this file format.'),
  data_home: path('./.switchyard', 'Directory of everything the gateway stores on disk.', {
    env: 'SWITCHYARD_HOME',
    flag: 'home',
  }),

  server: section('The HTTP listener.', {
    host: text('127.0.0.1', 'Address to listen on; 0.0.0.0 opens the gateway to the network.', {
      env: 'SWITCHYARD_HOST',
      flag: 'host',
      format: 'host',
    }),
    port: integer(7300, 'Port to listen on; 0 takes any free one. The default moves up to 7310 when busy.', {
      minimum: 0,
      maximum: 65_535,
      env: 'SWITCHYARD_PORT',
      flag: 'port',
    }),
    public_url: text(
      null,
      'Address under which clients reach the gateway, where it differs from the listener: a host name of its own, without a path.',
      {
        format: 'own_origin',
      },
    ),
    cors: section('Cross-origin access.', {
      origins: list('Origins that may call with credentials, each exactly as the browser sends it.', {
        format: 'origin',
      }),
    }),
    shutdown_grace: duration('25s', 'How long open requests may take to finish after SIGTERM.', {
      minimum: '0s',
      maximum: '25s',
    }),
    request_timeout: duration('2m', 'How long a client may take to send a whole request.', {
      minimum: '1s',
      maximum: '1h',
    }),
    header_limit: size('16KB', 'Largest request head (request line and headers together).', {
      minimum: '4KB',
      maximum: '64KB',
    }),
    body_limit: size('2MB', 'Largest request body.', { minimum: '1KB', maximum: '100MB' }),
    large_body_limit: size('25MB', 'Largest request body where messages or workflows travel.', {
      minimum: '1KB',
      maximum: '500MB',
    }),
  }),

  database: section('Where rows are kept.', {
    backend: choice(
      ['memory', 'sqlite', 'postgres'],
      'sqlite',
      'sqlite: one file on this machine. postgres: a server, for several replicas. memory: gone at exit.',
    ),
    sqlite_dir: pathUnderHome(
      'data',
      'Directory of the SQLite file; `data` under the data home when absent.',
    ),
    url: text(
      null,
      'Address of the Postgres database: postgres://user:password@host:5432/name. A password is percent-encoded: `p%40ss` for `p@ss`.',
      {
        secret: true,
        format: 'postgres_url',
      },
    ),
    pool_size: integer(10, 'Postgres connections of this process.', { minimum: 1, maximum: 200 }),
  }),

  bus: section('How parts of the gateway, and its replicas, wake each other.', {
    backend: choice(
      ['memory', 'redis'],
      'memory',
      'memory: within this process. redis: through a Redis or Valkey server, for several replicas.',
    ),
    url: text(
      null,
      'Address of Redis: redis://user:password@host:6379/0, rediss:// for TLS, or the path of a unix socket. A password is percent-encoded: `p%40ss` for `p@ss`.',
      { secret: true, format: 'redis_url' },
    ),
    prefix: text(
      'switchyard',
      'Begins the name of everything that the gateway keeps in Redis. Clusters that share a Redis have different prefixes.',
      { format: 'key_prefix' },
    ),
  }),

  files: section('Uploads and outputs.', {
    store: choice(
      ['disk', 's3'],
      'disk',
      'Where uploads and outputs of tasks are kept. disk: below the data home, or files.shared_home. s3: in a bucket of an S3 service. `switchyard migrate files` moves them.',
    ),
    s3: section('The bucket, for files.store s3.', {
      endpoint: text(
        null,
        'Address of the service, without a path; that of Amazon in files.s3.region when absent.',
        { format: 'origin' },
      ),
      region: text('us-east-1', 'Region of the bucket; other services take any, or say which.', {
        format: 's3_name',
      }),
      bucket: text(null, 'Name of the bucket, which has to be there.', { format: 's3_bucket' }),
      prefix: text(
        'switchyard/',
        'Begins the name of every object. Gateways that share a bucket have different prefixes.',
        { format: 's3_prefix' },
      ),
      path_style: boolean(
        true,
        'True: the bucket is the first part of the path, as most services want it. False: it is part of the host name.',
      ),
      access_key_id: text(null, 'Name of the key.', { secret: true }),
      secret_access_key: text(null, 'The key itself.', { secret: true }),
      redirect: boolean(
        false,
        'Send clients that load a file to the bucket, with a link that is good for five minutes, in place of sending them the file. They must reach the service under files.s3.endpoint.',
      ),
    }),
    shared_home: path(
      null,
      'Directory that all replicas see, for the files of tasks and users; the data home when absent.',
    ),
    max_upload: size('200MB', 'Largest upload.', { minimum: '1KB', maximum: '100GB' }),
    max_output: size('2GB', 'Largest output that is pulled off a worker.', {
      minimum: '1KB',
      maximum: '100GB',
    }),
    quota_per_user: size('20GB', 'What one user may keep.', { minimum: '1MB', maximum: '100TB' }),
    retention: duration(
      '30d',
      'Files older than this are deleted, unless a task that has not ended needs them or they are kept: by a star, a collection, a share, a cover or a grid.',
      {
        minimum: '1h',
        maximum: '3650d',
      },
    ),
  }),

  dispatch: section('The queue in front of the workers.', {
    workers: list(
      'Workers to begin with, each `host:port` or an address as in a browser, such as `https://user:password@gpu.example.com/comfy/`. They count until the configuration is first changed over the API.',
      { format: 'worker' },
    ),
    max_queued: integer(100_000, 'Tasks that may wait, all users together.', {
      minimum: 1,
      maximum: 1_000_000,
    }),
    max_member_priority: integer(
      10,
      'The highest priority that users who are not administrators may give a task. Tasks that wait already keep theirs.',
      { minimum: 0, maximum: 100 },
    ),
    webhooks_to_private_addresses: boolean(false, 'Webhooks may call loopback and private networks.'),
    max_sockets_per_user: integer(50, 'Open WebSockets of one user.', { minimum: 1, maximum: 10_000 }),
    max_queued_per_user: integer(10_000, 'Tasks of one user that may wait.', {
      minimum: 1,
      maximum: 1_000_000,
    }),
  }),

  outbound: section('How models, webhooks, MCP servers, channels and other servers outside are reached.', {
    https_proxy: text(
      null,
      'Proxy for `https:` addresses: http://user:password@host:port. A password is percent-encoded: `p%40ss` for `p@ss`. Without it, http_proxy serves both.',
      { secret: true, format: 'proxy_url', env: 'HTTPS_PROXY' },
    ),
    http_proxy: text(null, 'Proxy for `http:` addresses.', {
      secret: true,
      format: 'proxy_url',
      env: 'HTTP_PROXY',
    }),
    no_proxy: text(
      null,
      'Hosts that are called directly, with commas between them: `example.com` with all names below it, `10.0.0.5`, `10.0.0.0/8`, `host:8080`, or `*` for all.',
      { env: 'NO_PROXY' },
    ),
    proxy_loopback: boolean(false, 'Call this machine itself through the proxy as well.'),
    proxy_workers: boolean(
      false,
      'Call workers through the proxy as well, by CONNECT. no_proxy and proxy_loopback hold for them too.',
    ),
  }),

  audit: section('The record of who changed settings, accounts, instances and the queue.', {
    retention: duration('365d', 'Older records are deleted.', { minimum: '1d', maximum: '3650d' }),
  }),

  agents: list(
    'Own agents besides those of `langgraph.json` in the working directory, each `name=./file.ts:export`.',
    { format: 'agent' },
  ),

  models: models(
    'Models that the lead agent can use; the first is the default. Each has `name`, `provider` (`openai`, `anthropic` or a package), `model`, `base_url`, `api_key` and more, see the guide. Without any a simulated demo model answers.',
  ),

  title: section('Titles of threads, once the first question is answered.', {
    enabled: boolean(
      true,
      'A configured model writes them, without one they are the beginning of the question. When false, threads get none.',
    ),
    model_name: text(null, "The model that writes them; the run's own when absent."),
  }),

  summarization: section(
    'Long conversations; older messages are summarised for the model and stay on display.',
    {
      enabled: boolean(true, 'Summarise, where a model is configured.'),
      model_name: text(null, "The model that summarises; the run's own when absent."),
      trigger_tokens: integer(100_000, 'Tokens (estimated) at which a conversation is summarised.', {
        minimum: 500,
        maximum: 10_000_000,
      }),
      trigger_messages: integer(200, 'Messages at which a conversation is summarised.', {
        minimum: 4,
        maximum: 100_000,
      }),
      keep_messages: integer(20, 'Newest messages that stay as they are.', { minimum: 1, maximum: 10_000 }),
    },
  ),

  subagents: section(
    'Helpers that the lead agent gives parts of its work to, in runs with `subagent_enabled`.',
    {
      timeout_seconds: integer(900, 'A sub-agent that takes longer is stopped.', subagentLimits.seconds),
      max_turns: integer(
        50,
        'Answers of the model within one sub-agent; the last one has to do without tools.',
        subagentLimits.turns,
      ),
      max_concurrent: integer(
        3,
        'Sub-agents at the same time; a run may ask for another number with `max_concurrent_subagents`.',
        { minimum: 2, maximum: 4 },
      ),
      agents: subagents(
        'Kinds of sub-agents besides `general-purpose`. Each has `name`, `description` and `system_prompt`, and may have `tools`, `model`, `max_turns` and `timeout_seconds`.',
      ),
    },
  ),

  conversation: section('Runs of agents.', {
    max_runs: integer(100, 'Runs at work at the same time, all users together; others wait their turn.', {
      minimum: 1,
      maximum: 10_000,
    }),
    max_waiting_runs_per_user: integer(1_000, 'Runs of one user that may wait.', {
      minimum: 1,
      maximum: 100_000,
    }),
    run_timeout: duration('1h', 'A run that takes longer ends with the status `timeout`.', {
      minimum: '1s',
      maximum: '7d',
    }),
    recursion_limit: integer(100, 'Steps of a run, where neither request nor assistant says how many.', {
      minimum: 1,
      maximum: 10_000,
    }),
    max_recursion_limit: integer(1_000, 'Most steps that a request may ask for.', {
      minimum: 1,
      maximum: 10_000,
    }),
    on_recovery: choice(
      ['resume', 'fail'],
      'resume',
      'resume: runs that a crash has cut off go on from their last checkpoint. fail: they end as `error`.',
    ),
    thread_retention: duration(
      null,
      'Threads in which nothing has changed for so long are deleted, with their runs and files, except pinned ones, those that wait for an answer, and those of schedules; kept when absent.',
      { minimum: '1d', maximum: '3650d' },
    ),
    stream_retention: duration('2m', 'How long the stream of an ended run can be read again.', {
      minimum: '0s',
      maximum: '24h',
    }),
    stream_buffer: size('8MB', 'Frames of one run that are kept for readers; the oldest go first.', {
      minimum: '64KB',
      maximum: '1GB',
    }),
    stream_buffer_total: size(
      '64MB',
      'Frames of all runs together; those of runs that have ended go first.',
      { minimum: '1MB', maximum: '64GB' },
    ),
    workflow_approval: choice(
      ['always', 'over_budget', 'never'],
      'never',
      'When a human is asked before an agent runs a workflow. over_budget: when its run would go beyond workflow_budget or workflow_budget_cost, or nothing like it has run before.',
    ),
    workflow_budget: duration('10m', 'What the tasks of one run may take together, for over_budget.', {
      minimum: '0s',
      maximum: '30d',
    }),
    workflow_budget_cost: number(
      0,
      'What the tasks of one run may cost together, for over_budget; counts in place of workflow_budget. 0: time counts.',
      { minimum: 0, maximum: 1_000_000 },
    ),
    workflow_price_per_hour: number(
      0,
      'What an hour of a worker costs, for workflow_budget_cost, usage and timelines. 0: it is not priced; what is not priced is over the budget, and its cost stays blank.',
      { minimum: 0, maximum: 1_000_000 },
    ),
    workflow_price_currency: text('USD', 'The currency of workflow_price_per_hour.', { format: 'currency' }),
  }),

  run_events: section('The stored record of agent runs.', {
    backend: choice(
      ['memory', 'db', 'jsonl'],
      'db',
      'db: rows in the database. jsonl: one file per run in the data home. memory: gone at exit.',
    ),
    track_tokens: boolean(true, 'Count token usage of runs.'),
    max_trace_content: size('10KB', 'Trace content beyond this is cut.', {
      minimum: '256B',
      maximum: '10MB',
    }),
  }),

  uploads: section('Files that users put into their threads.', {
    max_files: integer(10, 'Files in one request.', { minimum: 1, maximum: 1_000 }),
    max_file_size: size('50MB', 'Largest file.', { minimum: '1KB', maximum: '10GB' }),
    max_total_size: size('100MB', 'Largest total of one request.', { minimum: '1KB', maximum: '10GB' }),
    auto_convert_documents: boolean(
      false,
      'Companions in Markdown for documents; this version cannot make them, so that only false is accepted.',
    ),
  }),

  sandbox: section('Where agents may run commands.', {
    allow_host_bash: boolean(
      false,
      'A tool for agents that runs commands on this machine; this version has none, since it could not keep them apart from the files and secrets of the gateway, so that only false is accepted.',
    ),
  }),

  mcp: section('Tools of other servers, over the Model Context Protocol.', {
    allowed_commands: list(
      'Programs that administrators may have started as MCP servers, by their bare names, such as npx. None by default: what they start runs with the rights of the gateway.',
      { format: 'command' },
    ),
  }),

  memory: section('What agents remember about users.', {
    enabled: boolean(
      true,
      'Tell agents what is remembered about their user, and learn from what users say. What is remembered already stays, and users still manage it.',
    ),
    injection_enabled: boolean(true, 'Put what is remembered into the prompt.'),
    extraction_enabled: boolean(
      true,
      'Have a model search conversations for facts about their user, where a model is configured.',
    ),
    model_name: text(null, 'The model that searches; the first of models when absent.'),
    debounce_seconds: integer(30, 'How long a conversation has to be silent before it is searched.', {
      minimum: 1,
      maximum: 300,
    }),
    fact_confidence_threshold: number(0.7, 'Facts of which the model is less sure are left out.', {
      minimum: 0,
      maximum: 1,
    }),
    max_facts: integer(100, 'Facts of one user and agent.', { minimum: 10, maximum: 500 }),
    max_injection_tokens: integer(2_000, 'Largest part of a prompt that memory takes.', {
      minimum: 100,
      maximum: 8_000,
    }),
  }),

  skills: section('Instructions that agents read for certain kinds of work.', {
    path: pathUnderSharedHome(
      'skills',
      'Directory with `public`, for skills that you put there, and `custom`, for those that are installed over the API; `skills` under files.shared_home, or else the data home, when absent.',
    ),
  }),

  agents_api: section('The management of custom agents and user profiles over HTTP.', {
    enabled: boolean(true, 'Off: 403 on /api/agents and /api/user-profile; agents that are there still run.'),
  }),

  channels: channels(
    'Messaging channels: people write to agents from elsewhere. Each has `name`, `type` (`telegram` or `http`), `user` or `users`, `allowed_users` and more, see the guide.',
  ),

  auth: section('Accounts and sessions.', {
    jwt_secret: text(null, 'Key that signs sessions; generated once and kept in the data home when absent.', {
      secret: true,
      minLength: 32,
      env: 'AUTH_JWT_SECRET',
    }),
    jwt_secret_file: path(
      null,
      'File with that key and, after a rotation, with former ones; replicas use one file that all of them see. It is read again while the gateway runs.',
      { env: 'AUTH_JWT_SECRET_FILE' },
    ),
    trusted_proxies: list(
      'Addresses or CIDR ranges of reverse proxies whose headers are believed: X-Real-IP names the client, and Forwarded or X-Forwarded-Proto, -Host and -Port the address that it has called. Cookies, links and the check of origins follow that address.',
      {
        format: 'cidr',
        env: 'AUTH_TRUSTED_PROXIES',
      },
    ),
    session_ttl: duration('7d', 'Lifetime of a browser session.', { minimum: '1d', maximum: '30d' }),
    dispatch_token_ttl: duration('24h', 'Lifetime of a token from the dispatch login.', {
      minimum: '1m',
      maximum: '30d',
    }),
    registration: choice(
      ['auto', 'open', 'closed'],
      'auto',
      'open: anybody may register. closed: an admin makes accounts. auto: open, and closed where `langgraph.json` has `auth` or cannot be used.',
    ),
    bootstrap: choice(
      ['auto', 'interactive'],
      'auto',
      'auto: the first start makes an admin and writes a credentials file. interactive: the first visitor does.',
    ),
    admin_email: text('admin@example.com', 'E-mail address of the admin that `auto` makes.', {
      format: 'email',
    }),
    password_blocklist_file: path(null, 'Further passwords to refuse, one a line, besides the built-in 36.'),
    lockout: section('Failed logins per client address.', {
      attempts: integer(5, 'Failures in a row that lock an address out.', { minimum: 1, maximum: 1_000 }),
      duration: duration('5m', 'How long an address stays locked out.', { minimum: '1s', maximum: '24h' }),
    }),
    hashing: section('Password hashing, which runs beside the event loop.', {
      // Hashes run on libuv's four threads, which file access and name look-ups also need.
      concurrency: integer(2, 'Hashes at the same time.', { minimum: 1, maximum: 3 }),
      queue: integer(128, 'Hashes that may wait, some 15 s of work; beyond it a login is answered 429.', {
        minimum: 1,
        maximum: 10_000,
      }),
    }),
  }),

  areas: section('Service areas; either can be switched off.', {
    dispatch: boolean(true, 'Instances, tasks and files.'),
    conversation: boolean(true, 'Threads and agent runs.'),
  }),

  doors: section('Other interfaces in front of the pool and of the agents.', {
    comfyui: section('The pool as one ComfyUI, below `/comfy`.', {
      enabled: boolean(true, 'Whether clients of ComfyUI may use the pool, each with a token of an account.'),
      port: integer(
        null,
        'Port of its own for the page of ComfyUI, on server.host; 0 takes any free one. Without it there is no page.',
        { minimum: 0, maximum: 65_535 },
      ),
      public_url: text(
        null,
        'Address under which browsers reach that port, where it differs from the listener: a host name of its own, without a path.',
        { format: 'own_origin' },
      ),
      page: text(
        null,
        'Id of the server whose page is shown; by default that of any worker, an idle one first.',
      ),
      page_routes: list(
        'Addresses of custom nodes that the page may read from that server, each with what is below it, such as /pysssss/; those of ComfyUI-Manager are never passed on.',
        { format: 'worker_route' },
      ),
    }),
    comfy_api: section('The pool behind the official Comfy API v2, below `/comfy/api/v2`.', {
      enabled: boolean(true, 'Whether the SDKs of Comfy may use the pool, each with a token of an account.'),
    }),
    ag_ui: section('The agents in the AG-UI protocol, below `/ag-ui`.', {
      enabled: boolean(true, 'Whether clients of AG-UI, such as CopilotKit, may run the agents.'),
    }),
    mcp: section('Workflows and agents as tools for MCP clients, on `/mcp` and `/mcp/key`.', {
      enabled: boolean(true, 'Whether MCP clients may call, each with a token of an account.'),
      oauth: section('The sign-in of clients that take no token, such as the connectors of Claude.', {
        enabled: boolean(
          false,
          'Whether users may let such clients sign in for them. Needs server.public_url on https, except on a gateway that this machine alone can reach.',
        ),
      }),
    }),
    openai: section('Agents, models and workflows behind the API of OpenAI, below `/v1`.', {
      enabled: boolean(true, "Whether OpenAI's clients may call, each with a token of an account."),
      show_tools: boolean(
        true,
        'Show the tools that an agent uses as reasoning text; false leaves them out.',
      ),
    }),
  }),

  ui: section('The web console.', {
    environment: section('A badge on every page, so that one gateway is not taken for another.', {
      name: text(null, 'What the badge says, such as staging; no badge when absent.', {
        format: 'environment_name',
      }),
      color: choice(environmentColors, 'grey', 'The colour of the badge.'),
    }),
  }),

  observability: section('What the gateway tells its operator.', {
    log: section('Logs.', {
      level: choice(logLevels, 'info', 'Least severe level that is written.'),
      levels: section('Levels of single areas, such as { dispatch: debug }. The others have `level`.', {
        http: levelOf('requests'),
        accounts: levelOf('accounts, sessions and logins'),
        dispatch: levelOf('tasks, workers, files and webhooks'),
        conversation: levelOf('threads, runs and what users keep'),
        agents: levelOf('graphs, models and own code'),
        channels: levelOf('channels'),
        doors: levelOf('the interfaces of ComfyUI, MCP and others'),
        platform: levelOf('the database, Redis, deferred work and secrets'),
      }),
      format: choice(['auto', 'json', 'pretty'], 'auto', 'auto: pretty on a terminal, JSON lines elsewhere.'),
    }),
    traces: section('Traces, sent to a receiver of OpenTelemetry.', {
      endpoint: text(
        null,
        'Address that takes traces by OTLP over HTTP, such as http://127.0.0.1:4318/v1/traces; nothing is traced when absent.',
        { format: 'http_url' },
      ),
      headers: text(
        null,
        'Headers for it, as name=value with commas between them, such as authorization=Basic%20…; values are percent-encoded.',
        { secret: true, format: 'headers' },
      ),
      genai: boolean(
        false,
        "Add names of OpenTelemetry's conventions for generative AI to runs, models and tools.",
      ),
      content: boolean(
        false,
        'Add the question and the answer of each run. Who reads the traces reads them.',
      ),
    }),
    metrics: section('The Prometheus endpoint.', {
      token: text(null, 'Bearer token for /metrics; without one it answers to loopback only.', {
        secret: true,
        minLength: 16,
      }),
    }),
  }),

  cluster: section('Several replicas on one Postgres database.', {
    allow_replicas_without_redis: boolean(
      false,
      'Let replicas share one database without Redis; live events then reach only the clients of one replica.',
    ),
    lease_life: duration(
      null,
      'How long after a crash or a lost connection another replica takes over; 15s when absent, 6s where bus.backend is redis.',
      { minimum: '3s', maximum: '5m' },
    ),
  }),
});

/** The effective configuration: names as in the file, durations in milliseconds, sizes in bytes, paths absolute. */
export type Config = Static<typeof configSchema>;

function section<Properties extends TProperties>(description: string, properties: Properties) {
  return Type.Object(properties, { description, additionalProperties: false });
}
