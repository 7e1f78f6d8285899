import {
  listFileModels,
  listFileTags,
  type MarkedFiles,
  markFiles,
} from '@switchyard/contract/dispatch/file';
import type { Command } from 'commander';
import { describeGatewayCommand } from './commands/describe-gateway-command.ts';
import { CommandError } from './exit-codes.ts';
import type { GatewayOptions } from './gateway-options.ts';
import { openGateway } from './open-gateway.ts';
import { collected } from './option-values.ts';
import { type OutputOptions, printJson, printTable } from './output.ts';
import type { Column } from './table.ts';
import type { Terminal } from './terminal.ts';

type Options = GatewayOptions & OutputOptions;
type Marks = Awaited<ReturnType<typeof mark>>['items'][number];

/** Stars, captions and tags. A star keeps a file, so that `files.retention` does not delete it. */
export function addFilesMarks(parent: Command, terminal: Terminal): void {
  const act = async (fileIds: string[], change: Omit<MarkedFiles, 'fileIds'>, options: Options) => {
    const marked = await mark({ fileIds, ...change }, options, terminal);
    if (options.output === 'json') return printJson(terminal, marked);
    printTable(terminal, { columns, rows: marked.items, none: '' });
  };
  for (const [name, starred, purpose] of [
    ['star', true, 'star files, which keeps them beyond files.retention'],
    ['unstar', false, 'take the star off files'],
  ] as const) {
    const command = parent
      .command(`${name} <ids...>`)
      .action((ids: string[], options: Options) => act(ids, { starred }, options));
    describeGatewayCommand(command, {
      purpose,
      examples: [`switchyard files ${name} 2b1cXk5x0Zc3v4Q9eYt7Wg`],
    });
  }
  const caption = parent
    .command('caption <id> <text>')
    .action((id: string, text: string, options: Options) => act([id], { caption: text }, options));
  describeGatewayCommand(caption, {
    purpose: 'give a file a short caption; an empty one takes it away',
    examples: ['switchyard files caption 2b1cXk5x0Zc3v4Q9eYt7Wg "The second try"'],
  });
  const tag = parent
    .command('tag <ids...>')
    .option('--add <tag>', 'a tag to add; several times for several', collected)
    .option('--remove <tag>', 'a tag to take off; several times for several', collected)
    .action((ids: string[], options: Options & { add?: string[]; remove?: string[] }) => {
      const { add: addTags, remove: removeTags } = options;
      if (!addTags && !removeTags) throw new CommandError('usage', 'Say which tags: --add or --remove.');
      return act(ids, { ...(addTags && { addTags }), ...(removeTags && { removeTags }) }, options);
    });
  describeGatewayCommand(tag, {
    purpose: 'add tags to files, and take tags off',
    examples: ['switchyard files tag 2b1cXk5x0Zc3v4Q9eYt7Wg --add portrait --remove draft'],
    exits: ['ok', 'usage', 'auth', 'not_found', 'conflict', 'unreachable'],
  });
  const tags = parent.command('tags').action(async (options: Options) => {
    const { call } = await openGateway(options, terminal);
    const list = await call(listFileTags, { query: {} });
    if (options.output === 'json') return printJson(terminal, list);
    printTable(terminal, { columns: tagColumns, rows: list.items, none: 'Your files have no tags.' });
  });
  describeGatewayCommand(tags, {
    purpose: 'list the tags of your files, the most used first',
    examples: ['switchyard files tags'],
    exits: ['ok', 'auth', 'unreachable'],
  });
  const models = parent.command('models').action(async (options: Options) => {
    const { call } = await openGateway(options, terminal);
    const list = await call(listFileModels, { query: {} });
    if (options.output === 'json') return printJson(terminal, list);
    printTable(terminal, {
      columns: modelColumns,
      rows: list.items,
      none: 'Your files were made without models.',
    });
  });
  describeGatewayCommand(models, {
    purpose: 'list the models that your files were made with, the most used first',
    examples: ['switchyard files models', 'switchyard files list --model flux1-dev.safetensors'],
    exits: ['ok', 'auth', 'unreachable'],
  });
}

async function mark(body: MarkedFiles, options: Options, terminal: Terminal) {
  const { call } = await openGateway(options, terminal);
  return call(markFiles, { body });
}

const columns: Column<Marks>[] = [
  { title: 'ID', of: ({ fileId }) => fileId },
  { title: 'STAR', of: ({ starred }) => (starred ? 'yes' : '') },
  { title: 'KEPT BY', of: ({ keptBy }) => keptBy.join(', ') },
  { title: 'DELETED', of: ({ expiresAt }) => expiresAt ?? 'never' },
  { title: 'TAGS', of: ({ tags }) => tags.join(', ') },
  { title: 'CAPTION', of: ({ caption }) => caption },
];

const modelColumns: Column<{ model: string; count: number }>[] = [
  { title: 'MODEL', of: ({ model }) => model },
  { title: 'FILES', of: ({ count }) => String(count) },
];

const tagColumns: Column<{ tag: string; count: number }>[] = [
  { title: 'TAG', of: ({ tag }) => tag },
  { title: 'FILES', of: ({ count }) => String(count) },
];
