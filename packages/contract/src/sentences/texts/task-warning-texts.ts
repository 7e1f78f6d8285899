/** A warning of a task. */
export const taskWarningTexts = {
  placeholder_unfilled: 'The placeholder {placeholder} got no value; the worker sees it as it stands.',
  param_unknown: '"{param}" fits nothing in the workflow.',
  param_nearest: 'Nearest: {names}.',
  param_title_shared:
    '"{param}" fits nothing: {count} nodes have the title "{title}". Use the node\'s id: {names}.',
  file_taken:
    'Node {node} ({nodeClass}), input "{input}": "{value}" is taken to be your file {file} ({filename}).',
  pool_missing: 'No server has the tag "{pool}" (pool). The task waits until one has.',
  file_missing_there: '{instance} does not have an input file, other instances are asked: {cause}',
  output_left_out: 'The worker leaves an output out: {cause}',
} as const;
