import { createWriteStream, openSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream as NodeReadableStream } from 'node:stream/web';
import { nameTokens } from '@switchyard/contract/dispatch/file';
import type { Command } from 'commander';
import { CommandError } from './exit-codes.ts';
import { addFileFilters, type FileFilterOptions, filterOf } from './file-filters.ts';
import { addGatewayOptions, type GatewayOptions, gatewayEnvironment } from './gateway-options.ts';
import { describeCommand } from './help.ts';
import { withInterrupts } from './interrupts.ts';
import { openGateway } from './open-gateway.ts';
import type { Terminal } from './terminal.ts';

interface ZipOptions extends GatewayOptions, FileFilterOptions {
  output: string;
  names?: string;
  recipes?: true;
  strip?: true;
}

export const stripPurpose = 'leave out the texts and EXIF of pictures, in which workers write the graph';

export function addFilesZip(parent: Command, terminal: Terminal): void {
  const command = parent
    .command('zip [ids...]')
    .option('-o, --output <file>', 'where to save it; a file that is there is not replaced', 'files.zip')
    .option(
      '--names <pattern>',
      `how files are named, with ${nameTokens.map((token) => `{${token}}`).join(', ')}`,
    )
    .option('--recipes', 'put the recipe of each output beside it, as JSON')
    .option('--strip', stripPurpose)
    .action((fileIds: string[], options: ZipOptions) => saveZip(fileIds, options, terminal));
  addFileFilters(command);
  addGatewayOptions(command);
  describeCommand(command, {
    purpose: 'save files as one zip: these, or those that fit the filters',
    examples: [
      'switchyard files zip --kind image --since 1d -o today.zip',
      'switchyard files zip 2b1cXk5x0Zc3v4Q9eYt7Wg 3c2dYl6y1Ad4w5R0fZu8Xh -o two.zip',
      'switchyard files zip --starred --names "{workflow}-{date}-{seed}-{n}" --recipes --strip',
    ],
    environment: gatewayEnvironment,
    exits: ['ok', 'failed', 'usage', 'auth', 'not_found', 'unreachable', 'cancelled'],
  });
}

async function saveZip(fileIds: string[], options: ZipOptions, terminal: Terminal): Promise<void> {
  const filter = filterOf(options);
  if (fileIds.length > 0 && Object.values(filter).some((value) => value !== undefined)) {
    throw new CommandError('usage', 'Give ids or filters, not both.');
  }
  const client = await openGateway(options, terminal);
  const path = resolve(terminal.cwd, options.output);
  await withInterrupts(async (signal) => {
    const { names, recipes, strip } = options;
    const form = { names, recipes, strip: strip && ('metadata' as const) };
    const selection = fileIds.length > 0 ? { fileIds, ...form } : { filter, ...form };
    const { stream } = await client.downloadZip(selection, { signal });
    const source = Readable.fromWeb(stream as NodeReadableStream<Uint8Array>);
    const fd = openNew(path, source);
    try {
      await pipeline(source, createWriteStream(path, { fd }), { signal });
    } catch (error) {
      // Half an archive is none.
      rmSync(path, { force: true });
      throw error;
    }
  });
  terminal.stdout.write(`${options.output}\n`);
}

function openNew(path: string, source: Readable): number {
  try {
    return openSync(path, 'wx');
  } catch (error) {
    source.destroy();
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new CommandError('usage', `${path} is there already. Choose another name with -o.`, error);
  }
}
