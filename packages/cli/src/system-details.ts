import type { SystemReport } from '@switchyard/contract/system';
import { formatSize } from './format-size.ts';
import { details, table } from './table.ts';

/** One screen about the gateway, a paragraph for each subject. */
export function describeSystem(report: SystemReport): string {
  return [
    aboutProcess(report),
    aboutDependencies(report),
    aboutReplicas(report),
    aboutJobs(report),
    aboutStorage(report),
    aboutRetention(report),
  ].join('\n');
}

function aboutProcess({ versions, process, startedAt }: SystemReport): string {
  const libraries = Object.entries(versions.libraries).map(([name, version]) => `${name} ${version}`);
  return details([
    ['gateway', versions.gateway],
    ['node', `${versions.node} on ${versions.platform}`],
    ['libraries', libraries.join(', ')],
    ['started', startedAt],
    ['memory', formatSize(process.memoryBytes)],
  ]);
}

function aboutDependencies({ dependencies }: SystemReport): string {
  return table(
    [
      { title: 'DEPENDENCY', of: ({ name }) => name },
      { title: 'KIND', of: ({ kind }) => kind },
      { title: 'STATE', of: ({ ok }) => (ok ? 'ok' : 'FAILS') },
      { title: 'LATENCY', of: ({ latencyMs }) => (latencyMs === null ? null : `${latencyMs} ms`) },
      { title: 'DETAIL', of: ({ detail }) => detail },
    ],
    dependencies,
  );
}

function aboutReplicas({ replicas }: SystemReport): string {
  return replicas
    .map(({ id, isThis, holds }) => {
      const lines = holds.map(({ what }) => `  ${what}\n`);
      return `Replica ${id}${isThis ? ' (this one)' : ''}\n${lines.join('') || '  holds nothing\n'}`;
    })
    .join('');
}

function aboutJobs({ deadJobs: { total, items } }: SystemReport): string {
  if (total === 0) return 'No dead jobs\n';
  const lines = table(
    [
      { title: 'ID', of: ({ id }) => id },
      { title: 'KIND', of: ({ kind }) => kind },
      { title: 'DIED', of: ({ diedAt }) => diedAt },
      { title: 'ERROR', of: ({ lastError }) => lastError },
    ],
    items,
  );
  return `Dead jobs: ${total}\n${lines}`;
}

function aboutStorage({ storage }: SystemReport): string {
  const { byKind, byUser, foldersTakenAt, foldersComplete, freeBytes } = storage;
  const kinds = byKind.map(({ kind, bytes, count }): [string, string] => [
    kind,
    formatSize(bytes) + (count === null ? '' : ` in ${count}`),
  ]);
  const free = freeBytes.map(({ folder, bytes }): [string, string] => [
    'free',
    `${formatSize(bytes)} at ${folder}`,
  ]);
  const when =
    foldersTakenAt === null
      ? 'The folders are measured for the first time; ask again.\n'
      : `Folders measured at ${foldersTakenAt}${foldersComplete ? '' : ', as far as they were looked at'}\n`;
  const users = table(
    [
      { title: 'USER', of: ({ email, userId }) => email ?? userId },
      { title: 'FILES', of: ({ files }) => files },
      { title: 'FILE SIZE', of: ({ fileBytes }) => formatSize(fileBytes) },
      { title: 'THREADS', of: ({ threadBytes }) => formatSize(threadBytes) },
    ],
    byUser,
  );
  return details([...kinds, ...free]) + when + (byUser.length === 0 ? '' : users);
}

function aboutRetention({ retention }: SystemReport): string {
  return table(
    [
      { title: 'DELETED NEXT', of: ({ what }) => what.replaceAll('_', ' ') },
      { title: 'COUNT', of: ({ count, countIsMinimum }) => `${count}${countIsMinimum ? '+' : ''}` },
      { title: 'SIZE', of: ({ bytes }) => (bytes === null ? null : formatSize(bytes)) },
      { title: 'WHEN', of: ({ nextAt }) => nextAt },
      {
        title: 'KEPT FOR',
        of: ({ keptSeconds }) =>
          keptSeconds === null ? 'ever' : `${+(keptSeconds / 86_400).toFixed(1)} days`,
      },
    ],
    retention,
  );
}
