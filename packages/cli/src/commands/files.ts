import { join, resolve } from 'node:path';
import { filePartsOf } from '@switchyard/client/file-parts';
import type { UploadedFile } from '@switchyard/client/files';
import {
  deleteFiles,
  listFiles,
  type MaskPlace,
  maskPlaces,
  type StoredFile,
} from '@switchyard/contract/dispatch/file';
import type { ErrorCode } from '@switchyard/contract/errors';
import { AppError } from '@switchyard/server/lib/app-error';
import { type Command, Option } from 'commander';
import { addFileFilters, type FileFilterOptions, filterOf } from '../file-filters.ts';
import { addFilesAgain } from '../files-again.ts';
import { addFilesLineage } from '../files-lineage.ts';
import { addFilesMarks } from '../files-marks.ts';
import { addFilesRecipe } from '../files-recipe.ts';
import { addFilesZip, stripPurpose } from '../files-zip.ts';
import { formatSize } from '../format-size.ts';
import { addGatewayOptions, type GatewayOptions, gatewayEnvironment } from '../gateway-options.ts';
import { describeCommand } from '../help.ts';
import { withInterrupts } from '../interrupts.ts';
import { addPageOptions, type PageOptions } from '../list-pages.ts';
import { requireFile, uploadLocalFile } from '../local-file.ts';
import { openGateway } from '../open-gateway.ts';
import { addOutputOption, type OutputOptions, printJson, printTable } from '../output.ts';
import { saveFile } from '../save-file.ts';
import type { Column } from '../table.ts';
import type { Terminal } from '../terminal.ts';

type Options = GatewayOptions & OutputOptions;

interface UploadOptions extends Options {
  maskOf?: string;
  maskPlace: MaskPlace;
}

interface ListOptions extends Options, FileFilterOptions, PageOptions {
  cursor?: string;
}

export function addFilesCommand(program: Command, terminal: Terminal): void {
  const command = program.command('files');
  describeCommand(command, {
    purpose: 'list, upload, download, mark and delete files, and see how they were made',
    examples: ['switchyard files upload cat.png', 'switchyard files list --source output'],
  });
  addList(command, terminal);
  addUpload(command, terminal);
  addDownload(command, terminal);
  addFilesZip(command, terminal);
  addFilesMarks(command, terminal);
  addFilesRecipe(command, terminal);
  addFilesLineage(command, terminal);
  addFilesAgain(command, terminal);
  addDelete(command, terminal);
}

function addList(parent: Command, terminal: Terminal): void {
  const listing = parent
    .command('list')
    .option('--cursor <cursor>', 'the page after the one that ended with this cursor');
  const command = addPageOptions(listing, 200).action(async (options: ListOptions) => {
    const { call } = await openGateway(options, terminal);
    const { limit, offset, cursor } = options;
    const query = { ...filterOf(options), limit, offset, cursor };
    const list = await call(listFiles, { query });
    if (options.output === 'json') return printJson(terminal, list);
    printTable(terminal, { columns, rows: list.items, none: 'There are no such files.' });
    const { total, items, nextCursor } = list;
    if (nextCursor === null) return;
    terminal.stderr.write(`${items.length} of ${total} files; the next ones: --cursor ${nextCursor}\n`);
  });
  addFileFilters(command);
  addOutputOption(addGatewayOptions(command));
  describeCommand(command, {
    purpose: 'list files, the newest first',
    examples: [
      'switchyard files list',
      'switchyard files list --kind image --since 7d',
      'switchyard files list --q "red kite" --param steps=20',
      'switchyard files list --source output -o json',
    ],
    environment: gatewayEnvironment,
    exits: ['ok', 'auth', 'unreachable'],
  });
}

