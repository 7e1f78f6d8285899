/**
 * The script of the stand-in page. It makes the calls of ComfyUI's own page in its order, and draws nothing: a workflow is text here. It
 * is plain JavaScript that runs without a build.
 */
export const standInScript = `'use strict';

const calls = [];
const shown = (id) => document.getElementById(id);
const clientId = sessionStorage.getItem('clientId') || crypto.randomUUID();
sessionStorage.setItem('clientId', clientId);
let definitions = {};
let workflow = null;
let running = null;

async function call(path, init = {}) {
  const headers = { 'Comfy-User': '', ...(init.headers || {}) };
  const answer = await fetch(path, { ...init, headers });
  const line = (init.method || 'GET') + ' ' + path.replace(clientId, 'id') + ' ' + answer.status;
  calls.push(line);
  shown('calls').append(line + '\\n');
  return answer;
}

async function json(path, init) {
  const answer = await call(path, init);
  return answer.ok ? answer.json() : null;
}

function say(text) {
  shown('state').textContent = text;
}

function listen() {
  const socket = new WebSocket(location.origin.replace('http', 'ws') + '/ws?clientId=' + clientId);
  socket.binaryType = 'arraybuffer';
  socket.addEventListener('open', () => {
    socket.send(JSON.stringify({ type: 'feature_flags', data: { supports_preview_metadata: true } }));
  });
  socket.addEventListener('close', ({ code }) => { shown('socket').textContent = 'closed ' + code; });
  socket.addEventListener('message', ({ data }) => {
    if (typeof data === 'string') hear(JSON.parse(data));
    else preview(data);
  });
  return new Promise((resolve) => {
    socket.addEventListener('message', () => { shown('socket').textContent = 'open'; resolve(); }, { once: true });
    socket.addEventListener('close', resolve, { once: true });
  });
}

function hear({ type, data }) {
  if (type === 'status') shown('remaining').textContent = String(data.status.exec_info.queue_remaining);
  if (data.prompt_id !== running) return;
  if (type === 'progress') {
    shown('progress').max = data.max;
    shown('progress').value = data.value;
  }
  if (type === 'executed') for (const image of data.output.images || []) addPicture(image);
  if (type === 'execution_error' || type === 'execution_interrupted') say(type.replace('execution_', ''));
  if (type === 'execution_success') say('success');
  if (type === 'executing' && data.node === null) void showJobs();
}

function preview(bytes) {
  const view = new DataView(bytes);
  const isLong = view.getUint32(0) === 4;
  const start = 8 + (isLong ? view.getUint32(4) : 0);
  shown('preview').src = URL.createObjectURL(new Blob([bytes.slice(start)]));
}

function viewOf({ filename, subfolder, type }) {
  return '/api/view?' + new URLSearchParams({ filename, subfolder, type });
}

function addPicture(image) {
  const picture = new Image();
  picture.src = viewOf(image);
  picture.alt = 'Result';
  picture.addEventListener('click', async () => open(workflowIn(await (await call(viewOf(image))).arrayBuffer())));
  shown('results').append(picture);
}

/** The workflow in the text of a PNG. */
function workflowIn(bytes) {
  const view = new DataView(bytes);
  for (let at = 8; at + 8 < bytes.byteLength; at += 12 + view.getUint32(at)) {
    const length = view.getUint32(at);
    const text = new TextDecoder().decode(new Uint8Array(bytes, at + 4, length + 4));
    if (text.startsWith('tEXtworkflow\\0')) return JSON.parse(text.slice('tEXtworkflow\\0'.length));
  }
  return null;
}

function open(given) {
  if (given === null) return say('no workflow');
  workflow = given;
  shown('workflow').value = JSON.stringify(given);
  shown('nodes').textContent = given.nodes.map(({ type }) => type).join(', ');
}

/** What a worker runs, from what the page draws: values in the order of the fields of each node, and links by number. */
function promptOf({ nodes, links }) {
  const from = new Map(links.map(([id, node, slot]) => [id, [String(node), slot]]));
  return Object.fromEntries(nodes.map((node) => {
    const { input = {} } = definitions[node.type] || {};
    const values = [...node.widgets_values];
    const inputs = {};
    for (const [name, [type, options = {}]] of Object.entries({ ...input.required, ...input.optional })) {
      const isField = !options.forceInput && (Array.isArray(type) || /^(INT|FLOAT|STRING|BOOLEAN|COMBO)$/.test(type));
      if (isField) inputs[name] = values.shift();
      if (options.control_after_generate || (type === 'INT' && /^(noise_)?seed$/.test(name))) values.shift();
      const slot = node.inputs.find((each) => each.name === name);
      if (slot && slot.link !== null) inputs[name] = from.get(slot.link);
    }
    return [String(node.id), { class_type: node.type, inputs }];
  }));
}

async function queue() {
  open(JSON.parse(shown('workflow').value));
  shown('results').replaceChildren();
  shown('preview').removeAttribute('src');
  say('queued');
  const body = {
    client_id: clientId,
    prompt_id: running = crypto.randomUUID(),
    prompt: promptOf(workflow),
    extra_data: { extra_pnginfo: { workflow } },
  };
  const answer = await call('/api/prompt', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) say('refused ' + (await answer.text()));
}

async function showJobs() {
  const list = await json('/api/jobs?status=completed,failed,cancelled&limit=200&offset=0');
  await json('/api/jobs?status=in_progress,pending&limit=200&offset=0');
  shown('history').replaceChildren(...((list && list.jobs) || []).map((job) => {
    const item = document.createElement('li');
    const button = document.createElement('button');
    button.textContent = 'Open ' + job.status;
    button.addEventListener('click', async () => {
      const { workflow: kept } = await json('/api/jobs/' + job.id);
      open(kept.extra_data.extra_pnginfo.workflow);
    });
    item.append(button);
    if (job.preview_output) {
      const picture = new Image();
      picture.src = viewOf(job.preview_output);
      picture.alt = 'Past result';
      item.append(picture);
    }
    return item;
  }));
}

async function handedOver() {
  const { template, source } = Object.fromEntries(new URLSearchParams(location.search));
  if (!template) return;
  open(await json('/api/workflow_templates/' + source + '/' + template + '.json'));
  history.replaceState(null, '', '/');
}

async function start() {
  await json('/api/users');
  await json('/api/settings');
  await listen();
  await json('/api/features');
  for (const path of (await json('/api/extensions')) || []) await import(path).catch(() => calls.push('failed ' + path));
  definitions = (await json('/api/object_info')) || {};
  await json('/api/system_stats');
  await json('/api/i18n');
  await call('/api/userdata?dir=workflows&recurse=true&split=false&full_info=true');
  await call('/api/userdata/user.css');
  await call('/api/userdata?dir=subgraphs&recurse=true&split=false&full_info=true');
  await json('/api/global_subgraphs');
  await json('/api/workflow_templates');
  await call('/templates/index.json');
  await call('/templates/fuse_options.json');
  await json('/api/experiment/models');
  await json('/api/embeddings');
  await json('/api/node_replacements');
  await showJobs();
  await json('/internal/folder_paths');
  await json('/internal/logs/raw');
  await handedOver();
  if (workflow === null) open(JSON.parse(shown('sample').textContent));
  say('ready');
}

shown('queue').addEventListener('click', () => void queue());
shown('interrupt').addEventListener('click', () => void call('/api/interrupt', {
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify({ prompt_id: running }),
}));
shown('file').addEventListener('change', async ({ target }) => open(workflowIn(await target.files[0].arrayBuffer())));
void start().catch((error) => say('broken: ' + error));
`;
