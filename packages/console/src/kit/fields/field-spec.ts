import type { WorkflowParameter } from '@switchyard/contract/dispatch/workflow';

/** One value of a form: what is entered, and within which limits. A parameter of a workflow is one. */
export interface FieldSpec extends Omit<WorkflowParameter, 'type' | 'sets' | 'placeholder' | 'pinned'> {
  /** `json`: any value, entered as JSON. `value`: JSON where it is some, and text otherwise. */
  type: WorkflowParameter['type'] | 'json' | 'value';
  /** Left out while it is empty. */
  optional?: boolean;
  /** The inputs of a graph that it sets. A seed is recognised by their names. */
  sets?: WorkflowParameter['sets'];
}