function addUpload(parent: Command, terminal: Terminal): void {
  const command = parent
    .command('upload <paths...>')
    .option('--mask-of <id>', 'the file is a mask for this picture, white where it masks')
    .addOption(
      new Option('--mask-place <place>', 'alpha: the picture with the mask; channel: the mask alone')
        .choices([...maskPlaces])
        .default('alpha'),
    )
    .action(async (paths: string[], { maskOf, maskPlace, ...options }: UploadOptions) => {
      const absolute = paths.map((path) => resolve(terminal.cwd, path));
      for (const path of absolute) requireFile(path);
      const client = await openGateway(options, terminal);
      const uploaded: UploadedFile[] = [];
      const mask = maskOf === undefined ? {} : { maskOf, maskPlace };
      await withInterrupts(async (signal) => {
        for (const path of absolute) uploaded.push(await uploadLocalFile(client, path, signal, mask));
      });
      if (options.output === 'json') printJson(terminal, uploaded);
      else printTable(terminal, { columns: uploadColumns, rows: uploaded, none: '' });
    });
  addOutputOption(addGatewayOptions(command));
  describeCommand(command, {
    purpose: 'upload files',
    examples: [
      'switchyard files upload cat.png',
      'switchyard files upload frames/*.png -o json',
      'switchyard files upload mask.png --mask-of 2b1cXk5x0Zc3v4Q9eYt7Wg',
    ],
    environment: gatewayEnvironment,
    exits: ['ok', 'failed', 'usage', 'auth', 'not_found', 'unreachable'],
  });
}

function addDownload(parent: Command, terminal: Terminal): void {
  const command = parent
    .command('download <ids...>')
    .option('-o, --output-dir <folder>', 'where to save them', '.')
    .option('--strip', stripPurpose)
    .action(async (ids: string[], options: GatewayOptions & { outputDir: string; strip?: true }) => {
      const client = await openGateway(options, terminal);
      const folder = resolve(terminal.cwd, options.outputDir);
      await withInterrupts(async (signal) => {
        for (const id of ids) {
          const name = await saveFile(client, id, { folder, strip: options.strip && 'metadata', signal });
          terminal.stdout.write(`${join(options.outputDir, name)}\n`);
        }
      });
    });
  addGatewayOptions(command);
  describeCommand(command, {
    purpose: 'save files under their names, beside what is there already',
    examples: ['switchyard files download 2b1cXk5x0Zc3v4Q9eYt7Wg -o out/'],
    environment: gatewayEnvironment,
    exits: ['ok', 'failed', 'auth', 'not_found', 'unreachable'],
  });
}

function addDelete(parent: Command, terminal: Terminal): void {
  const command = parent.command('delete <ids...>').action(async (ids: string[], options: GatewayOptions) => {
    const { call } = await openGateway(options, terminal);
    const fileIds = [...new Set(ids)];
    const kept: AppError[] = [];
    for (const some of filePartsOf(fileIds)) {
      const { items } = await call(deleteFiles, { body: { fileIds: some } });
      for (const { fileId, error } of items)
        if (error === null) terminal.stdout.write(`${fileId}\n`);
        else kept.push(new AppError(error.code as ErrorCode, { message: `${fileId}: ${error.message}` }));
    }
    const [first] = kept;
    if (first) throw new AppError(first.code, { message: kept.map(({ message }) => message).join('\n') });
  });
  addGatewayOptions(command);
  describeCommand(command, {
    purpose: 'delete files; those that stay are named with the reason',
    examples: ['switchyard files delete 2b1cXk5x0Zc3v4Q9eYt7Wg'],
    environment: gatewayEnvironment,
    exits: ['ok', 'auth', 'not_found', 'conflict', 'unreachable'],
  });
}

const columns: Column<StoredFile>[] = [
  { title: 'ID', of: ({ fileId }) => fileId },
  { title: 'SIZE', of: ({ size }) => formatSize(size) },
  { title: 'TYPE', of: ({ contentType }) => contentType },
  { title: 'SOURCE', of: ({ source }) => source },
  { title: 'KEPT BY', of: ({ keptBy }) => keptBy.join(', ') },
  { title: 'CREATED', of: ({ createdAt }) => createdAt },
  { title: 'NAME', of: ({ filename }) => filename },
];

const uploadColumns: Column<UploadedFile>[] = [
  { title: 'ID', of: ({ fileId }) => fileId },
  { title: 'SIZE', of: ({ size }) => formatSize(size) },
  { title: 'NAME', of: ({ filename }) => filename },
];
