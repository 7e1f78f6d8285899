/** A value of a run. */
export const parameterTexts = {
  parameter_empty: '"{name}" has no value. Give it a value.',
  parameter_hidden_empty:
    '"{name}" has no value. It is hidden: show it, or replace its placeholder in the graph.',
  parameter_hidden: '"{name}" is hidden and stays as it is. Show it in the workflow to set it.',
  parameter_not_listed: '"{name}" must be one of {names}, got {given}.',
  parameter_no_text: '"{name}" must be text, got {given}.',
  parameter_no_integer: '"{name}" must be a whole number, got {given}.',
  parameter_no_number: '"{name}" must be a number, got {given}.',
  parameter_no_boolean: '"{name}" must be true or false, got {given}.',
  parameter_no_file: '"{name}" must be a file, as { "$file": "<fileId>" }, got {given}.',
  parameter_no_value: '"{name}" must be text, a number, true or false, got {given}.',
  parameter_below: '"{name}" must be at least {limit}, got {given}.',
  parameter_above: '"{name}" must be at most {limit}, got {given}.',
  parameter_twice: 'Two parameters would have the name "{name}". Choose another for one of them.',
  input_takes_number: 'Node {node} ({nodeClass}), input "{input}" takes a number, got {given}.',
  input_takes_string: 'Node {node} ({nodeClass}), input "{input}" takes a string, got {given}.',
  input_takes_boolean: 'Node {node} ({nodeClass}), input "{input}" takes true or false, got {given}.',
  input_takes_object: 'Node {node} ({nodeClass}), input "{input}" takes an object, got {given}.',
  input_takes_list: 'Node {node} ({nodeClass}), input "{input}" takes a list, got {given}.',
  input_takes_link:
    'Node {node} ({nodeClass}), input "{input}" takes a link to a node or a plain value, got {given}.',
  links_in_cycle: 'The links in the params make nodes {path} a cycle.',
  file_unknown: 'There is no file {file}.',
  file_deleted: 'File {file} has been deleted meanwhile. Upload it again.',
  input_deleted:
    'The input {filename} (SHA-256 {sha256}) has been deleted. Upload it again, or give another file for {param}.',
  mask_of_other_shape:
    'The mask has {mask} pixels, and the picture {picture}. Paint it over this picture, or give a mask of the same shape.',
  priority_beyond:
    'At most {max}, unless you are an administrator (`dispatch.max_member_priority`). Choose a lower priority.',
  graph_without_seed: 'The graph has no seed. Leave seed out, or set the input that you mean by params.',
  name_token_unknown: '{given} is not among the parts of a name. Known parts are {known}.',
  instance_unknown: 'There is no instance {id}. GET /api/instances lists those that there are.',
} as const;
