/**
 * Returns whether a path on a worker belongs to ComfyUI-Manager, which installs code for everybody on the machine: its calls, and the
 * scripts that show its dialogs.
 */
export function isManagerPath(parts: readonly string[]): boolean {
  const bare = parts.map((part) => part.toLowerCase().replace(/[^a-z0-9]/g, ''));
  while (bare[0] === 'api' || /^v\d+$/.test(bare[0] ?? '')) bare.shift();
  return managerRoots.has(bare[0] ?? '') || bare.some((part) => part.startsWith('comfyuimanager'));
}

/** The first parts of its calls, in its versions until 4. */
const managerRoots = new Set(['manager', 'customnode', 'externalmodel', 'snapshot', 'alternatives']);
