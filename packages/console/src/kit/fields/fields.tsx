import type { FieldSpec } from './field-spec.ts';
import { FormField } from './form-field.tsx';
import { useProblemText } from './problem-text.ts';
import type { FormState } from './use-form-state.ts';

interface FieldsProps<Spec extends FieldSpec> {
  parameters: readonly Spec[];
  labelOf?: (parameter: Spec) => string;
  /** The id of the control, for links that lead to it. */
  idOf?: (name: string) => string;
  form: FormState;
}

/** The values of a form, one below the other, each with its problem. */
export function Fields<Spec extends FieldSpec>({
  parameters,
  labelOf = ({ label }) => label,
  idOf,
  form,
}: FieldsProps<Spec>) {
  const problemText = useProblemText();
  return (
    <div className="flex flex-col gap-4">
      {parameters.map((parameter) => {
        const { name } = parameter;
        const problem = form.shownProblem(name);
        return (
          <FormField
            key={name}
            id={idOf?.(name)}
            parameter={parameter}
            label={labelOf(parameter)}
            draft={form.draft.values[name] ?? ''}
            seedMode={form.draft.seeds[name] ?? 'fixed'}
            error={problem && problemText(problem)}
            onChange={(draft) => form.setValue(name, draft)}
            onSeedMode={(mode) => form.setSeedMode(name, mode)}
          />
        );
      })}
    </div>
  );
}
