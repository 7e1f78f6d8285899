import type { Sentence } from './sentence.ts';
import { taskErrorCodes } from './task.ts';

/**
 * Every sentence of the gateway that clients may want in another language. The gateway makes its sentences from these, and
 * finds them again in what it has stored as text. A `{cause}` at the end is a sentence of its own.
 */
export const sentenceTexts = {
  // A call to a worker
  call_refused: '{address} refused the connection. Is ComfyUI running there, started with --listen?',
  call_timed_out: '{address} did not answer in time.',
  call_unreachable: '{address} cannot be reached from here.',
  call_name_not_found: 'The host name of {address} is not known here.',
  call_tls_failed: "No secure connection to {address}. Check the server's tls setting and its certificate.",
  call_wants_password: "{address} wants a password. Set the server's headers, for example Authorization.",
  call_not_comfyui: 'What answers at {address} is not ComfyUI.',
  call_too_old: 'The ComfyUI at {address} chooses its own prompt ids. Update it.',
  call_host_not_allowed: '{address} is an address that workers may not have.',
  call_broken_off: '{address} broke off the connection.',
  call_bad_answer: '{address} gave an answer that makes no sense.',
  call_too_large: 'The answer of {address} is larger than allowed.',
  call_aborted: 'The call to {address} was given up.',
  history_unreadable: '{address} keeps a history entry that makes no sense.',

  // An attempt of a task
  task_error: '{error}: {cause}',
  cancelled: 'Cancelled.',
  cancelled_before_start: 'Cancelled before it started.',
  task_failed: 'The task failed.',
  gateway_failed: 'The gateway met an error of its own while it ran this task. Its log says which.',
  run_unknown: 'The worker does not know the run any more.',
  worker_restarted: 'The worker was restarted and does not know the run any more.',
  worker_gone: 'The worker refuses connections: its process is gone.',
  worker_away: 'The worker cannot be reached any more.',
  run_interrupted: 'Another client interrupted the execution on the worker.',
  run_failed_silently: 'The worker says that the run failed and does not say why.',
  error_unnamed: 'The worker reported an error without saying which.',
  run_silent: 'The worker answers, but has given no sign of the run for {seconds} s.',
  run_not_started: 'The worker answers, but took the run and has not started it for {seconds} s.',
  run_too_long: 'The run took longer than {seconds} s.',
  outputs_not_fetched: 'The outputs could not be fetched from the worker: {cause}',
  outputs_gone: 'The run went through, and nothing of what it made could be had any more.',
  input_not_handed: 'An input file could not be handed to the worker: {cause}',
  task_not_taken: 'The worker did not take the task: {cause}',
  file_nowhere:
    '{said}. No instance has this file: upload it and give the task { "$file": "<fileId>" } as the param.',

  // An instance
  no_answer: 'It does not answer.',
  runs_failed: '{count} runs in a row failed on it: {cause}',
  would_not_stop: 'Its last run did not stop when it was asked to.',
  offer_untold: 'It did not tell what it can run: {cause}',
  socket_silent: 'Its event socket was open and silent when it took a task, and was opened again.',
  socket_missed_run: 'Its event socket told nothing of a run that has ended, and was opened again.',
  socket_heard_run: 'Its event socket told of a run from its start to its end.',
  trusted: 'It gets tasks again. The suspicion was: {cause}',
  enabled: 'It gets tasks again.',
  disabled: 'It was disabled. What it runs finishes first.',
  leaving: 'It left the configuration. What it runs finishes first.',
  left: 'It left the configuration.',
  drained: 'Nothing runs on it any more.',
  added: 'It belongs to {server}.',
  replaced: 'Another process answers at its address now.',
  test_answers: 'It answers: version {version}, {count} in its queue.',
  test_answers_on: 'It answers: version {version} on {device}, {count} in its queue.',
  answers: 'It answers: version {version}.',
  answers_on: 'It answers: version {version} on {device}.',
  replica_silent:
    'Another replica of the gateway looks after this instance and did not answer. GET /api/instances tells what it found last.',
  tried_again: 'It is tried again.',
  forced_out: 'The instance was drained with force.',
  offer: 'It has {nodes} node classes and {models} model files.',
  nodes_new: 'New nodes: {names}.',
  nodes_gone: 'Nodes gone: {names}.',
  models_new: 'New models: {names}.',
  models_gone: 'Models gone: {names}.',

  // What happened to an instance, without what belongs to another user
  event_added: 'An instance was added.',
  event_up: 'An instance answers.',
  event_down: 'An instance does not answer any more.',
  event_restarted: 'An instance has restarted.',
  event_suspect: 'An instance is under suspicion and gets no task.',
  event_trusted: 'An instance is trusted again.',
  event_deaf: 'An instance sent no events of a run.',
  event_hearing: 'Events of an instance arrive again.',
  event_capabilities_changed: 'An instance can run other things than before.',
  event_enabled: 'An instance was enabled.',
  event_draining: 'An instance gets no new task.',
  event_drained: 'An instance has ended its last task.',
  event_removed: 'An instance was removed.',
  event_refused: 'An instance did not take a task.',
  event_failed: 'A task failed on an instance.',
  event_lost: 'A task was lost on an instance.',
  event_queued_again: 'A task went back to the queue.',

  // Why a task waits
  next: 'It is next.',
  one_ahead: '1 task is ahead of it.',
  tasks_ahead: '{count} tasks are ahead of it.',
  queue_paused: 'The queue is paused by an administrator.',
  queue_paused_why: 'The queue is paused by an administrator: {reason}.',
  user_paused: 'The tasks of its user are paused by an administrator.',
  user_paused_why: 'The tasks of its user are paused by an administrator: {reason}.',
  own_paused: 'The tasks of its user are paused by the user.',
  own_paused_why: 'The tasks of its user are paused by the user: {reason}.',
  placed_again: 'It came back from a worker and is placed again at {until}.',
  placing: 'It is being placed.',
  handed_over: 'It is being handed to {name}.',
  no_instance: 'There is no instance.',
  none_able: 'No instance could run it now: {obstacles}.',
  one_free: '1 instance could run it and is free.',
  all_free: '{count} instances could run it and are free.',
  some_free: '{count} instances could run it, of which {free} have nothing to do.',
  one_busy: '1 instance could run it and works on another task.',
  all_busy: '{count} instances could run it and work on other tasks.',

  // A call of a webhook
  answered: 'It answered {status}.',
  no_answer_within: 'No answer within {seconds} s.',
  leads_elsewhere: '{host} leads to {address}, which may not be called.',
  receiver_refused: 'Nothing listens at the address of the receiver.',
  receiver_unknown: 'The host name of the receiver is not known here.',
  receiver_unreachable: 'There is no way to the receiver from here.',
  receiver_broke_off: 'The receiver broke off the connection.',
  receiver_tls_failed: 'The secure connection to the receiver failed. Check its certificate.',

  // A test of an MCP server
  server_refused: 'Nothing listens at the address of the server.',
  server_unknown: 'The host name of the server is not known here.',
  server_unreachable: 'There is no way to the server from here.',
  server_broke_off: 'The server broke off the connection.',
  server_tls_failed: 'The secure connection to the server failed. Check its certificate.',
  server_answered: 'The server answered {status}: {cause}',
  server_leads_on: 'The address answered {status}; configure the one that it leads to.',
  answer_too_large: 'The answer is larger than {bytes} bytes.',
  answer_line_too_large: 'A line of the answer is larger than {bytes} bytes.',
  program_missing: 'There is no program {command} on this machine.',
  program_ended: 'The program ended before it answered.',

  // A warning of a task
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

  // A value of the wrong form
  field_required: 'Field required',
  field_unknown: 'Extra inputs are not permitted',
  field_unknown_near: 'Extra inputs are not permitted. Did you mean {name}?',
  integer_unreadable: 'Input should be a valid integer, unable to parse string as an integer',
  number_unreadable: 'Input should be a valid number, unable to parse string as a number',
  boolean_unreadable: 'Input should be a valid boolean, unable to parse string as a boolean',
  no_string: 'Input should be a valid string',
  no_integer: 'Input should be a valid integer',
  no_number: 'Input should be a valid number',
  no_boolean: 'Input should be a valid boolean',
  no_list: 'Input should be a valid list',
  no_dictionary: 'Input should be a valid dictionary',
  no_null: 'Input should be a valid null',
  no_uuid: 'Input should be a valid UUID',
  no_time: 'Input should be a valid datetime, for example 2030-01-31T12:00:00.000Z',
  no_date: 'Input should be a valid date, for example 2030-01-31',
  no_url: 'Input should be a valid URL',
  value_not_listed: 'Input should be {expected}',
  string_too_short_one: 'String should have at least 1 character',
  string_too_short: 'String should have at least {length} characters',
  string_too_long_one: 'String should have at most 1 character',
  string_too_long: 'String should have at most {length} characters',
  string_mismatch: "String should match pattern '{pattern}'",
  number_below: 'Input should be greater than or equal to {limit}',
  number_above: 'Input should be less than or equal to {limit}',
  number_not_above: 'Input should be greater than {limit}',
  number_not_below: 'Input should be less than {limit}',
  number_no_multiple: 'Input should be a multiple of {limit}',
  list_too_short_one: 'List should have at least 1 item after validation, not {count}',
  list_too_short: 'List should have at least {length} items after validation, not {count}',
  list_too_long_one: 'List should have at most 1 item after validation, not {count}',
  list_too_long: 'List should have at most {length} items after validation, not {count}',
  items_same: 'Value error, items {first} and {second} are the same; keep one of them',
  key_not_allowed: 'Value error, this key is not allowed',
  value_not_allowed: 'Value error, this value is not allowed here',

  // An account or an agent
  email_incomplete: 'value is not a valid email address: it needs a name, @ and a domain',
  email_wrong: 'value is not a valid email address: {cause}',
  email_no_at: 'An email address must have an @-sign.',
  email_no_name: 'There must be something before the @-sign.',
  email_no_domain: 'There must be something after the @-sign.',
  email_too_long: 'The email address is too long.',
  email_name_characters: 'The email address contains invalid characters before the @-sign.',
  email_no_period: 'The part after the @-sign is not valid. It should have a period.',
  email_no_domain_name: 'The part after the @-sign is not a valid domain name.',
  password_too_long: 'Value error, Password is longer than {count} bytes; choose a shorter one.',
  password_common: 'Value error, Password is too common; choose a stronger password.',
  model_unknown: "Value error, model '{model}' is not configured; these are: {names}",

  // Settings
  server_id_own: '"{id}" is the gateway\'s own worker. Use another id.',
  server_id_twice: '"{id}" is already the id of {place}. Use another id.',
  instance_twice: '{id} is already {place}. An address may stand here once.',
  secret_not_stored: 'There is no stored value for "{mask}" to keep. Send the value.',

  // A value of a run
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
  file_unknown: 'There is no file {file}.',
  file_deleted: 'File {file} has been deleted meanwhile. Upload it again.',
  input_deleted:
    'The input {filename} (SHA-256 {sha256}) has been deleted. Upload it again, or give another file for {param}.',
  graph_without_seed: 'The graph has no seed. Leave seed out, or set the input that you mean by params.',
  instance_unknown: 'There is no instance {id}. GET /api/instances lists those that there are.',

  // A workflow
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

export type SentenceCode = keyof typeof sentenceTexts;

type SlotOf<Text extends string> = Text extends `${string}{${infer Slot}}${infer Rest}`
  ? (Slot extends `${string} ${string}` ? never : Slot) | SlotOf<Rest>
  : never;
type SlotOfCode<Code extends SentenceCode> = SlotOf<(typeof sentenceTexts)[Code]>;
type ValuesOf<Code extends SentenceCode> = [SlotOfCode<Code>] extends [never]
  ? []
  : [values: Record<SlotOfCode<Code>, string | number>];

/** The sentence as text. */
export function say<Code extends SentenceCode>(code: Code, ...[values]: ValuesOf<Code>): string {
  return fill(sentenceTexts[code], values ?? {});
}

/** The sentence as a code with its values. */
export function sentenceOf<Code extends SentenceCode>(code: Code, ...[values]: ValuesOf<Code>): Sentence {
  const texts = Object.entries<string | number>(values ?? {}).map(([slot, value]) => [slot, `${value}`]);
  return { code, values: Object.fromEntries(texts) as Record<string, string> };
}

/** The text that sentences make one after the other. */
export function textOf(sentences: readonly Sentence[]): string {
  return sentences.map(({ code, values }) => fill(sentenceTexts[code as SentenceCode], values)).join(' ');
}

function fill(text: string, values: Partial<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)\}/g, (_, slot: string) => `${values[slot] ?? ''}`);
}

