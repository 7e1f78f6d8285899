import { messageText } from '@switchyard/client/conversation/message-list';
import type { RunEvent } from '@switchyard/contract/conversation/run-event';
import { isRecord } from '@switchyard/contract/is-record';
import { useInfiniteQuery } from '@tanstack/react-query';
import { ChevronRight } from 'lucide-react';
import { useParams } from 'wouter';
import { PlainText } from '../../../kit/plain-text.tsx';
import { StatusWord } from '../../../kit/status-word.tsx';
import { runEventsQuery } from '../../../lib/data/runs.ts';
import { useText } from '../../../lib/i18n.ts';
import type { LiveSubagent } from '../../../lib/live/run-subagents.ts';
import type { ToolPart } from '../model/turn.ts';
import { Material, toolStatus } from './tool-line.tsx';

const stored = ['subagent.step'] as const;

/** A sub-agent with its steps below it; they are read from the record after a reload. */
export function SubagentLines({ part, runId }: { part: ToolPart; runId: string }) {
  const text = useText('chat');
  const { threadId = '' } = useParams();
  const isOpen = part.state === 'running';
  const events = useInfiniteQuery({ ...runEventsQuery(threadId, runId, stored), enabled: !isOpen });
  const kept = storedSteps(events.data?.pages.flat() ?? [], part.id);
  const steps = kept.length > 0 ? kept : liveSteps(part.subagent);
  return (
    <details open={isOpen || undefined} className="group max-w-[68ch] min-w-0">
      <summary className="inline-flex min-h-8 cursor-pointer list-none items-center gap-2 rounded-control pr-2 text-body text-text-2 outline-accent hover:text-text focus-visible:outline-2 [&::-webkit-details-marker]:hidden">
        <ChevronRight size={16} strokeWidth={1.75} aria-hidden className="shrink-0 group-open:rotate-90" />
        <StatusWord kind={toolStatus[part.state]}>{text('subagent.label')}</StatusWord>
        <span className="min-w-0 truncate">{part.subagent?.description ?? descriptionIn(part.args)}</span>
        <span className="text-meta">{text('subagent.steps', { count: steps.length })}</span>
      </summary>
      <ol className="flex flex-col gap-2 border-l border-border py-1 pl-4">
        {steps.map((step) => (
          <Step key={step.index} step={step} />
        ))}
        {part.result ? (
          <li>
            <Material label={text('subagent.result')} value={messageText(part.result)} />
          </li>
        ) : null}
      </ol>
    </details>
  );
}

interface SubagentStep {
  index: number;
  text: string;
  /** Tools that the step called, or the tool whose result it is. */
  tools: string[];
}

/** The answers of a sub-agent's model as the stream has told them. */
function liveSteps(subagent: LiveSubagent | null): SubagentStep[] {
  return [...(subagent?.steps ?? [])].map(([index, message]) => ({
    index,
    text: messageText(message),
    tools: (message.tool_calls ?? []).map(({ name }) => name),
  }));
}

/** The answers as the record has them; results of tools are left to the page of the run. */
function storedSteps(events: readonly RunEvent[], callId: string): SubagentStep[] {
  return events.flatMap(({ content }) => {
    if (!isRecord(content) || content.task_id !== callId || content.kind !== 'ai') return [];
    const calls = Array.isArray(content.tool_calls) ? content.tool_calls : [];
    const tools = calls.flatMap((call: unknown) => (isRecord(call) ? String(call.name) : []));
    return { index: Number(content.message_index), text: String(content.text ?? ''), tools };
  });
}

function Step({ step: { text: said, tools } }: { step: SubagentStep }) {
  const text = useText('chat');
  return (
    <li className="flex flex-col gap-1 text-body break-words">
      {said === '' ? null : <PlainText text={said} />}
      {tools.length > 0 ? (
        <p className="text-text-2">
          {text('subagent.used')} <code className="font-mono text-table">{tools.join(', ')}</code>
        </p>
      ) : null}
    </li>
  );
}

function descriptionIn(args: unknown): string {
  return isRecord(args) && typeof args.description === 'string' ? args.description : '';
}
