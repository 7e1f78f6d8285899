import type { ParameterEdit, WorkflowParameter } from '@switchyard/contract/dispatch/workflow';

/** How a parameter is shown. */
export type Shown = Pick<WorkflowParameter, 'label' | 'hidden'>;

/** Returns the differences from the present presentation of the parameters. */
export function editsOf(
  parameters: readonly (Shown & Pick<WorkflowParameter, 'name'>)[],
  shown: ReadonlyMap<string, Shown>,
): ParameterEdit[] {
  return parameters.flatMap(({ name, label, hidden }) => {
    const next = shown.get(name);
    if (!next) return [];
    const edit = {
      ...(next.label.trim() !== label && { label: next.label.trim() }),
      ...(next.hidden !== hidden && { hidden: next.hidden }),
    };
    return Object.keys(edit).length > 0 ? [{ name, ...edit }] : [];
  });
}
