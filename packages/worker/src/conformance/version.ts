/**
 * Whether one version of ComfyUI, such as 0.3.64, is newer than another. A text that is not a version is newer than no
 * version.
 */
export function isNewer(version: string, than: string): boolean {
  const [parts, others] = [partsOf(version), partsOf(than)];
  if (!parts || !others) return false;
  for (const [index, part] of parts.entries()) {
    const other = others[index] ?? 0;
    if (part !== other) return part > other;
  }
  return false;
}

function partsOf(version: string): number[] | null {
  const [, digits] = /^v?(\d+(?:\.\d+)*)/.exec(version) ?? [];
  return digits === undefined ? null : digits.split('.').map(Number);
}
