import type { WorkflowParameter } from '@switchyard/contract/dispatch/workflow';

/**
 * The label of a field among those that are shown with it. A label that the author wrote stays. One that was made from
 * the node is shortened: to the title of the node while it has one field here, and to the input below a heading that
 * says the title already.
 */
export function labelOf(
  parameter: WorkflowParameter,
  shown: readonly WorkflowParameter[],
  { belowTitle = false }: { belowTitle?: boolean } = {},
): string {
  const set = parameter.sets[0];
  if (!set || !isMade(parameter)) return parameter.label;
  if (belowTitle) return set.input;
  const ofTitle = shown.filter((each) => isMade(each) && each.sets[0]?.title === set.title);
  return ofTitle.length === 1 ? set.title : parameter.label;
}

function isMade({ label, sets: [set], placeholder }: WorkflowParameter): boolean {
  return placeholder === null && set !== undefined && label === `${set.title}: ${set.input}`;
}
