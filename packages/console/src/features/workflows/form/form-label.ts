import { type FieldPlace, fieldName, writtenLabel } from '@switchyard/contract/dispatch/field-name';
import type { WorkflowParameter } from '@switchyard/contract/dispatch/workflow';
import { useFieldName } from '../../../kit/results/use-field-name.ts';

interface LabelOptions {
  /** A heading has the title of the node already. */
  belowTitle?: boolean;
  nameOf?: (place: FieldPlace, options?: { alone?: boolean }) => string;
}

/**
 * The label of a field among those that are shown with it. A label that a person wrote stays. One that was made from
 * the node is shortened: to the title of the node while it has one field here, and to the input below a heading that
 * has the title already. A node without a title is named by its class where another one has the same input.
 */
export function labelOf(
  parameter: WorkflowParameter,
  shown: readonly WorkflowParameter[],
  { belowTitle = false, nameOf = fieldName }: LabelOptions = {},
): string {
  const set = madeOf(parameter);
  if (set === null) return parameter.label;
  const made = shown.map(madeOf).filter((each) => each !== null);
  if (set.isTitled && !belowTitle && made.filter(({ title }) => title === set.title).length === 1)
    return set.title;
  const isAlone = !set.isTitled && made.filter(({ input }) => input === set.input).length < 2;
  return nameOf({ ...set, label: null }, { alone: belowTitle || isAlone });
}

/** Returns the node and the input of which a label was made; null for one that a person wrote. */
function madeOf(parameter: WorkflowParameter) {
  const set = parameter.sets[0];
  if (set === undefined || writtenLabel(parameter) !== null) return null;
  return { ...set, isTitled: parameter.label.startsWith(`${set.title}: `) };
}

/** Labels fields in the language of the page. */
export function useLabelOf(): typeof labelOf {
  const nameOf = useFieldName();
  return (parameter, shown, options) => labelOf(parameter, shown, { nameOf, ...options });
}
