import { type FileDraft, type FormDraft, isFileDraft } from './field-draft.ts';
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
  onVary?: ((name: string) => void) | undefined;
}

/** The values of a form, one below the other, each with its problem. */
export function Fields<Spec extends FieldSpec>({
  parameters,
  labelOf = ({ label }) => label,
  idOf,
  form,
  onVary,
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
            below={otherFile(form.draft, name)}
            seedMode={form.draft.seeds[name] ?? 'fixed'}
            error={problem && problemText(problem)}
            onChange={(draft) => form.setValue(name, draft)}
            onSeedMode={(mode) => form.setSeedMode(name, mode)}
            onVary={onVary && (() => onVary(name))}
          />
        );
      })}
    </div>
  );
}

/** Returns the first file of another field: a mask of its own is painted over it. */
function otherFile({ values }: FormDraft, name: string): FileDraft | undefined {
  const others = Object.entries(values).filter(([other]) => other !== name);
  return others.map(([, draft]) => draft).find(isFileDraft);
}
