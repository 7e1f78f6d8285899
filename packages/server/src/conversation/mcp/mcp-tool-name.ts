/** What every provider accepts as the name of a function. */
const longestName = 64;

/** `<server>_<tool>`, made to fit; a number tells apart what would be alike then. */
export function mcpToolName(server: string, tool: string, taken: { has(name: string): boolean }): string {
  const name = `${server}_${tool}`.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, longestName);
  for (let number = 2, candidate = name; ; number += 1) {
    if (!taken.has(candidate)) return candidate;
    const suffix = `_${number}`;
    candidate = name.slice(0, longestName - suffix.length) + suffix;
  }
}
