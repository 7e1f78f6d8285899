import { getSystem, type SystemReport } from '@switchyard/contract/system';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { RefreshCw } from 'lucide-react';
import { Button } from '../../kit/button.tsx';
import { useCommandHint } from '../../kit/command-hint.tsx';
import { Page } from '../../kit/page.tsx';
import { QueryView } from '../../kit/query-view.tsx';
import { StatusWord } from '../../kit/status-word.tsx';
import { TimeAgo } from '../../kit/time-ago.tsx';
import { blank } from '../../lib/format/format.ts';
import { useFormat } from '../../lib/format/use-format.ts';
import { gateway } from '../../lib/gateway.ts';
import { useGatewayWords } from '../../lib/gateway-words/use-gateway-words.ts';
import { useText } from '../../lib/i18n.ts';
import { DeadJobs } from './dead-jobs.tsx';
import { Section, Values } from './section.tsx';
import { systemKey } from './system-key.ts';

const systemQuery = queryOptions({
  queryKey: systemKey,
  queryFn: ({ signal }) => gateway.call(getSystem, { signal }),
  refetchInterval: 30_000,
});

/** How the gateway is. All numbers are from one snapshot, whose age stands on top. */
export function SystemPage() {
  const text = useText('system');
  const system = useQuery(systemQuery);
  const hint = useCommandHint('switchyard system');
  return (
    <Page
      title={text('title')}
      lead={
        system.data && (
          <>
            {text('taken')} <TimeAgo at={system.data.takenAt} />
          </>
        )
      }
      actions={
        <Button
          {...hint}
          isBusy={system.isFetching}
          icon={<RefreshCw size={16} strokeWidth={1.75} aria-hidden />}
          onClick={() => void system.refetch()}
        >
          {text('refresh')}
        </Button>
      }
    >
      <QueryView query={system}>{(report) => <Report report={report} />}</QueryView>
    </Page>
  );
}

function Report({ report }: { report: SystemReport }) {
  return (
    <div className="grid min-w-0 gap-x-8 gap-y-6 lg:grid-cols-2">
      <Facts report={report} />
      <Dependencies dependencies={report.dependencies} />
      <Replicas replicas={report.replicas} />
      <DeadJobs deadJobs={report.deadJobs} />
      <Storage storage={report.storage} />
      <Retention retention={report.retention} />
      <Schedules schedules={report.schedules} />
    </div>
  );
}

/** Versions, and the process that answers. */
function Facts({ report: { versions, startedAt, process } }: { report: SystemReport }) {
  const text = useText('system');
  const format = useFormat();
  return (
    <Section title={text('facts.title')}>
      <Values
        rows={[
          [text('facts.version'), `Switchyard ${versions.gateway}`],
          [text('facts.node'), `Node ${versions.node} · ${versions.platform}`],
          [text('facts.started'), <TimeAgo key="started" at={startedAt} />],
          [text('facts.process'), String(process.pid)],
          [
            text('facts.memory'),
            `${format.bytes(process.memoryBytes)} (${format.bytes(process.heapBytes)} heap)`,
          ],
          ...Object.entries(versions.libraries),
        ]}
      />
    </Section>
  );
}

