import { useText } from '../../../lib/i18n.ts';
import { Material } from './tool-line.tsx';

/** The values that a graph without messages has made so far, one below the other. */
export function StateCard({
  values,
  isTalk,
}: {
  values: Record<string, unknown>;
  /** True for a graph with messages, which are shown as turns instead. */
  isTalk: boolean;
}) {
  const text = useText('chat');
  const shown = Object.entries(values).filter(([key]) => !key.startsWith('__'));
  if (isTalk || shown.length === 0) return null;
  return (
    <section
      aria-label={text('graph.state')}
      className="flex max-w-[44rem] flex-col gap-3 rounded-card border border-border bg-surface p-3"
    >
      <h2 className="text-body font-medium">{text('graph.state')}</h2>
      {shown.map(([key, value]) => (
        <Material
          key={key}
          label={key}
          value={typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '')}
        />
      ))}
    </section>
  );
}
