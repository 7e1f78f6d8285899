import type { Wording } from './sentences/sentences.ts';

/**
 * Every error that can cross the wire has one entry here. Domain code throws `AppError(code)`; the kind decides the
 * HTTP status; the message is the default sentence, which a thrower may make more specific.
 */
export const statusOfKind = {
  invalid: 422,
  malformed: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  precondition: 412,
  too_large: 413,
  unsupported: 415,
  upgrade: 426,
  too_many: 429,
  internal: 500,
  unavailable: 503,
  too_slow: 504,
  no_space: 507,
} as const;

export type ErrorKind = keyof typeof statusOfKind;

interface CatalogueEntry {
  kind: ErrorKind;
  message: string;
  /** Rendered as `{ detail: { code, message } }` in the conversation area, where ordinary errors are a string. */
  auth?: true;
  /** The code that is written on the wire, where the contract gives one code two statuses. */
  wireCode?: string;
}

export const errorCatalogue = {
  // Requests
  validation_failed: { kind: 'invalid', message: 'The request is not valid.' },
  host_repeated: { kind: 'malformed', message: 'The request has more than one Host header. Send one.' },
  body_malformed: { kind: 'malformed', message: 'The body is not valid JSON.' },
  body_too_large: { kind: 'too_large', message: 'The body is larger than this gateway accepts.' },
  media_type_unsupported: { kind: 'unsupported', message: 'Send application/json.' },
  route_not_found: { kind: 'not_found', message: 'Not Found' },
  method_not_allowed: { kind: 'method_not_allowed', message: 'Method Not Allowed' },
  internal_error: { kind: 'internal', message: 'Internal error. Quote the request id when you report it.' },
  database_unavailable: {
    kind: 'unavailable',
    message: 'The database cannot be reached. Try again shortly.',
  },
  database_busy: {
    kind: 'unavailable',
    message: 'The database has more to do than it can. Try again shortly.',
  },
  storage_full: { kind: 'no_space', message: 'The gateway has no disk space left.' },
  file_store_unavailable: {
    kind: 'unavailable',
    message: 'The store of files does not answer. Try again shortly.',
  },
  overloaded: {
    kind: 'unavailable',
    message: 'The gateway has as many requests open as it can hold. Try again shortly.',
  },
  shutting_down: { kind: 'unavailable', message: 'The gateway is shutting down. Try again shortly.' },
  gateway_quiet: {
    kind: 'unavailable',
    message:
      'This gateway was restored from a backup and is quiet: it shows what it has and works on nothing. An administrator lets it work with: switchyard resume',
  },
  rate_limited: { kind: 'too_many', message: 'Too many requests. Try again later.' },

  // Identity
  not_authenticated: { kind: 'unauthenticated', message: 'Authentication required', auth: true },
  token_invalid: { kind: 'unauthenticated', message: 'The token is not valid.', auth: true },
  token_expired: { kind: 'unauthenticated', message: 'The token has expired.', auth: true },
  user_not_found: { kind: 'unauthenticated', message: 'User not found', auth: true },
  csrf_missing: { kind: 'forbidden', message: 'CSRF token missing. Include X-CSRF-Token header.' },
  csrf_mismatch: { kind: 'forbidden', message: 'CSRF token mismatch.' },
  origin_denied: { kind: 'forbidden', message: 'Cross-site auth request denied.' },
  admin_required: { kind: 'forbidden', message: 'Admin privileges required.' },
  session_required: {
    kind: 'forbidden',
    message: 'A personal access token cannot do this. Sign in, and send the cookies of the session instead.',
    auth: true,
  },
  scope_missing: { kind: 'forbidden', message: 'The token lacks the scope for this call.' },

  // Accounts
  invalid_credentials: { kind: 'unauthenticated', message: 'Incorrect email or password', auth: true },
  current_password_wrong: {
    kind: 'malformed',
    message: 'Current password is incorrect',
    auth: true,
    wireCode: 'invalid_credentials',
  },
  email_already_exists: { kind: 'malformed', message: 'Email already registered', auth: true },
  registration_disabled: {
    kind: 'forbidden',
    message: 'Registration is closed. Ask an administrator for an account.',
    auth: true,
  },
  system_already_initialized: { kind: 'conflict', message: 'System already initialized', auth: true },
  login_locked: { kind: 'too_many', message: 'Too many login attempts. Try again later.' },
  login_busy: { kind: 'too_many', message: 'Too many logins at once. Try again in a second.' },
  account_not_found: { kind: 'not_found', message: 'Account not found' },
  account_changed: {
    kind: 'conflict',
    message: 'The account was changed by somebody else meanwhile. Try again.',
  },
  account_signs_in_elsewhere: {
    kind: 'conflict',
    message:
      'This account is let in by the auth of langgraph.json. It has no password and is never an administrator.',
  },
  last_admin: { kind: 'conflict', message: 'At least one enabled administrator must remain.' },
  access_token_not_found: { kind: 'not_found', message: 'Access token not found' },
  access_token_limit: {
    kind: 'conflict',
    message: 'This account has as many access tokens as it may have. Delete one first.',
  },

  // Sign-in of clients; the codes are those of OAuth
  invalid_client: {
    kind: 'malformed',
    message: 'This client is not known here. Remove the connection in the client and make it again.',
  },
  invalid_client_metadata: {
    kind: 'malformed',
    message: 'What the client says about itself cannot be used.',
  },
  invalid_grant: {
    kind: 'malformed',
    message: 'This code or token is not valid, was used, or has expired. Sign in again.',
  },
  invalid_redirect_uri: {
    kind: 'malformed',
    message:
      'The client does not have this redirect address. It is one that the client has named, on https or on this machine.',
  },
  invalid_request: { kind: 'malformed', message: 'The request of the client is not complete.' },
  invalid_scope: {
    kind: 'malformed',
    message: 'The client asked for a scope that clients cannot have, or that was not allowed.',
  },
  invalid_target: {
    kind: 'malformed',
    message: 'The client asked for another resource than /mcp of this gateway.',
  },
  unsupported_grant_type: {
    kind: 'malformed',
    message: 'The grant_type is authorization_code or refresh_token.',
  },
  unsupported_response_type: { kind: 'malformed', message: 'The response_type is code.' },

  // Dispatch
  upgrade_required: {
    kind: 'upgrade',
    message: 'This address speaks WebSocket. Connect with ws:// or wss://.',
  },
  instance_not_found: {
    kind: 'not_found',
    message: 'No such instance. GET /api/instances lists those that the configuration names.',
  },
  task_not_found: { kind: 'not_found', message: 'No such task. GET /api/tasks lists your tasks.' },
  task_finished: {
    kind: 'conflict',
    message: 'The task has already ended and cannot be cancelled any more.',
  },
  task_batch_not_found: { kind: 'not_found', message: 'No such batch of tasks.' },
  task_batch_changed: {
    kind: 'conflict',
    message: 'The tasks that fit have changed since they were counted. Count again with dryRun.',
  },
  sweep_not_found: { kind: 'not_found', message: 'No such sweep.' },
  sweep_too_large: {
    kind: 'invalid',
    message: 'The sweep is too large. Take fewer values, a larger step or fewer axes.',
  },
  sweep_limit: {
    kind: 'conflict',
    message: 'You have as many sweeps as you may have. Delete one first.',
  },
  task_not_waiting: {
    kind: 'conflict',
    message: 'The task does not wait any more: a worker has it, or it has ended.',
  },
  pause_limit: {
    kind: 'conflict',
    message: 'There are as many pauses as there may be. Lift one first.',
  },
  invalid_workflow: {
    kind: 'invalid',
    message: 'The workflow cannot run. Correct the nodes that the details name.',
  },
  ui_format_workflow: {
    kind: 'invalid',
    message:
      "This workflow is in the editor's format. In ComfyUI choose Workflow > Export (API) and send that file's content.",
  },
  unknown_param: {
    kind: 'invalid',
    message:
      'A param fits nothing in the workflow. Use <node id>.<input>, <node title>.<input> or the name of a {{placeholder}}.',
  },
  invalid_param: {
    kind: 'invalid',
    message: 'A param has a value that its place in the workflow cannot take.',
  },
  comfyui_page_off: {
    kind: 'conflict',
    message:
      'The page of ComfyUI has no origin. Set doors.comfyui.port in the configuration and start the gateway again.',
  },
  comfyui_page_away: {
    kind: 'unavailable',
    message:
      'No worker whose page could be shown answers. See the instances, or doors.comfyui.page in the configuration.',
  },
  no_capable_instance: {
    kind: 'invalid',
    message:
      'No instance can run this workflow. Install what the details name on a worker, or change the workflow.',
  },
  queue_full: {
    kind: 'too_many',
    message: 'The queue is full. Wait until some tasks have ended, then submit again.',
  },
  idempotency_mismatch: {
    kind: 'invalid',
    message: 'This Idempotency-Key was used with another body. Send the same body, or a new key.',
  },
  file_not_found: {
    kind: 'not_found',
    message:
      'No such file. GET /api/files lists your files. One that was shared with you may have been taken back.',
  },
  not_a_picture: {
    kind: 'unsupported',
    message: 'Thumbnails and masks are made of pictures alone. Load the file itself, or choose a picture.',
  },
  picture_unreadable: {
    kind: 'invalid',
    message: 'The picture is damaged, or takes too long to decode. Load the file itself.',
  },
  picture_too_large: {
    kind: 'invalid',
    message:
      'The picture has more pixels than are decoded here. Load the file itself, or make a smaller copy of it.',
  },
  thumbnails_busy: {
    kind: 'too_many',
    message: 'As many thumbnails wait to be made as may wait. Try again in a few seconds.',
  },
  downloads_busy: {
    kind: 'too_many',
    message: 'You load as many archives at once as you may. Wait until one of them is there.',
  },
  file_not_made: {
    kind: 'conflict',
    message: 'This file was uploaded: no task made it, so none can make it again.',
  },
  file_in_use: {
    kind: 'conflict',
    message: 'A task that has not ended needs this file. Delete it afterwards, or cancel the task.',
  },
  tag_limit: {
    kind: 'conflict',
    message: 'The file has as many tags as a file may have. Take some off first.',
  },
  collection_not_found: {
    kind: 'not_found',
    message: 'No such collection. GET /api/collections lists yours.',
  },
  collection_exists: {
    kind: 'conflict',
    message: 'You have a collection of this name. Choose another name.',
  },
  collection_limit: {
    kind: 'conflict',
    message: 'You have as many collections as you may have. Delete one first.',
  },
  collection_full: {
    kind: 'conflict',
    message: 'The collection has as many files as it may have. Begin another one.',
  },
  collection_changed: {
    kind: 'conflict',
    message: 'The collection has changed since you read it. Read its files again.',
  },
  path_not_allowed: { kind: 'invalid', message: 'The path is not allowed.' },
  file_too_large: { kind: 'too_large', message: 'The file is larger than this gateway accepts.' },
  file_part_invalid: {
    kind: 'invalid',
    message: 'Send multipart/form-data with exactly one part, named file, that has a filename.',
  },
  link_expired: {
    kind: 'forbidden',
    message: 'This link is not valid any more. Read the task or the file list again for a new one.',
  },
  quota_exceeded: {
    kind: 'too_large',
    message: 'Your file quota is used up. Delete files that you do not need any more.',
  },
  config_version_mismatch: {
    kind: 'precondition',
    message: 'The configuration has changed since you read it. Read it again, then send your change.',
  },
  webhook_not_found: { kind: 'not_found', message: 'No such webhook. GET /api/webhooks lists yours.' },
  webhook_url_denied: {
    kind: 'invalid',
    message: 'Webhooks may not call this address. Use a public http or https address.',
  },
  webhook_limit: {
    kind: 'conflict',
    message: 'You have as many webhooks as you may have. Delete one first.',
  },
  workflow_not_found: {
    kind: 'not_found',
    message:
      'No such saved workflow. GET /api/workflows lists yours. One that was shared with you may have been taken back.',
  },
  workflow_exists: {
    kind: 'conflict',
    message: 'You have a workflow of this name. Choose another name, or change that one.',
  },
  workflow_limit: {
    kind: 'conflict',
    message: 'You have as many saved workflows as you may have. Delete one first.',
  },
  share_not_found: { kind: 'not_found', message: 'No such share. GET /api/shares lists yours.' },
  share_limit: {
    kind: 'conflict',
    message: 'You share as many things as you may share. Take one back first.',
  },
  workflow_is_own: {
    kind: 'conflict',
    message: 'This workflow is yours. Change exposed to give it to your agents.',
  },
  share_allows_less: {
    kind: 'forbidden',
    message: 'This is shared with you, and only its owner may change it. Save a copy and change that.',
  },
  workflow_version_mismatch: {
    kind: 'precondition',
    message: 'The workflow has changed since you read it. Read it again, then send your change.',
  },
  job_not_found: {
    kind: 'not_found',
    message: 'No dead job has this id. GET /api/system lists dead jobs.',
  },
  delivery_not_found: { kind: 'not_found', message: 'No such delivery of this webhook.' },
  too_many_sockets: {
    kind: 'too_many',
    message: 'You have as many open sockets as you may have. Close one first.',
  },

  // Threads and feedback
  thread_not_found: { kind: 'not_found', message: 'Thread not found' },
  thread_exists: { kind: 'conflict', message: 'Thread already exists' },
  thread_busy: {
    kind: 'conflict',
    message: 'The thread has work in flight. Try again after the work has ended.',
  },
  feedback_not_found: { kind: 'not_found', message: 'No feedback found for this run' },
  rating_invalid: { kind: 'malformed', message: 'rating must be +1 or -1' },
  feedback_unavailable: { kind: 'unavailable', message: 'Feedback not available' },
  console_unavailable: {
    kind: 'unavailable',
    message: 'Summaries need a database. Set database.backend to sqlite or postgres.',
  },
  message_not_found: { kind: 'not_found', message: 'No such message in the latest state of the thread.' },
  turn_not_replayable: { kind: 'conflict', message: 'This answer cannot be made again.' },
  turn_not_branchable: { kind: 'conflict', message: 'This turn can no longer be branched from.' },
  compaction_disabled: { kind: 'conflict', message: 'Context compaction is disabled.' },
  compaction_failed: { kind: 'internal', message: 'Failed to compact thread context.' },
  polish_unavailable: { kind: 'unavailable', message: 'Failed to polish input' },
  polish_disabled: { kind: 'not_found', message: 'No model is configured that could polish the text.' },
  polish_text_invalid: { kind: 'malformed', message: 'Input text is required' },
  checkpoint_not_found: { kind: 'not_found', message: 'Checkpoint not found' },
  state_update_invalid: { kind: 'invalid', message: 'The state of this thread cannot take the update.' },

  // Files of threads
  no_files: { kind: 'malformed', message: 'No files provided' },
  too_many_files: { kind: 'too_large', message: 'Too many files in one request.' },
  upload_too_large: { kind: 'too_large', message: 'Total upload size too large' },
  too_many_uploads: {
    kind: 'conflict',
    message: 'The thread has as many uploads as it may have. Delete some first.',
  },
  path_invalid: { kind: 'malformed', message: 'Invalid path' },
  path_denied: { kind: 'forbidden', message: 'Access denied: path traversal detected' },
  artifact_not_found: { kind: 'not_found', message: 'Artifact not found' },
  artifact_changed: {
    kind: 'precondition',
    message: 'The file has changed since you read it. Read it again, then send your change.',
  },

  // Runs
  run_not_found: { kind: 'not_found', message: 'Run not found' },
  run_active: {
    kind: 'conflict',
    message: 'The thread already has an active run. Wait for its end, or choose another multitask_strategy.',
  },
  durability_too_late: {
    kind: 'invalid',
    message:
      'Tools that act need their call on disk first. Run with durability async or sync instead of exit.',
  },
  run_not_cancellable: { kind: 'conflict', message: 'The run has ended and cannot be cancelled any more.' },
  run_open: { kind: 'conflict', message: 'The run has not ended. Cancel it first.' },
  too_many_runs: {
    kind: 'too_many',
    message: 'As many runs wait as may wait. Try again when some of them have ended.',
  },

  // Assistants, models, store
  scheduled_task_not_found: { kind: 'not_found', message: 'Scheduled task not found' },
  cron_not_found: { kind: 'not_found', message: 'Cron not found' },
  scheduled_task_running: {
    kind: 'conflict',
    message: 'The task is running. Change it when its run has ended.',
  },
  scheduled_task_active: { kind: 'conflict', message: 'task already has an active run' },
  scheduled_task_ended: {
    kind: 'conflict',
    message: 'The task has ended. Give it a new time with PATCH, and it runs again.',
  },
  schedule_limit: {
    kind: 'conflict',
    message: 'You have as many scheduled tasks and crons as you may have. Delete one first.',
  },
  assistant_not_found: {
    kind: 'not_found',
    message: 'No such assistant. POST /api/assistants/search lists those that you can use.',
  },
  assistant_exists: { kind: 'conflict', message: 'Assistant already exists' },
  assistant_built_in: {
    kind: 'forbidden',
    message: "This is a graph's own assistant, which cannot be changed. Make one of your own from the graph.",
  },
  assistant_limit: {
    kind: 'conflict',
    message: 'You have as many assistants as you may have. Delete one first.',
  },
  agent_faulty: {
    kind: 'invalid',
    message: "This agent's file cannot be loaded. The gateway's log says what is wrong with it.",
  },
  custom_route_failed: {
    kind: 'internal',
    message: "A route of the gateway's own app failed. The gateway's log says why.",
  },
  custom_route_too_slow: {
    kind: 'too_slow',
    message: "A route of the gateway's own app did not answer in time.",
  },
  custom_auth_failed: {
    kind: 'internal',
    message:
      "The authentication that this gateway's operator has written failed. The gateway's log says why.",
  },
  custom_auth_too_slow: {
    kind: 'too_slow',
    message: "The authentication that this gateway's operator has written did not answer in time.",
  },
  custom_auth_busy: {
    kind: 'unavailable',
    message: 'As many requests wait for the authentication as may wait. Try again in a second.',
  },
  custom_auth_rejected: { kind: 'unauthenticated', message: 'Not authenticated' },
  custom_auth_denied: { kind: 'forbidden', message: 'You may not do this here.' },
  custom_auth_unserved: {
    kind: 'forbidden',
    message: 'This cannot be used by callers that the auth of langgraph.json lets in.',
  },
  store_full: {
    kind: 'conflict',
    message: 'You have as many items in the store as you may have. Delete some first.',
  },
  model_not_found: { kind: 'not_found', message: 'No such model. GET /api/models lists them.' },
  model_unavailable: { kind: 'unavailable', message: 'The model cannot be used.' },

  // MCP
  mcp_server_not_found: { kind: 'not_found', message: 'No such MCP server.' },
  mcp_config_invalid: { kind: 'malformed', message: 'These settings of MCP servers cannot be used.' },

  // Custom agents
  agents_api_disabled: {
    kind: 'forbidden',
    message: 'Custom-agent management API is disabled. Set agents_api.enabled to true to use it.',
  },
  agent_not_found: { kind: 'not_found', message: 'No such agent. GET /api/agents lists yours.' },
  agent_exists: { kind: 'conflict', message: 'You have an agent of this name.' },
  agent_limit: {
    kind: 'conflict',
    message: 'You have as many agents as you may have. Delete one first.',
  },
  agent_corrupted: {
    kind: 'internal',
    message: 'The file of this agent cannot be read. DELETE the agent and create it again.',
  },

  // Skills
  skill_not_found: { kind: 'not_found', message: 'No such skill. GET /api/skills lists them.' },
  skill_exists: { kind: 'conflict', message: 'There is a skill of this name. Delete it first.' },
  skill_invalid: { kind: 'malformed', message: 'The text is not a skill.' },
  skill_archive_invalid: { kind: 'malformed', message: 'The archive holds no skill that can be installed.' },
  skill_limit: {
    kind: 'conflict',
    message: 'There are as many custom skills as there may be. Delete one first.',
  },
  skill_changed: {
    kind: 'precondition',
    message: 'The skill has changed since you read it. Read it again, then send your change.',
  },
  skill_rollback_invalid: { kind: 'malformed', message: 'There is nothing to roll back to.' },

  // Channels
  channel_not_found: { kind: 'not_found', message: 'No such channel. GET /api/channels lists them.' },
  channels_not_running: { kind: 'unavailable', message: 'Channel service is not running' },
  channel_signature_invalid: {
    kind: 'unauthenticated',
    message: 'The message is not signed with the secret of this channel, or was signed too long ago.',
  },
  channel_sender_denied: { kind: 'forbidden', message: 'This sender may not use the channel.' },
  channel_busy: {
    kind: 'too_many',
    message: 'As many messages of this chat or channel wait as may wait. Send it again later.',
  },

  // Memory
  memory_fact_not_found: { kind: 'not_found', message: 'Memory fact not found.' },
  memory_fact_blank: { kind: 'malformed', message: 'A fact needs content besides spaces.' },
  memory_fact_confidence: {
    kind: 'malformed',
    message: 'The confidence of a fact is a number from 0 to 1.',
  },
  memory_fact_exists: { kind: 'conflict', message: 'The memory holds this fact already.' },
  memory_full: {
    kind: 'conflict',
    message: 'The memory holds as many facts as it may hold. Delete some first.',
  },
  memory_corrupted: {
    kind: 'internal',
    message: 'The file of this memory cannot be read. DELETE /api/memory begins a new one.',
  },

  // Profile
  profile_corrupted: {
    kind: 'internal',
    message: 'The file of this profile cannot be read. PUT /api/user-profile writes a new one.',
  },
} as const satisfies Record<string, CatalogueEntry>;

export type ErrorCode = keyof typeof errorCatalogue;

export function statusOf(code: ErrorCode): number {
  return statusOfKind[errorCatalogue[code].kind];
}

/** One fault of a request. `path` is a dotted path into the part named by `in`. */
export interface Fault {
  in: 'body' | 'query' | 'path' | 'header';
  path: (string | number)[];
  message: Wording;
  /** The conversation contract's error type, for example `missing` or `string_too_short`. */
  type: string;
  input?: unknown;
  ctx?: Record<string, unknown>;
}
