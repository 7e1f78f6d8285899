import { freemem, totalmem } from 'node:os';
import type { NodeRegistry } from '../nodes/registry.ts';
import { type Call, type Route, sendEmpty, sendJson } from './call.ts';

const referenceVersion = 'reference-1';

/** Folders that ComfyUI lists; a worker without models has nothing in them. */
const modelFolders = [
  'checkpoints',
  'configs',
  'loras',
  'vae',
  'text_encoders',
  'diffusion_models',
  'clip_vision',
  'style_models',
  'embeddings',
  'diffusers',
  'vae_approx',
  'controlnet',
  'gligen',
  'upscale_models',
  'hypernetworks',
  'photomaker',
  'classifiers',
];

export function infoRoutes({
  registry,
  features,
  argv,
}: {
  registry: NodeRegistry;
  features: () => unknown;
  /** Shown like ComfyUI's own arguments, so that a console can see that this worker is paced. */
  argv: readonly string[];
}): Route[] {
  function models(call: Call): void {
    if (modelFolders.includes(call.params.folder ?? '')) sendJson(call, []);
    else sendEmpty(call, 404);
  }

  return [
    { method: 'GET', path: '/system_stats', handle: (call) => sendJson(call, systemStats(argv)) },
    { method: 'GET', path: '/features', handle: (call) => sendJson(call, features()) },
    {
      method: 'GET',
      path: '/object_info',
      handle: async (call) => sendJson(call, await registry.objectInfo()),
    },
    {
      method: 'GET',
      path: '/object_info/:name',
      handle: async (call) => sendJson(call, await registry.objectInfo(call.params.name)),
    },
    { method: 'GET', path: '/embeddings', handle: (call) => sendJson(call, []) },
    { method: 'GET', path: '/models', handle: (call) => sendJson(call, modelFolders) },
    { method: 'GET', path: '/models/:folder', handle: models },
  ];
}

/** The shape is ComfyUI's; a CPU has no video memory of its own, so it reports the machine's, as ComfyUI does on a CPU. */
function systemStats(argv: readonly string[]): unknown {
  const total = totalmem();
  const free = freemem();
  return {
    system: {
      os: process.platform === 'win32' ? 'nt' : 'posix',
      ram_total: total,
      ram_free: free,
      comfyui_version: referenceVersion,
      required_frontend_version: '',
      installed_templates_version: '',
      required_templates_version: '',
      python_version: '',
      pytorch_version: '',
      embedded_python: false,
      argv,
    },
    devices: [
      {
        name: 'cpu',
        type: 'cpu',
        index: null,
        vram_total: total,
        vram_free: free,
        torch_vram_total: total,
        torch_vram_free: free,
      },
    ],
  };
}
