import { says } from './conversation-caller.ts';

/** The names of things: real ones of another user, or names that no thing has. */
export interface Names {
  thread: string;
  run: string;
  checkpoint: string;
  feedback: string;
  assistant: string;
  /** A scheduled task, which is a cron as well. */
  schedule: string;
  /** A word that occurs in metadata, messages and items, and names a custom agent. */
  word: string;
}

/** One request that names something. Its path is relative to the mount. */
export interface Attempt {
  path: string;
  body?: unknown;
  /**
   * The name decides what is created, so an unknown name creates something new. In that case the name of another user's
   * thing gets the same response as the name of a deleted one.
   */
  isCreation?: true;
  /**
   * Rule 3: an id that no thread has passes. So the name of another user's thread gets the same response as the name of a deleted
   * one.
   */
  isOpen?: true;
}

/** The caller's own things, with which the names of others are combined. */
export interface Own {
  thread: string;
  run: string;
}

type Attempts = (names: Names, own: Own) => Attempt[];

const chat = { assistant_id: 'chat', input: says('x') };
const thread = (rest: string, body?: unknown): Attempts => {
  return (names) => [{ path: `/threads/${names.thread}${rest}`, ...(body !== undefined && { body }) }];
};
/** A route that works for an id that no thread has. */
const openThread = (rest: string, body?: unknown): Attempts => {
  return (names) => [
    { path: `/threads/${names.thread}${rest}`, ...(body !== undefined && { body }), isOpen: true },
  ];
};
/** In the thread of another user, and in the caller's own. */
const run = (rest: string, body?: unknown): Attempts => {
  return (names, own) =>
    [names.thread, own.thread].map((id) => ({
      path: `/threads/${id}/runs/${names.run}${rest}`,
      ...(body !== undefined && { body }),
    }));
};
/** Like `run`, for reading. */
const openRun = (rest: string): Attempts => {
  return (names, own) => [
    { path: `/threads/${names.thread}/runs/${names.run}${rest}`, isOpen: true },
    { path: `/threads/${own.thread}/runs/${names.run}${rest}` },
  ];
};
const runAlone =
  (rest: string): Attempts =>
  (names) => [{ path: `/runs/${names.run}${rest}` }];
const assistant = (rest: string, body?: unknown): Attempts => {
  return (names) => [{ path: `/assistants/${names.assistant}${rest}`, ...(body !== undefined && { body }) }];
};

/** Every id that the body of a new run can carry, in a thread of the caller. */
function bodiesOfRun(names: Names): object[] {
  return [
    { ...chat, config: { configurable: { thread_id: names.thread } } },
    { ...chat, checkpoint: { thread_id: names.thread, checkpoint_id: names.checkpoint } },
    { ...chat, checkpoint: { checkpoint_id: names.checkpoint, checkpoint_ns: '' } },
    { ...chat, checkpoint_id: names.checkpoint },
    { ...chat, config: { configurable: { checkpoint_id: names.checkpoint } } },
    { ...chat, follow_up_to_run_id: names.run },
    { ...chat, assistant_id: names.assistant },
    { ...chat, assistant_id: names.word },
    { ...chat, assistant_id: 'lead_agent', context: { agent_name: names.word } },
    { ...chat, assistant_id: 'lead_agent', config: { configurable: { agent_name: names.word } } },
  ];
}

const newRun = (rest: string): Attempts => {
  return (names, own) => [
    { path: `/threads/${names.thread}/runs${rest}`, body: chat },
    {
      path: `/threads/${names.thread}/runs${rest}`,
      body: { ...chat, if_not_exists: 'create' },
      isCreation: true,
    },
    ...bodiesOfRun(names).map((body) => ({ path: `/threads/${own.thread}/runs${rest}`, body })),
  ];
};

