import { createHash } from 'node:crypto';
import type { Faults } from '../faults.ts';
import { type Call, type Route, sendEmpty, sendJson } from '../http/call.ts';
import { standInScript } from './stand-in-script.ts';

/** The workflow to queue when nothing was handed over: three pictures, so that a run has progress and previews. */
const sample = {
  version: 0.4,
  last_node_id: 3,
  last_link_id: 2,
  nodes: [
    node(1, { type: 'EmptyImage', outputs: ['IMAGE'], values: [64, 64, 3, 255] }),
    node(2, { type: 'ImageInvert', inputs: { image: 1 }, outputs: ['IMAGE'], values: [] }),
    node(3, { type: 'SaveImage', inputs: { images: 2 }, outputs: [], values: ['stand-in'] }),
  ],
  links: [
    [1, 1, 0, 2, 0, 'IMAGE'],
    [2, 2, 0, 3, 0, 'IMAGE'],
  ],
  groups: [],
  config: {},
  extra: {},
};

function node(
  id: number,
  given: { type: string; inputs?: Record<string, number>; outputs: string[]; values: unknown[] },
): object {
  const inputs = Object.entries(given.inputs ?? {});
  return {
    id,
    type: given.type,
    pos: [id * 300, 0],
    size: [240, 120],
    flags: {},
    order: id - 1,
    mode: 0,
    inputs: inputs.map(([name, link]) => ({ name, type: 'IMAGE', link })),
    outputs: given.outputs.map((type) => ({ name: type, type, links: [id], slot_index: 0 })),
    properties: {},
    widgets_values: given.values,
  };
}

const scriptPath = `/assets/stand-in-${createHash('sha256').update(standInScript).digest('hex').slice(0, 8)}.js`;

/** The script of a custom node, as a fault switch gives it. */
const extensionPath = '/extensions/custom-node/script.js';

const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Stand-in for the page of ComfyUI</title>
<style>
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 0 auto; max-width: 60rem; padding: 1rem; display: grid; gap: 1rem; }
h1, h2 { font-size: 1.125rem; margin: 0; }
textarea { width: 100%; box-sizing: border-box; font: 0.875rem/1.4 ui-monospace, monospace; }
button { font: inherit; min-height: 2.75rem; padding: 0 1rem; }
img { max-width: 100%; max-height: 10rem; image-rendering: pixelated; min-width: 4rem; }
img:not([src]) { display: none; }
pre { overflow: auto; max-height: 12rem; font-size: 0.8125rem; }
.row { display: flex; flex-wrap: wrap; gap: 0.75rem; align-items: center; }
</style>
</head>
<body>
<h1>Stand-in for the page of ComfyUI</h1>
<p>The built-in worker has no page of its own. This one makes the same calls, so that the way to it can be tried. A real ComfyUI shows its own page here.</p>
<p class="row"><span>State: <b id="state" role="status">starting</b></span><span>Socket: <b id="socket">closed</b></span><span>In the queue: <b id="remaining">0</b></span></p>
<p>Nodes: <span id="nodes"></span></p>
<label>Workflow <textarea id="workflow" rows="6" spellcheck="false"></textarea></label>
<div class="row"><button id="queue" type="button">Run</button><button id="interrupt" type="button">Interrupt</button><label>From a picture <input id="file" type="file" accept="image/png"></label></div>
<progress id="progress" value="0" max="1" aria-label="Progress"></progress>
<img id="preview" alt="Preview">
<h2>Results</h2>
<div id="results" class="row"></div>
<h2>History</h2>
<ul id="history"></ul>
<h2>Calls</h2>
<pre id="calls" tabindex="0"></pre>
<script type="application/json" id="sample">${JSON.stringify(sample)}</script>
<script src="${scriptPath}"></script>
</body>
</html>
`;

/** The stand-in page and its files. Like ComfyUI's own it is static: everything else it asks of the server that it came from. */
export function pageRoutes(faults: Faults): Route[] {
  return [
    {
      method: 'GET',
      path: '/extensions',
      handle: (call) => sendJson(call, faults.switches.pageScript === '' ? [] : [extensionPath]),
    },
    {
      method: 'GET',
      path: extensionPath,
      handle: (call) => send(call, 'text/javascript; charset=utf-8', faults.switches.pageScript),
    },
    file('/', 'text/html; charset=utf-8', html),
    file(scriptPath, 'text/javascript; charset=utf-8', standInScript),
    file('/templates/index.json', 'application/json; charset=utf-8', '[]'),
  ];
}

function file(path: string, type: string, text: string): Route {
  return { method: 'GET', path, handle: (call) => send(call, type, text) };
}

function send(call: Call, type: string, text: string): void {
  const body = Buffer.from(text);
  const etag = `"${createHash('sha256').update(body).digest('hex').slice(0, 16)}"`;
  if (call.request.headers['if-none-match'] === etag) {
    sendEmpty(call, 304);
    return;
  }
  call.response.writeHead(200, { 'content-type': type, 'content-length': body.length, etag });
  call.response.end(body);
}
