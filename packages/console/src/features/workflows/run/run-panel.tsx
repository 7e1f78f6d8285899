import { priorityRange } from '@switchyard/contract/dispatch/task';
import type { SavedWorkflowDetail } from '@switchyard/contract/dispatch/workflow';
import { Dices, Grid3x3, Play } from 'lucide-react';
import { useMemo, useState } from 'react';
import { Button, IconButton } from '../../../kit/button.tsx';
import { useCommandHint } from '../../../kit/command-hint.tsx';
import { CommandLine } from '../../../kit/command-line.tsx';
import { Dialog } from '../../../kit/dialog.tsx';
import { Field } from '../../../kit/field.tsx';
import { filesNotChosen } from '../../../kit/fields/field-params.ts';
import type { FormState } from '../../../kit/fields/use-form-state.ts';
import { TextInput } from '../../../kit/text-input.tsx';
import { useText } from '../../../lib/i18n.ts';
import { useLabelOf } from '../form/form-label.ts';
import { type RunCommands, runCommands } from '../form/run-commands.ts';
import { OutlookFacts, settleMs, useOutlook, useSettled } from './outlook-facts.tsx';
import { areRunsEqual, seedsOf } from './run-params.ts';
import { maxRuns, type Runs } from './use-runs.ts';

interface RunPanelProps {
  workflow: SavedWorkflowDetail;
  form: FormState;
  runs: Runs;
  onVary: () => void;
}

/** The prospects of a run, and the button that starts it. */
export function RunPanel({ workflow, form, runs, onVary }: RunPanelProps) {
  const text = useText('workflows');
  const sweepText = useText('sweep');
  const [isCopying, setCopying] = useState(false);
  const params = useSettled(form.params, settleMs);
  const commands = useMemo(() => {
    const { origin } = window.location;
    return runCommands({ origin, workflowId: workflow.id, name: workflow.name, params });
  }, [workflow, params]);
  const hint = useCommandHint(commands.cli);
  const { count, isStarting, started } = runs;
  const outlook = useOutlook(workflow, form.params);
  const priorities = { min: priorityRange.minimum, max: outlook.data?.maxPriority ?? 0 };
  const seeds = seedsOf(workflow.parameters, form.draft);
  const isSame = areRunsEqual(seeds, count);
  return (
    <section
      aria-label={text('run.label')}
      className="flex shrink-0 flex-col gap-3 rounded-card border border-border bg-surface p-3"
    >
      <OutlookFacts query={outlook} count={count} workflow={workflow} form={form} />
      <MissingFiles workflow={workflow} form={form} />
      {isSame ? (
        <p className="text-table text-text-2">{text(seeds.length > 0 ? 'run.same' : 'run.sameValues')}</p>
      ) : null}
      <div className="flex flex-wrap items-end gap-2">
        <Field label={text('run.count')} className="w-16">
          <TextInput
            type="number"
            min={1}
            max={maxRuns}
            value={count}
            onChange={(event) => runs.setCount(within(event.target.value, 1, maxRuns))}
          />
        </Field>
        <Field label={text('run.priority')} className="w-16">
          <TextInput
            type="number"
            {...priorities}
            value={runs.priority}
            onChange={(event) => runs.setPriority(within(event.target.value, priorities.min, priorities.max))}
          />
        </Field>
        <div className="flex min-w-0 flex-1 basis-44 gap-2">
          <Button
            type="submit"
            form="workflow-form"
            variant="solid"
            className="min-w-0 flex-1"
            isBusy={isStarting}
            icon={<Play size={16} strokeWidth={1.75} aria-hidden />}
            {...hint}
          >
            {isStarting ? text('run.starting', { started, count }) : text('run.start', { count })}
          </Button>
          {seeds.length > 0 ? (
            <IconButton
              label={text('run.newSeed')}
              variant="quiet"
              isBusy={isStarting}
              icon={<Dices size={16} strokeWidth={1.75} aria-hidden />}
              onClick={() => runs.start({ newSeed: true })}
            />
          ) : null}
        </div>
      </div>
      <div className="-mx-2 -my-1 flex flex-wrap gap-1">
        <Button
          size="s"
          variant="plain"
          icon={<Grid3x3 size={16} strokeWidth={1.75} aria-hidden />}
          onClick={onVary}
        >
          {sweepText('open')}
        </Button>
        <Button size="s" variant="plain" onClick={() => setCopying(true)}>
          {text('run.copy')}
        </Button>
        <Button size="s" variant="plain" onClick={form.reset}>
          {text('run.reset')}
        </Button>
      </div>
      <CopyDialog open={isCopying} onClose={() => setCopying(false)} commands={commands} />
    </section>
  );
}

/** Warns before the click, because a worker would report it only after the run has failed. */
function MissingFiles({ workflow: { parameters }, form }: Pick<RunPanelProps, 'workflow' | 'form'>) {
  const text = useText('workflows');
  const labelOf = useLabelOf();
  const missing = filesNotChosen(parameters, form.draft);
  if (missing.length === 0) return null;
  const shown = parameters.filter(({ hidden }) => !hidden);
  return (
    <ul className="flex flex-col gap-1 text-table text-failed">
      {missing.map(({ parameter, file }) => (
        <li key={parameter.name} className="break-words">
          {text(file === '' ? 'outlook.noFile' : 'outlook.foreignFile', {
            label: labelOf(parameter, shown),
            file,
          })}
        </li>
      ))}
    </ul>
  );
}

function within(text: string, low: number, high: number): number {
  const value = Math.round(Number(text));
  return Number.isFinite(value) ? Math.min(high, Math.max(low, value)) : low;
}

/** The same run for a terminal, for the command line and for a program. */
function CopyDialog({
  open,
  onClose,
  commands,
}: {
  open: boolean;
  onClose: () => void;
  commands: RunCommands;
}) {
  const text = useText('workflows');
  return (
    <Dialog open={open} onClose={onClose} title={text('copy.title')} wide>
      <div className="flex flex-col gap-4">
        {(['cli', 'curl', 'client'] as const).map((kind) => (
          <section key={kind} className="flex flex-col gap-1">
            <h3 className="text-table font-medium">{text(`copy.${kind}`)}</h3>
            <CommandLine command={commands[kind]} />
          </section>
        ))}
        <p className="text-table text-text-2">{text('copy.token')}</p>
      </div>
    </Dialog>
  );
}