/** A longer text is not one of these sentences. */
const maxReadLength = 2_000;
const maxParts = 10;
/** Sentences of the gateway have causes three deep. What a worker says may repeat such words without end. */
const maxDepth = 5;

const slotPatterns: Partial<Record<string, string>> = {
  error: taskErrorCodes.join('|'),
  address: '\\S+',
  count: '\\d+',
  seconds: '\\d+',
  status: '\\d+',
  nodes: '\\d+',
  models: '\\d+',
  free: '\\d+',
  version: '\\S+',
  length: '\\d+',
  bytes: '\\d+',
  limit: '-?\\d[\\d.e+-]*',
  expected: "(?:'|-?\\d|true|false|null).*",
};

const patterns = Object.entries(sentenceTexts).map(([code, text]) => ({ code, pattern: patternOf(text) }));

/** Finds the sentences again in a text of the gateway. What is none of them is a quote. */
export function readSentences(text: string): Sentence[] {
  return readTo(maxDepth, text);
}

function readTo(depth: number, text: string): Sentence[] {
  if (text === '') return [];
  const known = depth > 0 ? (readParts(depth, text) ?? readWhole(depth, text)) : null;
  return known ?? [{ code: 'quote', values: { text } }];
}

/** Several sentences, one after the other. */
function readParts(depth: number, text: string): Sentence[] | null {
  const parts = text.split(/(?<=\.) /, maxParts + 1);
  if (parts.length < 2 || parts.length > maxParts) return null;
  const each = parts.map((part) => readWhole(depth, part));
  return each.every((part) => part !== null) ? each.flat() : null;
}

function readWhole(depth: number, text: string): Sentence[] | null {
  if (text.length > maxReadLength) return null;
  for (const { code, pattern } of patterns) {
    const found = pattern.exec(text);
    if (!found) continue;
    const { cause = '', said = '', detail, ...values } = found.groups ?? {};
    const own = { code, values: { ...values, ...(detail !== undefined && { detail }) } };
    return [...readTo(depth - 1, said), own, ...readTo(depth - 1, cause)];
  }
  return null;
}

function patternOf(text: string): RegExp {
  const source = text
    .split(/(\{\w+\})/)
    .map((part) => (/^\{\w+\}$/.test(part) ? slotPattern(part.slice(1, -1)) : escaped(part)))
    .join('');
  const detail = text.endsWith('}') ? '' : '(?: \\((?<detail>[^()]*)\\))?';
  return new RegExp(`^${source}${detail}$`, 's');
}

function slotPattern(slot: string): string {
  return `(?<${slot}>${slotPatterns[slot] ?? '.+?'})`;
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
