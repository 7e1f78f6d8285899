/**
 * The first parts of the keys in the query cache. Live frames change what stands below them, so every query about one of these
 * nouns begins with its key: a list below `list` or `pages`, one thing below `one` and its id.
 */
export const keys = {
  tasks: ['tasks'],
  taskLists: ['tasks', 'list'],
  taskPages: ['tasks', 'pages'],
  task: (taskId: string) => ['tasks', 'one', taskId] as const,
  tasksOfThread: (threadId: string) => ['tasks', 'list', { threadId }] as const,
  newTasks: ['tasks', 'new'],
  usualNodes: (taskId: string) => ['usual-nodes', taskId] as const,
  previewFilms: ['preview-films'],
  previewFilm: (taskId: string) => ['preview-films', taskId] as const,
  preview: (taskId: string) => ['previews', taskId] as const,
  instances: ['instances'],
  instanceList: ['instances', 'list'],
  instance: (instanceId: string) => ['instances', 'one', instanceId] as const,
  overview: ['overview'],
  queue: ['queue'],
  files: ['files'],
  filePages: ['files', 'pages'],
  newFiles: ['files', 'new'],
  /** The files of a collection in its order. */
  filesOf: (collectionId: string) => ['files', 'pages', collectionId] as const,
  file: (fileId: string) => ['files', 'one', fileId] as const,
  fileDifference: (fileId: string, ...others: string[]) =>
    ['files', 'one', fileId, 'difference', others] as const,
  fileTags: ['files', 'tags'],
  /** Apart from the files: they are counted over all of them, and a change of one file rarely brings another model. */
  fileModels: ['file-models'],
  starred: ['files', 'starred'],
  collections: ['collections'],
  shares: ['shares'],
  workflows: ['workflows'],
  workflow: (workflowId: string) => ['workflows', 'one', workflowId] as const,
  sweeps: ['sweeps'],
  sweep: (sweepId: string) => ['sweeps', 'one', sweepId] as const,
  sweepCells: (sweepId: string) => ['sweeps', 'cells', sweepId] as const,
  threads: ['threads'],
  threadPages: ['threads', 'pages'],
  unreadThreads: ['threads', 'unread'],
  thread: (threadId: string) => ['threads', 'one', threadId] as const,
  runs: ['runs'],
  runPages: ['runs', 'pages'],
  run: (threadId: string, runId: string) => ['runs', 'one', threadId, runId] as const,
  usage: ['usage'],
} as const satisfies Record<string, readonly unknown[] | ((...ids: string[]) => readonly unknown[])>;
