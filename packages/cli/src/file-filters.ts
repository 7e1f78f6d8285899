import { type FileFilterQuery, fileKinds, fileSources } from '@switchyard/contract/dispatch/file';
import { maxInteger } from '@switchyard/contract/shapes';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { collected, moment, wholeNumber } from './option-values.ts';

export interface FileFilterOptions {
  source?: FileFilterQuery['source'];
  kind?: FileFilterQuery['kind'];
  task?: string;
  workflow?: string;
  user?: string;
  since?: string;
  until?: string;
  starred?: true;
  tag?: string;
  collection?: string;
  expiresWithin?: string;
  q?: string;
  param?: string[];
  model?: string;
  minWidth?: number;
  maxWidth?: number;
  minHeight?: number;
  maxHeight?: number;
  minMegapixels?: number;
  maxMegapixels?: number;
  minBytes?: number;
  maxBytes?: number;
}

const sizes = ['Width', 'Height', 'Megapixels', 'Bytes'] as const;

/** The same filters for a list and for an archive. */
export function addFileFilters(command: Command): Command {
  for (const size of sizes) {
    const unit = size === 'Bytes' ? 'bytes' : size === 'Megapixels' ? 'number' : 'pixels';
    const name = size.toLowerCase();
    command.option(`--min-${name} <${unit}>`, `only files of at least this ${nouns[size]}`, bound(size));
    command.option(`--max-${name} <${unit}>`, `only files of at most this ${nouns[size]}`, bound(size));
  }
  return command
    .option('--q <words>', 'only files that were made with all these words, or have them in their name')
    .option('-p, --param <name=value>', 'only files that were made with this value of an input', collected)
    .option('--model <name>', 'only files that were made with this model')
    .addOption(new Option('--source <source>', 'only these').choices([...fileSources]))
    .addOption(new Option('--kind <kind>', 'only files of this kind').choices([...fileKinds]))
    .option('--task <id>', 'only outputs of this task')
    .option('--workflow <name>', 'only outputs of this saved workflow; its name or its id')
    .option('--user <id>', 'only files of this user; for administrators')
    .option('--since <time>', 'stored since: a date and time, or how long ago (2h, 7d)', (text) =>
      moment(text),
    )
    .option('--until <time>', 'stored until: a date and time, or how long ago (2h, 7d)', (text) =>
      moment(text),
    )
    .option('--starred', 'only those with a star')
    .option('--tag <tag>', 'only those with this tag')
    .option('--collection <id>', 'only those in this collection')
    .option('--expires-within <time>', 'only those that are deleted within this time (7d)', untilThen);
}

function untilThen(text: string): string {
  return new Date(2 * Date.now() - Date.parse(moment(text))).toISOString();
}

export function filterOf(options: FileFilterOptions): FileFilterQuery {
  const { source, kind, task: taskId, workflow, user: owner, since, until, q, param, model } = options;
  const { starred, tag, collection: collectionId, expiresWithin: expiresBefore } = options;
  const bounds = sizes.flatMap((size) => [`min${size}`, `max${size}`] as const);
  return {
    ...{ source, kind, taskId, workflow, owner, since, until, q, param, model },
    ...{ starred, tag, collectionId, expiresBefore },
    ...Object.fromEntries(bounds.map((name) => [name.replace('Megapixels', 'Pixels'), options[name]])),
  } as FileFilterQuery;
}

const maxBytes = 999_999_999_999_999;
const nouns = {
  Width: 'width',
  Height: 'height',
  Megapixels: 'many megapixels',
  Bytes: 'size in bytes',
} as const;

function bound(size: (typeof sizes)[number]): (text: string) => number {
  if (size !== 'Megapixels') return wholeNumber(0, size === 'Bytes' ? maxBytes : maxInteger);
  return (text) => {
    const pixels = Math.round(Number(text) * 1_000_000);
    if (/^\d+(\.\d+)?$/.test(text) && pixels <= maxInteger) return pixels;
    throw new InvalidArgumentError('Write a number of megapixels, for example 1.5.');
  };
}
