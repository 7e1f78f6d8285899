import type { Graph } from '@switchyard/contract/conversation/graphs';
import { LinkButton } from '../../kit/button.tsx';
import { rowMarks, rowRing } from '../../kit/rows/row-marks.ts';
import { StatusWord } from '../../kit/status-word.tsx';
import { useText } from '../../lib/i18n.ts';

/** A graph of the gateway: where it comes from, and why it cannot be used. */
export function GraphRow({ graph }: { graph: Graph }) {
  const text = useText('agents');
  const { graph_id: name, description, file, export: exported, state, fault } = graph;
  return (
    <li
      {...rowMarks(name)}
      className={`flex items-start justify-between gap-4 border-b border-border py-3 ${rowRing}`}
    >
      <div className="flex min-w-0 flex-col gap-0.5">
        <p className="flex flex-wrap items-center gap-x-3 font-medium">
          {name}
          <StatusWord kind={fault === null ? 'done' : 'failed'}>{text(`graphs.${state}`)}</StatusWord>
        </p>
        {description === null ? null : <p className="max-w-[48rem] text-body break-words">{description}</p>}
        {file === null ? null : (
          <code className="font-mono text-table break-all text-text-2">
            {file}:{exported}
          </code>
        )}
        {fault === null ? null : <p className="max-w-[48rem] text-body break-words text-failed">{fault}</p>}
      </div>
      {fault === null ? <TalkLink name={name} /> : null}
    </li>
  );
}

/** Begins a conversation with this agent. */
export function TalkLink({ name }: { name: string }) {
  const text = useText('agents');
  return (
    <LinkButton
      size="s"
      variant="plain"
      className="shrink-0"
      href={`/chat?agent=${encodeURIComponent(name)}`}
      aria-label={text('talkTo', { name })}
    >
      {text('talk')}
    </LinkButton>
  );
}
