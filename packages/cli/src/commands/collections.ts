import type { Client } from '@switchyard/client/client';
import {
  addToCollection,
  type Collection,
  collectionLimits,
  createCollection,
  deleteCollection,
  getCollection,
  listCollectionFiles,
  listCollections,
  moveInCollection,
  removeFromCollection,
  updateCollection,
} from '@switchyard/contract/dispatch/collection';
import type { StoredFile } from '@switchyard/contract/dispatch/file';
import type { Command } from 'commander';
import { CommandError } from '../exit-codes.ts';
import type { GatewayOptions } from '../gateway-options.ts';
import { describeCommand } from '../help.ts';
import { addPageOptions, type PageOptions, sayHowToGoOn } from '../list-pages.ts';
import { openGateway } from '../open-gateway.ts';
import { type OutputOptions, printJson, printTable } from '../output.ts';
import { plainText } from '../plain-text.ts';
import type { Column } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import { describeGatewayCommand } from './describe-gateway-command.ts';

type Options = GatewayOptions & OutputOptions;

export function addCollectionsCommand(program: Command, terminal: Terminal): void {
  const command = program.command('collections');
  describeCommand(command, {
    purpose: 'put files together, in an order of your own; a collection keeps its files',
    examples: ['switchyard collections create Sea', 'switchyard collections add Sea 2b1cXk5x0Zc3v4Q9eYt7Wg'],
  });
  addList(command, terminal);
  addShow(command, terminal);
  addCreate(command, terminal);
  addFileCommands(command, terminal);
  addChange(command, terminal);
  addDelete(command, terminal);
}

function addList(parent: Command, terminal: Terminal): void {
  const command = addPageOptions(parent.command('list'), collectionLimits.perUser)
    .option('--file <id>', 'only those that have this file')
    .action(async (options: Options & PageOptions & { file?: string }) => {
      const { call } = await openGateway(options, terminal);
      const { limit, offset, file: fileId } = options;
      const list = await call(listCollections, { query: { limit, offset, ...(fileId && { fileId }) } });
      if (options.output === 'json') return printJson(terminal, list);
      printTable(terminal, { columns, rows: list.items, none: 'There are no such collections.' });
      sayHowToGoOn(list, { noun: 'collections', offset }, terminal);
    });
  describeGatewayCommand(command, {
    purpose: 'list your collections by name',
    examples: ['switchyard collections list', 'switchyard collections list -o json'],
    exits: ['ok', 'auth', 'unreachable'],
  });
}

function addShow(parent: Command, terminal: Terminal): void {
  const command = parent
    .command('show <name>')
    .option('--cursor <cursor>', 'the page after the one that ended with this cursor')
    .action(async (name: string, options: Options & { cursor?: string }) => {
      const client = await openGateway(options, terminal);
      const { id: collectionId } = await find(client, name);
      const query = { limit: 200, ...(options.cursor && { cursor: options.cursor }) };
      const page = await client.call(listCollectionFiles, { params: { collectionId }, query });
      if (options.output === 'json') return printJson(terminal, page);
      printTable(terminal, { columns: fileColumns, rows: page.items, none: 'The collection is empty.' });
      if (page.nextCursor === null) return;
      terminal.stderr.write(`${page.total} files in all; the next ones: --cursor ${page.nextCursor}\n`);
    });
  describeGatewayCommand(command, {
    purpose: 'list the files of a collection in its order',
    examples: ['switchyard collections show Sea'],
    exits: ['ok', 'auth', 'not_found', 'unreachable'],
  });
}

function addCreate(parent: Command, terminal: Terminal): void {
  const command = parent.command('create <name>').action(async (name: string, options: Options) => {
    const { call } = await openGateway(options, terminal);
    print(await call(createCollection, { body: { name } }), options, terminal);
  });
  describeGatewayCommand(command, {
    purpose: 'make a collection',
    examples: ['switchyard collections create Sea'],
    exits: ['ok', 'failed', 'auth', 'conflict', 'unreachable'],
  });
}

