import { messageText } from '@switchyard/client/conversation/message-list';
import type { RunEvent } from '@switchyard/contract/conversation/run-event';
import type { StreamedMessage } from '@switchyard/contract/conversation/stream-frames';
import { isRecord } from '@switchyard/contract/is-record';
import { useInfiniteQuery } from '@tanstack/react-query';
import { ChevronRight } from 'lucide-react';
import { memo, type ReactNode } from 'react';
import { useParams } from 'wouter';
import { Boundary } from '../../../kit/boundary.tsx';
import { Button } from '../../../kit/button.tsx';
import { MarkdownText } from '../../../kit/markdown.tsx';
import { PlainText } from '../../../kit/plain-text.tsx';
import { StatusWord } from '../../../kit/status-word.tsx';
import { runEventsQuery } from '../../../lib/data/runs.ts';
import { useText } from '../../../lib/i18n.ts';
import type { LiveSubagent } from '../../../lib/live/run-subagents.ts';
import { isPicture, threadFileUrl } from '../../../lib/thread-files.ts';
import { TaskCard } from '../cards/task-card.tsx';
import { type Clarification, clarificationIn } from '../model/clarification.ts';
import { runsWorkflow, subagentTool, todosTool } from '../model/pool-tools.ts';
import type { ToolPart, Turn, TurnPart } from '../model/turn.ts';
import { Material, ToolLine, toolStatus } from './tool-line.tsx';

const stored = ['subagent.step'] as const;

interface TurnViewProps {
  threadId: string;
  turn: Turn;
  /** Answers a question of the agent; null when the turn is not the last. */
  onAnswer: ((text: string) => void) | null;
  footer: ReactNode;
}

/** The message of a person and the answer of the agent. */
export const TurnView = memo(function TurnView({ threadId, turn, onAnswer, footer }: TurnViewProps) {
  const text = useText('chat');
  return (
    <article className="flex flex-col gap-4" aria-label={text('turn.label')}>
      {turn.human ? (
        <Shown>
          <HumanMessage threadId={threadId} message={turn.human} />
        </Shown>
      ) : null}
      <div className="flex min-w-0 flex-col gap-3">
        {turn.isSimulated ? (
          <p className="self-start rounded-full border border-border px-2 py-0.5 text-meta text-text-2">
            {text('demo')}
          </p>
        ) : null}
        {turn.parts.map((part) => (
          <Shown key={`${part.kind} ${part.id}`}>
            <Part part={part} turn={turn} onAnswer={onAnswer} />
          </Shown>
        ))}
        {turn.isLive && turn.parts.length === 0 ? (
          <StatusWord kind="running">
            {text(turn.run?.status === 'pending' ? 'turn.queued' : 'turn.thinking')}
          </StatusWord>
        ) : null}
        <RunFault turn={turn} />
        {footer}
      </div>
    </article>
  );
});

/**
 * One message, or one part of an answer. A part that cannot be drawn has an error in its place, and the conversation
 * stays.
 */
function Shown({ children }: { children: ReactNode }) {
  const text = useText('chat');
  return (
    <Boundary
      fallback={({ message }) => (
        <p className="text-body break-words text-text-2">{text('turn.unshown', { reason: message })}</p>
      )}
    >
      {children}
    </Boundary>
  );
}

function Part({ part, turn, onAnswer }: { part: TurnPart; turn: Turn; onAnswer: TurnViewProps['onAnswer'] }) {
  if (part.kind === 'text') {
    return (
      <div className="max-w-[68ch] min-w-0">
        <MarkdownText text={part.text} />
      </div>
    );
  }
  return <Call part={part} turn={turn} onAnswer={onAnswer} />;
}

function Call({ part, turn, onAnswer }: { part: ToolPart; turn: Turn; onAnswer: TurnViewProps['onAnswer'] }) {
  const question = clarificationIn(part);
  if (question) return <ClarificationCard question={question} onAnswer={onAnswer} />;
  if (part.name === todosTool) return null;
  if (part.name === subagentTool) return <SubagentLines part={part} runId={turn.runId} />;
  if (part.task || (runsWorkflow(part.name) && part.state === 'running')) return <TaskCard part={part} />;
  return <ToolLine part={part} />;
}

