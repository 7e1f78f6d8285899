import type { AuditRecord } from '@switchyard/contract/accounts/audit';
import { SidePanel } from '../../kit/side-panel.tsx';
import { setQuery } from '../../lib/address.ts';
import { blank } from '../../lib/format/format.ts';
import { useFormat } from '../../lib/format/use-format.ts';
import { useText } from '../../lib/i18n.ts';

/** Everything that is known of one change. */
export function AuditDetails({ record }: { record: AuditRecord | undefined }) {
  const text = useText('audit');
  const format = useFormat();
  const rows: [string, string][] = record
    ? [
        [text('column.at'), format.dateTime(new Date(record.at))],
        [text('column.actor'), `${record.actorName} (${record.actor})`],
        [text('column.via'), text(`via.${record.via}`)],
        [text('column.target'), record.target ?? blank],
        [text('column.request'), record.requestId ?? blank],
      ]
    : [];
  return (
    <SidePanel
      open={record !== undefined}
      onClose={() => setQuery({ record: null })}
      title={<span className="font-mono">{record?.action}</span>}
    >
      <dl className="flex flex-col gap-2 text-body">
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt className="text-table text-text-2">{name}</dt>
            <dd className="break-all">{value}</dd>
          </div>
        ))}
      </dl>
      <h3 className="pt-4 pb-1 text-table text-text-2">{text('details')}</h3>
      <pre className="rounded-control border border-border bg-sunken p-3 font-mono text-table break-all whitespace-pre-wrap">
        {JSON.stringify(record?.details ?? {}, null, 2)}
      </pre>
    </SidePanel>
  );
}