function addFileCommands(parent: Command, terminal: Terminal): void {
  for (const [name, endpoint, purpose] of [
    ['add', addToCollection, 'add your files to the end of a collection'],
    ['remove', removeFromCollection, 'take files out of a collection; the files stay'],
  ] as const) {
    const command = parent
      .command(`${name} <name> <ids...>`)
      .action(async (nameOrId: string, fileIds: string[], options: Options) => {
        const client = await openGateway(options, terminal);
        const { id: collectionId } = await find(client, nameOrId);
        print(
          await client.call(endpoint, { params: { collectionId }, body: { fileIds } }),
          options,
          terminal,
        );
      });
    describeGatewayCommand(command, {
      purpose,
      examples: [`switchyard collections ${name} Sea 2b1cXk5x0Zc3v4Q9eYt7Wg`],
      exits: ['ok', 'failed', 'auth', 'not_found', 'conflict', 'unreachable'],
    });
  }
  const move = parent
    .command('move <name> <ids...>')
    .option('--before <id>', 'the file that follows them (default: the end)')
    .action(async (nameOrId: string, fileIds: string[], options: Options & { before?: string }) => {
      const client = await openGateway(options, terminal);
      const { id: collectionId } = await find(client, nameOrId);
      const body = { fileIds, before: options.before ?? null };
      print(await client.call(moveInCollection, { params: { collectionId }, body }), options, terminal);
    });
  describeGatewayCommand(move, {
    purpose: 'put files of a collection before another one, or at the end',
    examples: ['switchyard collections move Sea 2b1cXk5x0Zc3v4Q9eYt7Wg --before 9xQ2mB7d1Lk0v4Q9eYt7Wg'],
    exits: ['ok', 'failed', 'auth', 'not_found', 'conflict', 'unreachable'],
  });
}

function addChange(parent: Command, terminal: Terminal): void {
  const command = parent
    .command('change <name>')
    .option('--name <text>', 'its new name')
    .option('--cover <id>', 'the file on its cover, or "first"')
    .action(async (nameOrId: string, options: Options & { name?: string; cover?: string }) => {
      const { name, cover } = options;
      if (name === undefined && cover === undefined)
        throw new CommandError('usage', 'Say what changes: --name or --cover.');
      const client = await openGateway(options, terminal);
      const { id: collectionId } = await find(client, nameOrId);
      const body = {
        ...(name !== undefined && { name }),
        ...(cover !== undefined && { coverFileId: cover === 'first' ? null : cover }),
      };
      print(await client.call(updateCollection, { params: { collectionId }, body }), options, terminal);
    });
  describeGatewayCommand(command, {
    purpose: 'rename a collection, or choose its cover',
    examples: ['switchyard collections change Sea --name Ocean'],
    exits: ['ok', 'usage', 'failed', 'auth', 'not_found', 'conflict', 'unreachable'],
  });
}

function addDelete(parent: Command, terminal: Terminal): void {
  const command = parent
    .command('delete <names...>')
    .action(async (names: string[], options: GatewayOptions & OutputOptions) => {
      const client = await openGateway(options, terminal);
      for (const name of names) {
        const { id: collectionId } = await find(client, name);
        await client.call(deleteCollection, { params: { collectionId } });
        terminal.stdout.write(`${collectionId}\n`);
      }
    });
  describeGatewayCommand(command, {
    purpose: 'delete collections; their files stay, and are not kept by them any more',
    examples: ['switchyard collections delete Sea'],
    exits: ['ok', 'auth', 'not_found', 'unreachable'],
  });
}

/** Finds a collection by its name, otherwise by its id. */
async function find({ call }: Client, nameOrId: string): Promise<Collection> {
  const named =
    nameOrId.length > collectionLimits.name
      ? undefined
      : (await call(listCollections, { query: { name: nameOrId } })).items[0];
  if (named) return named;
  if (nameOrId.length > 64)
    throw new CommandError('not_found', `There is no collection "${plainText(nameOrId)}".`);
  return call(getCollection, { params: { collectionId: nameOrId } });
}

function print(collection: Collection, options: Options, terminal: Terminal): void {
  if (options.output === 'json') printJson(terminal, collection);
  else printTable(terminal, { columns, rows: [collection], none: '' });
}

const columns: Column<Collection>[] = [
  { title: 'ID', of: ({ id }) => id },
  { title: 'FILES', of: ({ count }) => String(count) },
  { title: 'UPDATED', of: ({ updatedAt }) => updatedAt },
  { title: 'NAME', of: ({ name }) => name },
];

const fileColumns: Column<StoredFile>[] = [
  { title: 'ID', of: ({ fileId }) => fileId },
  { title: 'TYPE', of: ({ contentType }) => contentType },
  { title: 'NAME', of: ({ filename }) => filename },
  { title: 'CAPTION', of: ({ caption }) => caption },
];
