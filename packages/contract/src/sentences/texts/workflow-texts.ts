/** A workflow. */
export const workflowTexts = {
  workflow_no_object: 'The workflow must be an object of nodes.',
  workflow_empty: 'The workflow has no nodes.',
  workflow_in_prompt: 'Send the graph itself as workflow, without the "prompt" object around it.',
  workflow_too_large:
    'The workflow has {bytes} bytes; at most {limit} can be saved. Upload pictures as files instead of writing them into the graph.',
  node_no_object: 'Node {node} must be an object with class_type and inputs.',
  node_without_class: 'Node {node} needs a class_type, the name of its node class.',
  link_to_nothing:
    'Node {node} ({nodeClass}), input "{input}" links to node {target}, which is not in the workflow.',
  nodes_in_cycle: 'Nodes {path} form a cycle.',
  path_to_output:
    'Node {node} ({nodeClass}), input "{input}": "{value}" lies in the worker\'s output folder, which all its users share, and none of your files has this name.',
  path_to_temp:
    'Node {node} ({nodeClass}), input "{input}": "{value}" lies in the worker\'s temporary folder, which all its users share, and none of your files has this name.',
  path_to_pushed:
    'Node {node} ({nodeClass}), input "{input}": "{value}" is a file that the gateway gave the worker for some task, and none of your files is it.',
  path_to_outside:
    'Node {node} ({nodeClass}), input "{input}": "{value}" leads out of the worker\'s input folder.',
  path_to_beyond:
    'Node {node} ({nodeClass}), input "{input}": "{value}" leads out of the worker\'s output folder.',
  give_the_file: 'Upload the file and set the input by a param with { "$file": "<fileId>" }.',
  give_a_prefix: 'Begin it with a plain name and leave out "..".',
} as const;
