import type { SystemReport } from '@switchyard/contract/system';
import { TimeAgo } from '../../kit/time-ago.tsx';
import { useFormat } from '../../lib/format/use-format.ts';
import { useText } from '../../lib/i18n.ts';
import { Section, Values } from './section.tsx';

/** Versions, and the process that answers. */
export function Facts({ report: { versions, startedAt, process } }: { report: SystemReport }) {
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
