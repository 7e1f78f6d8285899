import type { WorkflowParameter } from '@switchyard/contract/dispatch/workflow';
import type { FieldProblem } from '../../../kit/fields/field-params.ts';

interface ServerFault {
  /** The place in the request: `body.params.seed`. */
  path: string;
  message: string;
}

const paramPlace = 'body.params.';

/** The faults of a refused run at their fields; the rest belongs to the form as a whole. */
export function problemsOfFaults(
  faults: readonly ServerFault[],
  parameters: readonly WorkflowParameter[],
): { problems: Map<string, FieldProblem>; others: string[] } {
  const problems = new Map<string, FieldProblem>();
  const others: string[] = [];
  for (const { path, message } of faults) {
    const parameter = path.startsWith(paramPlace)
      ? parameterAt(path.slice(paramPlace.length), parameters)
      : undefined;
    if (parameter) problems.set(parameter.name, { code: 'refused', message });
    else others.push(message);
  }
  return { problems, others };
}

/** A fault names the parameter, or, when the task refused it, the input of the graph: `3.seed`. */
function parameterAt(key: string, parameters: readonly WorkflowParameter[]): WorkflowParameter | undefined {
  return (
    parameters.find(({ name }) => name === key) ??
    parameters.find(({ sets }) => sets.some(({ node, input }) => `${node}.${input}` === key)) ??
    parameters.find(({ placeholder }) => placeholder === key)
  );
}
