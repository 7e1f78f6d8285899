import type { TaskError } from '@switchyard/contract/dispatch/task';
import { LongText } from '../../../kit/long-text.tsx';
import { useGatewayWords } from '../../../lib/gateway-words/use-gateway-words.ts';
import { useText } from '../../../lib/i18n.ts';
import { describeFailure } from './failure.ts';

/** Why a task failed, in one sentence, and what to try; the traceback is folded. */
export function FailureNote({ error }: { error: TaskError }) {
  const text = useText('tasks');
  const words = useGatewayWords();
  if (error.code === 'cancelled') return <p className="text-body text-text-2">{text('failure.cancelled')}</p>;
  const { cause, rest, advice } = describeFailure(error, words.said(error));
  const node = error.nodeTitle ?? error.node;
  return (
    <div role="alert" className="flex min-w-0 flex-col gap-2 rounded-card bg-failed-tint p-3">
      <p className="text-body font-medium break-words text-failed">{cause}</p>
      <p className="text-body text-text">{text(`advice.${advice}`)}</p>
      {node === undefined ? null : (
        <p className="text-table text-text-2">
          <a href={`#node-${error.node ?? ''}`} className="underline">
            {text('failure.node', { node })}
          </a>
        </p>
      )}
      {rest ? (
        <details>
          <summary className="cursor-pointer text-table text-text-2">{text('failure.details')}</summary>
          <div className="mt-2">
            <LongText text={rest} label={text('failure.details')} />
          </div>
        </details>
      ) : null}
    </div>
  );
}
