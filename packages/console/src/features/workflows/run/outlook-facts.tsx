import type { SavedWorkflowDetail } from '@switchyard/contract/dispatch/workflow';
import type { WorkflowOutlook } from '@switchyard/contract/dispatch/workflow-outlook';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { Button, LinkButton } from '../../../kit/button.tsx';
import { fieldId } from '../../../kit/fields/field-id.ts';
import type { FormState } from '../../../kit/fields/use-form-state.ts';
import { reasonSentences } from '../../../kit/obstacles/obstacle-sentences.ts';
import { ReasonTexts } from '../../../kit/obstacles/reason-text.tsx';
import { ErrorState } from '../../../kit/states/error-state.tsx';
import { StatusWord } from '../../../kit/status-word.tsx';
import { workflowOutlookQuery } from '../../../lib/data/workflow-outlook.ts';
import { useFormat } from '../../../lib/format/use-format.ts';
import { useText } from '../../../lib/i18n.ts';
import { useSession } from '../../../lib/session.ts';
import { useLabelOf } from '../form/form-label.ts';
import { useBlockWords } from './block-words.ts';
import { type RunBlock, runBlock } from './run-block.ts';

/** A question for each letter that is typed would be too many, and a command for each too slow. */
export const settleMs = 400;
/** No file of a model has a longer name, and a prompt changes nothing of where a workflow runs. */
const maxTextAsked = 300;

export function useOutlook({ id, version }: SavedWorkflowDetail, params: Record<string, unknown>) {
  return useQuery(workflowOutlookQuery(id, version, useSettled(askedOf(params), settleMs)));
}

/** Returns the values that decide where a workflow can run. */
export function askedOf(params: Record<string, unknown>): Record<string, unknown> {
  const asked = Object.entries(params).filter(
    ([, value]) => typeof value !== 'string' || value.length <= maxTextAsked,
  );
  return Object.fromEntries(asked);
}

interface OutlookProps {
  query: ReturnType<typeof useOutlook>;
  count: number;
  workflow: SavedWorkflowDetail;
  form: FormState;
}

/** The prospects of a run before the click: what keeps it from running and would help, the time and the cost. */
export function OutlookFacts({ query, count, workflow, form }: OutlookProps) {
  const text = useText('workflows');
  const outlook = query.data;
  if (query.error && !outlook) {
    return <ErrorState error={query.error} retry={query.refetch} busy={query.isFetching} />;
  }
  const block = outlook ? runBlock(outlook, workflow.parameters, form.draft) : null;
  return (
    <div className="flex min-h-11 flex-col gap-1" aria-busy={query.isFetching}>
      {outlook ? (
        <>
          {block === null ? (
            <StatusWord kind="done">
              {text('outlook.places', { able: outlook.totals.couldRun, count: outlook.totals.instances })}
            </StatusWord>
          ) : (
            <Block block={block} workflow={workflow} form={form} />
          )}
          <Reasons outlook={outlook} />
          <dl className="flex flex-wrap gap-x-4 text-table">
            <Fact name={text('outlook.time', { count })} value={<Time outlook={outlook} count={count} />} />
            {outlook.cost === null ? null : (
              <Fact
                name={text('outlook.cost', { count })}
                value={<Cost cost={outlook.cost} count={count} />}
              />
            )}
          </dl>
        </>
      ) : null}
    </div>
  );
}

/**
 * Returns a value once it has stayed the same for a while, so that the gateway is not asked for every letter. Values are compared
 * by their JSON.
 */
export function useSettled<Value>(value: Value, afterMs: number): Value {
  const [settled, setSettled] = useState(value);
  const key = JSON.stringify(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(JSON.parse(key) as Value), afterMs);
    return () => clearTimeout(timer);
  }, [key, afterMs]);
  return settled;
}

/** Why nothing can run it, in one sentence, and the one thing to do. */
function Block({ block, workflow, form }: Pick<OutlookProps, 'workflow' | 'form'> & { block: RunBlock }) {
  const text = useText('workflows');
  const labelOf = useLabelOf();
  const { isAdmin } = useSession();
  const sentences = useBlockWords()(block);
  if (block.kind === 'model') {
    const { field } = block;
    const [words = ''] = sentences;
    const choose = () => {
      // A problem at the field opens the part of the form where it stands.
      form.setRefused(new Map([[field.name, { code: 'refused', message: words }]]));
      form.showProblems();
      requestAnimationFrame(() => document.getElementById(fieldId(field.name))?.focus());
    };
    return (
      <Sentence words={sentences}>
        <Button size="s" onClick={choose}>
          {text('block.choose', { field: labelOf(field, workflow.parameters) })}
        </Button>
      </Sentence>
    );
  }
  // Waiting helps, and nothing else has to be done.
  if (block.kind === 'later' || (block.kind === 'full' && block.of === 'all'))
    return <Sentence words={sentences} />;
  const way = block.kind === 'full' ? 'tasks' : block.kind === 'paused' ? 'pauses' : 'instances';
  const isOwn = block.kind === 'full' || (block.kind === 'paused' && block.pause?.by === 'owner');
  if (!isAdmin && !isOwn) return <Sentence words={[...sentences, text('block.ask')]} />;
  return (
    <Sentence words={sentences}>
      <LinkButton size="s" href={ways[way]}>
        {text(`block.${way}`)}
      </LinkButton>
    </Sentence>
  );
}

/** Where somebody can do something about it. */
const ways = { tasks: '/tasks', pauses: '/instances?view=pauses', instances: '/instances' };

function Sentence({ words, children }: { words: readonly string[]; children?: ReactNode }) {
  const format = useFormat();
  return (
    <div role="status" className="flex flex-col items-start gap-2 rounded-control bg-waiting-tint p-2">
      <p className="text-body break-words">{format.sentences(words)}</p>
      {children}
    </div>
  );
}

function Reasons({ outlook: { instances } }: { outlook: WorkflowOutlook }) {
  const text = useText('workflows');
  const [isOpen, setOpen] = useState(false);
  const others = instances.filter(({ couldRun }) => !couldRun);
  if (others.length === 0) return null;
  return (
    <details className="text-table text-text-2" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="min-h-6 cursor-pointer outline-accent focus-visible:outline-2">
        {text('outlook.others', { count: others.length })}
      </summary>
      {isOpen ? (
        <ul className="flex max-h-32 flex-col gap-1 overflow-y-auto">
          {others.map((instance) => (
            <li key={instance.instanceId} className="break-words">
              <ReasonTexts reasons={reasonSentences(instance)} />
            </li>
          ))}
        </ul>
      ) : null}
    </details>
  );
}

function Fact({ name, value }: { name: string; value: ReactNode }) {
  return (
    <div className="flex gap-1.5">
      <dt className="text-text-2">{name}</dt>
      <dd className="font-medium tabular-nums">{value}</dd>
    </div>
  );
}

/** The work of all runs together; how long they wait depends on the queue. */
function Time({ outlook: { seconds }, count }: { outlook: WorkflowOutlook; count: number }) {
  const text = useText('workflows');
  const format = useFormat();
  if (seconds === null) return <span className="font-normal text-text-2">{text('outlook.unknown')}</span>;
  return format.range(seconds.low * 1_000 * count, seconds.high * 1_000 * count);
}

function Cost({ cost, count }: { cost: NonNullable<WorkflowOutlook['cost']>; count: number }) {
  const format = useFormat();
  const [low, high] = [cost.low, cost.high].map((each) => format.money(each * count, cost.currency));
  return low === high ? low : `${low} – ${high}`;
}