/** The processes of this gateway, and what each looks after. */
function Replicas({ replicas }: Pick<SystemReport, 'replicas'>) {
  const text = useText('system');
  const words = useGatewayWords();
  return (
    <Section title={text('replicas.title', { count: replicas.length })}>
      <ul className="flex flex-col gap-2 text-table">
        {replicas.map(({ id, isThis, holds }) => (
          <li key={id} className="min-w-0">
            <p className="flex flex-wrap gap-x-2">
              <span className="font-mono break-all">{id}</span>
              {isThis && <span className="text-text-2">{text('replicas.this')}</span>}
            </p>
            <ul className="list-disc pl-5 text-text-2">
              {holds.map(({ key, what }) => (
                <li key={key} className="break-words">
                  {words.known(`lease.${kindOf(key)}`, what, { name: key.slice(key.indexOf(':') + 1) })}
                </li>
              ))}
              {holds.length === 0 && <li>{text('replicas.nothing')}</li>}
            </ul>
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** The old data that will be deleted. */
function Retention({ retention }: Pick<SystemReport, 'retention'>) {
  const text = useText('system');
  const format = useFormat();
  return (
    <Section title={text('retention.title')}>
      <ul className="flex flex-col">
        {retention.map(({ what, keptSeconds, nextAt, count, countIsMinimum, bytes }) => (
          <li key={what} className="border-b border-border py-1.5 text-table">
            <p className="font-medium">{text(`retention.what.${what}`)}</p>
            <p className="text-text-2">
              {keptSeconds === null
                ? text('retention.forever')
                : text('retention.kept', { time: format.duration(keptSeconds * 1_000) })}{' '}
              {keptSeconds !== null &&
                text(countIsMinimum ? 'retention.atLeast' : 'retention.count', {
                  count: format.count(count),
                })}
              {bytes !== null && bytes > 0 && ` (${format.bytes(bytes)})`}
            </p>
            {nextAt !== null && keptSeconds !== null && (
              <p className="text-text-2">
                {text('retention.next', { at: format.dateTime(new Date(nextAt)) })}
              </p>
            )}
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** Work that repeats. */
function Schedules({ schedules }: Pick<SystemReport, 'schedules'>) {
  const text = useText('system');
  const format = useFormat();
  return (
    <Section title={text('schedules.title')}>
      <ul className="flex flex-col">
        {schedules.map(({ kind, everySeconds, nextAt, lastError }) => (
          <li key={kind} className="border-b border-border py-1.5 text-table">
            <p className="flex flex-wrap justify-between gap-x-3">
              <span className="font-mono">{kind}</span>
              <span className="text-text-2 tabular-nums">
                {text('schedules.every', { time: format.duration(everySeconds * 1_000) })} ·{' '}
                {nextAt === null
                  ? text('schedules.now')
                  : text('schedules.next', { at: format.time(new Date(nextAt)) })}
              </span>
            </p>
            {lastError && <p className="break-words text-failed">{lastError}</p>}
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** Returns the part of a lease's key before the name: `channel` in `channel:telegram`. */
function kindOf(key: string): string {
  return key.split(':', 1)[0] ?? key;
}

/** The services that the gateway needs, with the time that each takes to answer. */
function Dependencies({ dependencies }: Pick<SystemReport, 'dependencies'>) {
  const text = useText('system');
  const words = useGatewayWords();
  const format = useFormat();
  return (
    <Section title={text('dependencies.title')}>
      <ul className="flex flex-col">
        {dependencies.map(({ name, kind, ok, latencyMs, detail }) => (
          <li
            key={name}
            className="grid grid-cols-[1fr_auto_6rem] items-center gap-x-3 border-b border-border py-1.5 text-table"
          >
            <span className="min-w-0">
              <span className="font-medium">{words.known(`dependency.${name}`, name)}</span>{' '}
              <span className="text-text-2">{kind}</span>
              {detail && (
                <span className="block break-words text-text-2">
                  {kind === 'memory' ? words.known('dependency.inProcess', detail) : detail}
                </span>
              )}
            </span>
            <StatusWord kind={ok ? 'done' : 'failed'}>
              {text(ok ? 'dependencies.ok' : 'dependencies.away')}
            </StatusWord>
            <span className="text-right tabular-nums">
              {latencyMs === null
                ? blank
                : text('dependencies.latency', { ms: format.count(Math.round(latencyMs)) })}
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** The use of the disk, by kind and by user. */
function Storage({ storage }: Pick<SystemReport, 'storage'>) {
  const text = useText('system');
  const format = useFormat();
  const { byKind, byUser, foldersTakenAt, foldersComplete, freeBytes } = storage;
  const lead =
    foldersTakenAt === null ? (
      text('storage.measuring')
    ) : (
      <>
        {text(foldersComplete ? 'storage.measured' : 'storage.partly')} <TimeAgo at={foldersTakenAt} />
      </>
    );
  return (
    <Section title={text('storage.title')} lead={lead}>
      <Values
        rows={[
          ...byKind.map(({ kind, bytes, count }): [string, string] => [
            text(`storage.kind.${kind}`),
            count === null
              ? format.bytes(bytes)
              : text('storage.counted', { bytes: format.bytes(bytes), count: format.count(count) }),
          ]),
          ...freeBytes.map(({ folder, bytes }): [string, string] => [
            text('storage.free', { folder }),
            format.bytes(bytes),
          ]),
        ]}
      />
      <h3 className="pt-2 text-table font-semibold">{text('storage.users')}</h3>
      <Values
        rows={byUser.map(({ userId, email, fileBytes, files, threadBytes }) => [
          email ?? userId,
          text('storage.counted', {
            bytes: format.bytes(fileBytes + threadBytes),
            count: format.count(files),
          }),
        ])}
      />
    </Section>
  );
}
