import { ArrowLeftRight } from 'lucide-react';
import { useText } from '../../lib/i18n.ts';
import { IconButton } from '../button.tsx';
import { Field } from '../field.tsx';
import { classes, focusRing } from '../parts/classes.ts';
import { Select } from '../select.tsx';
import { TextInput } from '../text-input.tsx';
import type { FieldSpec } from './field-spec.ts';
import { VaryButton } from './form-field.tsx';
import { useProblemText } from './problem-text.ts';
import {
  megapixelsOf,
  type Ratio,
  ratioOf,
  ratios,
  type Size,
  sizeIn,
  withMegapixels,
  withRatio,
} from './size.ts';
import type { FormState } from './use-form-state.ts';

/** The range of the slider in megapixels; larger sizes are typed. */
const megapixels = { min: 0.1, max: 4, step: 0.1 };

/** The width and the height of one node: as ratio and megapixels, and as the numbers that are sent. */
export function SizeField({
  label,
  width,
  height,
  idOf,
  form,
  onVary,
}: {
  label: string;
  width: FieldSpec;
  height: FieldSpec;
  idOf?: ((name: string) => string) | undefined;
  form: FormState;
  onVary?: ((name: string) => void) | undefined;
}) {
  const text = useText('fields');
  const size = sizeIn(form.draft.values[width.name], form.draft.values[height.name]);
  const put = (next: Size) =>
    form.setValues({ [width.name]: String(next.width), [height.name]: String(next.height) });
  const ratio = size && ratioOf(size);
  const other = { value: 'other' as const, label: text('size.other') };
  const options = [
    ...(ratio === null ? [other] : []),
    ...ratios.map((each) => ({ value: each as Ratio | 'other', label: each })),
  ];
  const sides = { width, height };
  return (
    <fieldset className="flex min-w-0 flex-col gap-2">
      <legend className="mb-1 max-w-full text-table font-medium break-words text-text">{label}</legend>
      <div className="flex items-center gap-3">
        <Select<Ratio | 'other'>
          label={text('size.ratio', { label })}
          value={ratio ?? 'other'}
          options={options}
          disabled={size === null}
          onChange={(next) => {
            if (size && next !== 'other') put(withRatio(size, next, sides));
          }}
          className="w-24 shrink-0"
        />
        <input
          type="range"
          aria-label={text('size.megapixels', { label })}
          aria-valuetext={size ? text('size.mega', { value: shownMega(size) }) : undefined}
          {...megapixels}
          disabled={size === null}
          value={size ? Math.min(megapixels.max, megapixelsOf(size)) : megapixels.min}
          onChange={(event) => {
            if (size) put(withMegapixels(size, Number(event.target.value), sides));
          }}
          className={classes(focusRing, 'h-8 min-w-0 flex-1 accent-accent')}
        />
        <span className="w-16 shrink-0 text-right text-table tabular-nums text-text-2">
          {size ? text('size.mega', { value: shownMega(size) }) : null}
        </span>
      </div>
      <div className="flex items-end gap-2">
        <Side parameter={width} label={text('size.width')} idOf={idOf} form={form} onVary={onVary} />
        <IconButton
          label={text('size.turn', { label })}
          variant="quiet"
          icon={<ArrowLeftRight size={16} strokeWidth={1.75} aria-hidden />}
          disabled={size === null}
          onClick={() => size && put({ width: size.height, height: size.width })}
        />
        <Side parameter={height} label={text('size.height')} idOf={idOf} form={form} onVary={onVary} />
      </div>
    </fieldset>
  );
}

function shownMega(size: Size): number {
  return Math.round(megapixelsOf(size) * 10) / 10;
}

function Side({
  parameter,
  label,
  idOf,
  form,
  onVary,
}: {
  parameter: FieldSpec;
  label: string;
  idOf: ((name: string) => string) | undefined;
  form: FormState;
  onVary: ((name: string) => void) | undefined;
}) {
  const problemText = useProblemText();
  const { name } = parameter;
  const problem = form.shownProblem(name);
  const draft = form.draft.values[name];
  return (
    <Field
      id={idOf?.(name)}
      label={label}
      error={problem && problemText(problem)}
      action={onVary && <VaryButton label={label} onVary={() => onVary(name)} />}
      className="flex-1"
    >
      <TextInput
        value={typeof draft === 'string' ? draft : ''}
        inputMode="numeric"
        className="tabular-nums"
        onChange={(event) => form.setValue(name, event.target.value)}
      />
    </Field>
  );
}
