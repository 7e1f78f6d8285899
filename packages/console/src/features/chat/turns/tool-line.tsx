import { messageText } from '@switchyard/client/conversation/message-list';
import { ChevronRight } from 'lucide-react';
import { type StatusKind, StatusWord } from '../../../kit/status-word.tsx';
import { useText } from '../../../lib/i18n.ts';
import type { ToolPart } from '../model/turn.ts';

export const toolStatus = {
  running: 'running',
  waiting: 'waiting',
  done: 'done',
  failed: 'failed',
  stopped: 'cancelled',
} as const satisfies Record<ToolPart['state'], StatusKind>;

/** The call of a tool as one line; what went in and what came out are one click away. */
export function ToolLine({ part: { name, args, result, state, progress } }: { part: ToolPart }) {
  const text = useText('chat');
  return (
    <details className="group max-w-[68ch] min-w-0">
      <summary className="inline-flex min-h-8 cursor-pointer list-none items-center gap-2 rounded-control pr-2 text-body text-text-2 outline-accent hover:text-text focus-visible:outline-2 [&::-webkit-details-marker]:hidden">
        <ChevronRight
          size={16}
          strokeWidth={1.75}
          aria-hidden
          className="shrink-0 transition-transform duration-120 group-open:rotate-90 motion-reduce:transition-none"
        />
        <StatusWord kind={toolStatus[state]}>{text(`tool.${state}`)}</StatusWord>
        <code className="min-w-0 truncate font-mono text-table">{name}</code>
        {progress === null || state !== 'running' ? null : (
          <span className="min-w-0 truncate text-table">{progress}</span>
        )}
      </summary>
      <div className="flex flex-col gap-2 border-l border-border py-1 pl-4">
        <Material label={text('tool.input')} value={JSON.stringify(args, null, 2) ?? ''} />
        {result ? <Material label={text('tool.output')} value={messageText(result)} /> : null}
      </div>
    </details>
  );
}

/** Text that a tool got or gave, cut to what a person reads. */
export function Material({ label, value }: { label: string; value: string }) {
  const text = useText('chat');
  const { shown, hidden } = cutForReading(value);
  return (
    <div>
      <h3 className="text-meta font-medium text-text-2">{label}</h3>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: long material is scrolled by keyboard
        tabIndex={0}
        className="max-h-64 overflow-auto rounded-control bg-sunken p-2 font-mono text-meta break-words whitespace-pre-wrap"
      >
        {shown}
      </pre>
      {hidden > 0 ? <p className="text-meta text-text-2">{text('tool.cut', { count: hidden })}</p> : null}
    </div>
  );
}

/** More than this is no longer read in a conversation; the page of the run has the whole. */
const maxLength = 20_000;

function cutForReading(value: string): { shown: string; hidden: number } {
  return { shown: value.slice(0, maxLength), hidden: Math.max(0, value.length - maxLength) };
}
