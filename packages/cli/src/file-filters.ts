import { type FileFilterQuery, fileKinds, fileSources } from '@switchyard/contract/dispatch/file';
import { type Command, Option } from 'commander';
import { moment } from './option-values.ts';

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
}

/** The same filters for a list and for an archive. */
export function addFileFilters(command: Command): Command {
  return command
    .addOption(new Option('--source <source>', 'only these').choices([...fileSources]))
    .addOption(new Option('--kind <kind>', 'only files of this kind').choices([...fileKinds]))
    .option('--task <id>', 'only outputs of this task')
    .option('--workflow <id>', 'only outputs of this saved workflow')
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
  const { source, kind, task: taskId, workflow: workflowId, user: owner, since, until } = options;
  const { starred, tag, collection: collectionId, expiresWithin: expiresBefore } = options;
  const marks = { starred, tag, collectionId, expiresBefore };
  return { source, kind, taskId, workflowId, owner, since, until, ...marks } as FileFilterQuery;
}