const statelessBodies = (names: Names): { body: object; isCreation?: true }[] => {
  const [named = {}, ...others] = bodiesOfRun(names);
  return [
    { body: named, isCreation: true },
    { body: { ...named, on_completion: 'delete' }, isCreation: true },
    ...others.map((body) => ({ body })),
  ];
};
const stateless =
  (path: string): Attempts =>
  (names) =>
    statelessBodies(names).map((each) => ({ path, ...each }));

const schedule = (rest: string, body?: unknown): Attempts => {
  return (names) => [
    { path: `/scheduled-tasks/${names.schedule}${rest}`, ...(body !== undefined && { body }) },
  ];
};
const cron = (body?: unknown): Attempts => {
  return (names) => [{ path: `/runs/crons/${names.schedule}`, ...(body !== undefined && { body }) }];
};
const hourly = {
  title: 'x',
  prompt: 'x',
  schedule_type: 'cron',
  schedule_spec: { cron: '0 * * * *' },
  timezone: 'UTC',
  assistant_id: 'chat',
};
const ticking = { ...chat, schedule: '0 * * * *', enabled: false };

/** What can be tried with a name, for each endpoint of the area. A missing endpoint fails the test. */
export const attempts: Record<string, Attempts> = {
  'POST /threads': (names) =>
    [{}, { if_exists: 'do_nothing' }, { if_exists: 'raise' }].map((wish) => ({
      path: '/threads',
      body: { thread_id: names.thread, ...wish },
      isCreation: true,
    })),
  'POST /threads/search': (names) =>
    [
      { ids: [names.thread] },
      { metadata: { word: names.word } },
      { values: { title: names.word } },
      { metadata: { word: names.word }, extract: { all: 'values.messages[0].content' } },
    ].map((body) => ({ path: '/threads/search', body })),
  'POST /threads/count': (names) =>
    [{ metadata: { word: names.word } }, { ids: [names.thread] }].map((body) => ({
      path: '/threads/count',
      body,
    })),
  'POST /threads/prune': (names, own) =>
    [
      { thread_ids: [names.thread], strategy: 'delete' },
      { thread_ids: [names.thread], strategy: 'keep_latest' },
      { thread_ids: [own.thread, names.thread], strategy: 'keep_latest' },
    ].map((body) => ({ path: '/threads/prune', body })),
  'GET /scheduled-tasks': () => [{ path: '/scheduled-tasks' }],
  'POST /scheduled-tasks': (names) =>
    [
      { ...hourly, context_mode: 'reuse_thread', thread_id: names.thread },
      { ...hourly, assistant_id: names.assistant },
      { ...hourly, assistant_id: names.word },
    ].map((body) => ({ path: '/scheduled-tasks', body })),
  'GET /scheduled-tasks/{task_id}': schedule(''),
  'PATCH /scheduled-tasks/{task_id}': schedule('', { title: 'taken' }),
  'DELETE /scheduled-tasks/{task_id}': schedule(''),
  'POST /scheduled-tasks/{task_id}/pause': schedule('/pause'),
  'POST /scheduled-tasks/{task_id}/resume': schedule('/resume'),
  'POST /scheduled-tasks/{task_id}/trigger': schedule('/trigger'),
  'GET /scheduled-tasks/{task_id}/runs': schedule('/runs'),
  'GET /threads/{thread_id}/scheduled-tasks': openThread('/scheduled-tasks'),
  'POST /threads/{thread_id}/runs/crons': thread('/runs/crons', ticking),
  'POST /runs/crons': (names) => [
    {
      path: '/runs/crons',
      body: { ...ticking, config: { configurable: { thread_id: names.thread } } },
      isCreation: true,
    },
    { path: '/runs/crons', body: { ...ticking, assistant_id: names.assistant } },
    { path: '/runs/crons', body: { ...ticking, assistant_id: names.word } },
  ],
  'POST /runs/crons/search': (names) =>
    [{ thread_id: names.thread }, { assistant_id: names.assistant }, { metadata: { word: names.word } }].map(
      (body) => ({ path: '/runs/crons/search', body }),
    ),
  'POST /runs/crons/count': (names) => [{ path: '/runs/crons/count', body: { thread_id: names.thread } }],
  'PATCH /runs/crons/{cron_id}': cron({ enabled: false }),
  'DELETE /runs/crons/{cron_id}': cron(),
  'GET /threads/{thread_id}': thread(''),
  'PATCH /threads/{thread_id}': thread('', { metadata: { taken: true } }),
  'DELETE /threads/{thread_id}': thread(''),
  'POST /threads/{thread_id}/copy': thread('/copy', {}),
  'GET /threads/{thread_id}/state': thread('/state'),
  'POST /threads/{thread_id}/state': (names, own) => [
    { path: `/threads/${names.thread}/state`, body: { values: { title: 'taken' } } },
    {
      path: `/threads/${own.thread}/state`,
      body: { values: { messages: [] }, checkpoint_id: names.checkpoint },
    },
  ],
  'PATCH /threads/{thread_id}/state': thread('/state', { metadata: { taken: true } }),
  'GET /threads/{thread_id}/state/{checkpoint_id}': (names, own) =>
    [names.thread, own.thread].map((id) => ({ path: `/threads/${id}/state/${names.checkpoint}` })),
  'POST /threads/{thread_id}/state/checkpoint': (names, own) =>
    [names.thread, own.thread].map((id) => ({
      path: `/threads/${id}/state/checkpoint`,
      body: { checkpoint: { thread_id: names.thread, checkpoint_id: names.checkpoint, checkpoint_ns: '' } },
    })),
  'POST /threads/{thread_id}/history': (names, own) => [
    { path: `/threads/${names.thread}/history`, body: {}, isOpen: true },
    { path: `/threads/${own.thread}/history`, body: { before: names.checkpoint } },
    {
      path: `/threads/${own.thread}/history`,
      body: { checkpoint: { thread_id: names.thread, checkpoint_id: names.checkpoint } },
    },
    {
      path: `/threads/${own.thread}/history`,
      body: { before: { configurable: { thread_id: names.thread, checkpoint_id: names.checkpoint } } },
    },
  ],
  'POST /threads/{thread_id}/commands': (names, own) => [
    {
      path: `/threads/${names.thread}/commands`,
      body: { id: 1, method: 'run.start', params: chat },
      isCreation: true,
    },
    ...[
      { method: 'input.respond', params: { interrupt_id: 'q', response: 'yes' } },
      { method: 'agent.getTree', params: {} },
      { method: 'state.get', params: { namespace: [] } },
    ].map((command) => ({ path: `/threads/${names.thread}/commands`, body: { id: 1, ...command } })),
    ...bodiesOfRun(names)
      .slice(0, 1)
      .concat(bodiesOfRun(names).slice(4, 5), bodiesOfRun(names).slice(6))
      .map((params) => ({
        path: `/threads/${own.thread}/commands`,
        body: { id: 1, method: 'run.start', params },
      })),
    {
      path: `/threads/${own.thread}/commands`,
      body: { id: 1, method: 'agent.getTree', params: { run_id: names.run } },
    },
  ],
  'GET /threads/{thread_id}/stream/events': thread('/stream/events'),
  'POST /threads/{thread_id}/stream/events': (names) => [
    {
      path: `/threads/${names.thread}/stream/events`,
      body: { channels: ['values', 'messages'] },
      isOpen: true,
    },
  ],
  'GET /threads/{thread_id}/stream': (names) => [{ path: `/threads/${names.thread}/stream` }],
  'GET /threads/{thread_id}/history': (names, own) => [
    { path: `/threads/${names.thread}/history`, isOpen: true },
    { path: `/threads/${own.thread}/history?before=${names.checkpoint}` },
  ],
  'GET /threads/{thread_id}/messages': openThread('/messages'),
  'GET /threads/{thread_id}/messages/page': (names, own) => [
    { path: `/threads/${names.thread}/messages/page`, isOpen: true },
    { path: `/threads/${names.thread}/messages/page?run_id=${own.run}`, isOpen: true },
    { path: `/threads/${own.thread}/messages/page?run_id=${names.run}` },
  ],
  'POST /threads/{thread_id}/read': thread('/read', {}),
  'POST /threads/{thread_id}/unread': thread('/unread', {}),
  'GET /threads/{thread_id}/token-usage': (names) =>
    ['', '?include_active=1'].map((query) => ({
      path: `/threads/${names.thread}/token-usage${query}`,
      isOpen: true,
    })),

  'POST /threads/{thread_id}/runs/regenerate/prepare': thread('/runs/regenerate/prepare', {
    message_id: 'm',
  }),
  'POST /threads/{thread_id}/runs/edit-regenerate/prepare': thread('/runs/edit-regenerate/prepare', {
    human_message_id: 'm',
    replacement_text: 'taken',
  }),
  'GET /threads/{thread_id}/answers': thread('/answers'),
  'POST /threads/{thread_id}/branches': thread('/branches', { message_id: 'm' }),
  'GET /threads/{thread_id}/goal': openThread('/goal'),
  'PUT /threads/{thread_id}/goal': (names) => [
    { path: `/threads/${names.thread}/goal`, body: { objective: 'taken' }, isCreation: true },
  ],
  'DELETE /threads/{thread_id}/goal': openThread('/goal'),
  'POST /threads/{thread_id}/compact': thread('/compact', { force: true }),
  'GET /threads/{thread_id}/runs/{run_id}/workspace-changes': openRun('/workspace-changes'),
  'POST /threads/{thread_id}/runs': newRun(''),
  'POST /threads/{thread_id}/runs/stream': newRun('/stream'),
  'POST /threads/{thread_id}/runs/wait': newRun('/wait'),
  'GET /threads/{thread_id}/runs': openThread('/runs'),
  'GET /threads/{thread_id}/runs/{run_id}': openRun(''),
  'DELETE /threads/{thread_id}/runs/{run_id}': run(''),
  'POST /threads/{thread_id}/runs/{run_id}/cancel': (names, own) =>
    ['', '?wait=1', '?action=rollback'].flatMap((query) => run(`/cancel${query}`)(names, own)),
  'GET /threads/{thread_id}/runs/{run_id}/join': (names, own) => [
    ...openRun('/join')(names, own),
    ...openRun('/join?cancel_on_disconnect=1')(names, own),
  ],
  'GET /threads/{thread_id}/runs/{run_id}/stream': (names, own) => [
    ...openRun('/stream')(names, own),
    ...openRun('/stream?cancel_on_disconnect=1')(names, own),
  ],
  'POST /threads/{thread_id}/runs/{run_id}/stream': (names, own) => [
    ...openRun('/stream')(names, own),
    ...['?action=interrupt', '?action=rollback&wait=1'].flatMap((query) =>
      run(`/stream${query}`)(names, own),
    ),
  ],
  'GET /threads/{thread_id}/runs/{run_id}/messages': openRun('/messages'),
  'GET /threads/{thread_id}/runs/{run_id}/events': openRun('/events'),
  'GET /threads/{thread_id}/runs/{run_id}/timeline': openRun('/timeline'),
  'GET /threads/{thread_id}/runs/{run_id}/why': openRun('/why'),
  'GET /runs/{run_id}/stream': runAlone('/stream'),
  'GET /runs/{run_id}/messages': runAlone('/messages'),
  'GET /runs/{run_id}/feedback': runAlone('/feedback'),
  'POST /runs': stateless('/runs'),
  'POST /runs/stream': stateless('/runs/stream'),
  'POST /runs/wait': stateless('/runs/wait'),
  'POST /runs/batch': (names) =>
    statelessBodies(names).flatMap(({ body, ...rest }) =>
      [[body], [chat, body]].map((list) => ({ path: '/runs/batch', body: list, ...rest })),
    ),
  'POST /runs/cancel': (names, own) =>
    [
      { run_ids: [names.run] },
      { thread_id: names.thread },
      { thread_id: names.thread, status: 'all' },
      { thread_id: own.thread, run_ids: [names.run] },
      { thread_id: names.thread, run_ids: [own.run] },
      { status: 'all' },
    ].map((body) => ({ path: '/runs/cancel', body })),

  'PUT /threads/{thread_id}/runs/{run_id}/feedback': run('/feedback', { rating: -1, comment: 'taken' }),
  'POST /threads/{thread_id}/runs/{run_id}/feedback': run('/feedback', { rating: -1, comment: 'taken' }),
  'GET /threads/{thread_id}/runs/{run_id}/feedback': openRun('/feedback'),
  'DELETE /threads/{thread_id}/runs/{run_id}/feedback': run('/feedback'),
  'GET /threads/{thread_id}/runs/{run_id}/feedback/stats': openRun('/feedback/stats'),
  'DELETE /threads/{thread_id}/runs/{run_id}/feedback/{feedback_id}': (names, own) => [
    ...run(`/feedback/${names.feedback}`)(names, own),
    { path: `/threads/${own.thread}/runs/${own.run}/feedback/${names.feedback}` },
  ],

  'POST /threads/{thread_id}/uploads': openThread('/uploads'),
  'GET /threads/{thread_id}/uploads/list': openThread('/uploads/list'),
  'GET /threads/{thread_id}/uploads/limits': openThread('/uploads/limits'),
  'DELETE /threads/{thread_id}/uploads/{filename}': thread('/uploads/a.txt'),
  'GET /threads/{thread_id}/artifacts/{path}': (names) =>
    ['uploads/a.txt', 'none.skill/SKILL.md', ''].map((path) => ({
      path: `/threads/${names.thread}/artifacts/mnt/user-data/${path}`,
      isOpen: true,
    })),
  'PUT /threads/{thread_id}/artifacts/{path}': thread('/artifacts/mnt/user-data/outputs/a.txt', {
    content: 'taken',
    expected_sha256: '0'.repeat(64),
  }),
  'POST /threads/{thread_id}/suggestions': openThread('/suggestions', {
    messages: [{ role: 'user', content: 'hi' }],
  }),

  'POST /input-polish': (names) => [
    { path: '/input-polish', body: { text: '', thread_id: names.thread }, isOpen: true },
  ],

  'POST /assistants/search': (names) => [
    { path: '/assistants/search', body: { metadata: { word: names.word } } },
  ],
  'POST /assistants/count': (names) => [
    { path: '/assistants/count', body: { metadata: { word: names.word } } },
  ],
  'GET /assistants/{assistant_id}': assistant(''),
  'PATCH /assistants/{assistant_id}': assistant('', { name: 'taken' }),
  'DELETE /assistants/{assistant_id}': assistant(''),
  'POST /assistants/{assistant_id}/versions': assistant('/versions', {}),
  'POST /assistants/{assistant_id}/latest': assistant('/latest', { version: 1 }),
  'GET /assistants/{assistant_id}/schemas': assistant('/schemas'),
  'GET /assistants/{assistant_id}/graph': assistant('/graph'),
  'GET /assistants/{assistant_id}/subgraphs': assistant('/subgraphs'),
  'GET /assistants/{assistant_id}/subgraphs/{namespace}': assistant('/subgraphs/inner'),

  // Each user has separate ids of assistants, so this is the last attempt.
  'POST /assistants': (names) =>
    [{}, { if_exists: 'do_nothing' }].map((wish) => ({
      path: '/assistants',
      body: { graph_id: 'chat', assistant_id: names.assistant, ...wish },
    })),

  'PUT /store/items': (names) => [
    { path: '/store/items', body: { namespace: [names.word], key: 'k', value: { text: 'taken' } } },
  ],
  'GET /store/items': (names) => [{ path: `/store/items?namespace=${names.word}.deep&key=k` }],
  'DELETE /store/items': (names) => [
    { path: '/store/items', body: { namespace: [names.word, 'deep'], key: 'k' } },
  ],
  'POST /store/items/search': (names) => [
    { path: '/store/items/search', body: { namespace_prefix: [names.word, 'deep'] } },
    { path: '/store/items/search', body: { filter: { text: names.word } } },
  ],
  'POST /store/namespaces': (names) => [
    { path: '/store/namespaces', body: { prefix: [names.word, 'deep'] } },
  ],

  // What every user may see. A memory has no id: it is the caller's, and conversation-memory.test.ts shows that. Its
  // facts have ids.
  'GET /memory': () => [{ path: '/memory' }],
  'DELETE /memory': () => [{ path: '/memory' }],
  'GET /memory/config': () => [{ path: '/memory/config' }],
  'GET /memory/status': () => [{ path: '/memory/status' }],
  'GET /memory/export': () => [{ path: '/memory/export' }],
  'POST /memory/import': () => [{ path: '/memory/import', body: {} }],
  'POST /memory/reload': () => [{ path: '/memory/reload', body: {} }],
  'POST /memory/facts': () => [{ path: '/memory/facts', body: {} }],
  'PATCH /memory/facts/{fact_id}': (names) => [
    { path: `/memory/facts/${names.word}`, body: { content: 'mine now' } },
  ],
  'DELETE /memory/facts/{fact_id}': (names) => [{ path: `/memory/facts/${names.word}` }],
  'GET /agents': () => [{ path: '/agents' }],
  'GET /agents/check': (names) => [{ path: `/agents/check?name=${names.word}` }],
  'GET /agents/{name}': (names) => [{ path: `/agents/${names.word}` }],
  'PUT /agents/{name}': (names) => [{ path: `/agents/${names.word}`, body: { soul: 'taken' } }],
  'DELETE /agents/{name}': (names) => [{ path: `/agents/${names.word}` }],
  // Each user has separate names of agents, so this is the last attempt.
  'POST /agents': (names) => [{ path: '/agents', body: { name: names.word } }],
  'GET /user-profile': () => [{ path: '/user-profile' }],
  'PUT /user-profile': () => [{ path: '/user-profile', body: { content: 3 } }],
  // Skills are the same for all users. Only administrators may change them, and conversation-skills.test.ts shows that.
  'GET /skills': () => [{ path: '/skills' }],
  'GET /skills/{skill_name}': (names) => [{ path: `/skills/${names.word}` }],
  'GET /skills/custom': () => [{ path: '/skills/custom' }],
  'GET /skills/custom/{skill_name}': (names) => [{ path: `/skills/custom/${names.word}` }],
  // Numbers of the caller. conversation-console.test.ts shows that they do not include those of others.
  'GET /console/stats': () => [{ path: '/console/stats' }, { path: '/console/stats?scope=all' }],
  'GET /console/unread-threads': () => [{ path: '/console/unread-threads' }],
  'GET /console/runs': () => [{ path: '/console/runs' }, { path: '/console/runs?scope=all' }],
  'GET /console/usage': () => [{ path: '/console/usage' }, { path: '/console/usage?scope=all' }],
  'GET /features': () => [{ path: '/features' }],
  'GET /channels/providers': () => [{ path: '/channels/providers' }],
  'GET /channels/connections': () => [{ path: '/channels/connections' }],
  'GET /integrations/lark/status': () => [{ path: '/integrations/lark/status' }],
  'GET /suggestions/config': () => [{ path: '/suggestions/config' }],
  'GET /graphs': () => [{ path: '/graphs' }],
  'GET /models': () => [{ path: '/models' }],
  'GET /models/{name}': () => [{ path: '/models/demo' }],
};
