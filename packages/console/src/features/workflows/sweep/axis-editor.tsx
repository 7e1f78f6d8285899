import { sweepLimits } from '@switchyard/contract/dispatch/sweep';
import type { WorkflowParameter } from '@switchyard/contract/dispatch/workflow';
import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Button, IconButton } from '../../../kit/button.tsx';
import { Checkbox } from '../../../kit/checkbox.tsx';
import { Field } from '../../../kit/field.tsx';
import { FilesInput } from '../../../kit/fields/files-input.tsx';
import { Select } from '../../../kit/select.tsx';
import { TextArea } from '../../../kit/text-area.tsx';
import { TextInput } from '../../../kit/text-input.tsx';
import { useFormat } from '../../../lib/format/use-format.ts';
import { useText } from '../../../lib/i18n.ts';
import { type AxisDraft, type AxisKind, type AxisProblem, choicesOf, kindsFor } from './axis-draft.ts';

interface AxisEditorProps {
  number: number;
  axis: AxisDraft;
  problem: AxisProblem | null;
  /** The parameters that this axis may have. */
  parameters: readonly WorkflowParameter[];
  labelOf: (parameter: WorkflowParameter) => string;
  onParam: (name: string) => void;
  onChange: (axis: AxisDraft) => void;
  onRemove: (() => void) | undefined;
}

const places = ['first', 'second', 'third'] as const;

/** One axis: what varies, and its values. */
export function AxisEditor(props: AxisEditorProps) {
  const { number, axis, problem, parameters, labelOf, onParam, onChange, onRemove } = props;
  const text = useText('sweep');
  const parameter = parameters.find(({ name }) => name === axis.param);
  if (!parameter) return null;
  const kinds = kindsFor(parameter);
  return (
    <fieldset className="flex min-w-0 flex-col gap-2 rounded-card border border-border p-3">
      <legend className="px-1 text-table font-medium">
        {text('axis.label', { number })} · {text(`axis.${places[number - 1] ?? 'third'}`)}
      </legend>
      <div className="flex flex-wrap items-end gap-2">
        <div className="min-w-40 flex-1">
          <Field label={text('axis.param')}>
            <Select
              label={text('axis.param')}
              value={axis.param}
              options={parameters.map((each) => ({ value: each.name, label: labelOf(each) }))}
              onChange={onParam}
            />
          </Field>
        </div>
        {kinds.length > 1 ? (
          <div className="min-w-36 flex-1">
            <Field label={text('axis.kind')}>
              <Select<AxisKind>
                label={text('axis.kind')}
                value={axis.kind}
                options={kinds.map((kind) => ({ value: kind, label: text(`kind.${kind}`) }))}
                onChange={(kind) => onChange({ ...axis, kind })}
              />
            </Field>
          </div>
        ) : null}
        {onRemove ? (
          <IconButton
            label={text('axis.remove', { name: labelOf(parameter) })}
            icon={<Trash2 size={16} strokeWidth={1.75} aria-hidden />}
            onClick={onRemove}
          />
        ) : null}
      </div>
      <Values {...{ axis, problem, parameter, onChange }} label={labelOf(parameter)} />
    </fieldset>
  );
}

interface ValuesProps extends Pick<AxisEditorProps, 'axis' | 'problem' | 'onChange'> {
  parameter: WorkflowParameter;
}

function Values({ label, ...props }: ValuesProps & { label: string }) {
  const { axis, problem, parameter, onChange } = props;
  const text = useText('sweep');
  const errorOf = (name: string) => {
    if (name === 'step' && problem === 'step') return text('problem.step');
    if (name === 'from' && problem === 'noNumbers') return text('problem.noNumbers');
    return name === 'seeds' && problem === 'seeds' ? text('problem.seeds') : undefined;
  };
  const input = (name: 'values' | 'from' | 'to' | 'step' | 'seeds') => (
    <Field key={name} label={text(`field.${name}`)} error={errorOf(name)}>
      <TextInput
        inputMode={name === 'values' ? 'text' : 'decimal'}
        value={axis[name]}
        onChange={(event) => onChange({ ...axis, [name]: event.target.value })}
      />
    </Field>
  );
  if (axis.kind === 'lines') return <Lines {...props} />;
  if (axis.kind === 'choices') return <Choices {...props} />;
  if (axis.kind === 'files')
    return (
      <FilesInput
        parameter={parameter}
        label={label}
        files={axis.files}
        onChange={(files) => onChange({ ...axis, files })}
      />
    );
  if (axis.kind !== 'range') return input(axis.kind);
  return <div className="grid grid-cols-3 gap-2">{(['from', 'to', 'step'] as const).map(input)}</div>;
}

/** A list of prompts, written here or taken from a file. */
function Lines({ axis, problem, onChange }: ValuesProps) {
  const text = useText('sweep');
  const format = useFormat();
  const [isTooLarge, setTooLarge] = useState(false);
  const take = async (file: File | undefined) => {
    if (!file) return;
    setTooLarge(file.size > sweepLimits.lineBytes);
    if (file.size <= sweepLimits.lineBytes) onChange({ ...axis, lines: await file.text() });
  };
  const choose = () => {
    const picker = document.createElement('input');
    picker.type = 'file';
    picker.accept = '.txt,text/plain';
    picker.onchange = () => void take(picker.files?.[0]);
    picker.click();
  };
  const error =
    isTooLarge || problem === 'tooLong'
      ? text('field.fileTooLarge', { size: format.bytes(sweepLimits.lineBytes) })
      : undefined;
  return (
    <>
      <Field label={text('field.lines')} error={error}>
        <TextArea
          rows={4}
          value={axis.lines}
          onChange={(event) => {
            setTooLarge(false);
            onChange({ ...axis, lines: event.target.value });
          }}
        />
      </Field>
      <Button size="s" variant="plain" className="self-start" onClick={choose}>
        {text('field.file')}
      </Button>
    </>
  );
}

function Choices({ axis, parameter, onChange }: ValuesProps) {
  const text = useText('sweep');
  const toggle = (choice: string, isOn: boolean) =>
    onChange({
      ...axis,
      choices: isOn ? [...axis.choices, choice] : axis.choices.filter((each) => each !== choice),
    });
  return (
    <fieldset
      aria-label={text('field.choices')}
      className="flex max-h-48 flex-col gap-1 overflow-y-auto rounded-control border border-border p-2"
    >
      {choicesOf(parameter).map((choice) => (
        <Checkbox
          key={choice}
          label={choice}
          checked={axis.choices.includes(choice)}
          onChange={(isOn) => toggle(choice, isOn)}
        />
      ))}
    </fieldset>
  );
}