function HumanMessage({ threadId, message }: { threadId: string; message: StreamedMessage }) {
  const text = useText('chat');
  const files = filesOf(message);
  return (
    <div className="flex max-w-[85%] flex-col gap-2 self-end rounded-card bg-sunken px-3 py-2">
      <h2 className="sr-only">{text('turn.you')}</h2>
      {files.length > 0 ? (
        <ul className="flex flex-wrap gap-2">
          {files.map((name) => (
            <li key={name}>
              <Attachment threadId={threadId} name={name} />
            </li>
          ))}
        </ul>
      ) : null}
      <PlainText text={messageText(message)} className="text-lead" />
    </div>
  );
}

/** A question of the agent. Its options are buttons as long as they can still be chosen; any other answer is written below. */
function ClarificationCard({
  question: { question, context, options },
  onAnswer,
}: {
  question: Clarification;
  onAnswer: ((text: string) => void) | null;
}) {
  const text = useText('chat');
  return (
    <section
      className="flex max-w-[68ch] flex-col gap-3 border-l-2 border-accent py-1 pl-4"
      aria-label={text('question.label')}
    >
      {context === null ? null : <p className="text-body text-text-2">{context}</p>}
      <p className="text-lead">{question}</p>
      {options.length > 0 ? (
        <ul className="flex flex-wrap gap-2">
          {options.map((option) => (
            <li key={option}>
              <Button
                disabled={onAnswer === null}
                className="h-auto min-h-8 py-1 whitespace-normal"
                onClick={() => onAnswer?.(option)}
              >
                {option}
              </Button>
            </li>
          ))}
        </ul>
      ) : null}
      {onAnswer ? <p className="text-meta text-text-2">{text('question.hint')}</p> : null}
    </section>
  );
}

function Attachment({ threadId, name }: { threadId: string; name: string }) {
  const url = threadFileUrl(threadId, `/mnt/user-data/uploads/${name}`);
  return (
    <a
      href={url}
      target="_blank"
      rel="noopener noreferrer"
      className="block text-table text-accent underline"
    >
      {isPicture(name) ? (
        <img src={url} alt={name} className="size-24 rounded-control bg-surface object-cover" />
      ) : (
        name
      )}
    </a>
  );
}

function filesOf({ additional_kwargs: more }: StreamedMessage): string[] {
  const files = more?.files;
  if (!Array.isArray(files)) return [];
  return files.flatMap((file: { filename?: unknown }) =>
    typeof file?.filename === 'string' ? file.filename : [],
  );
}

function RunFault({ turn: { run, isLive } }: { turn: Turn }) {
  const text = useText('chat');
  if (isLive || !run) return null;
  if (run.status === 'interrupted' && run.stop_reason === 'cancelled') {
    return <StatusWord kind="cancelled">{text('turn.stopped')}</StatusWord>;
  }
  if (run.status === 'timeout') return <StatusWord kind="failed">{text('turn.timeout')}</StatusWord>;
  if (run.status !== 'error') return null;
  return (
    <div className="flex flex-col gap-1 rounded-card bg-failed-tint p-3">
      <StatusWord kind="failed">{text('turn.failed')}</StatusWord>
      <p className="text-body break-words">{run.error}</p>
      <p className="text-body text-text-2">{text('turn.failedHint')}</p>
    </div>
  );
}

/** A sub-agent with its steps below it; they are read from the record after a reload. */
function SubagentLines({ part, runId }: { part: ToolPart; runId: string }) {
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

/** Returns the answers of a sub-agent's model from the stream. */
function liveSteps(subagent: LiveSubagent | null): SubagentStep[] {
  return [...(subagent?.steps ?? [])].map(([index, message]) => ({
    index,
    text: messageText(message),
    tools: (message.tool_calls ?? []).map(({ name }) => name),
  }));
}

/** Returns the answers from the record; the page of the run shows the results of tools. */
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
