/** The characters that every provider accepts in the name of a function. */
const maxNameLength = 64;

/** `<server>_<tool>`, adjusted to the allowed form; a number tells names apart that would then be the same. */
export function mcpToolName(server: string, tool: string, taken: { has(name: string): boolean }): string {
  const name = `${server}_${tool}`.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, maxNameLength);
  for (let number = 2, candidate = name; ; number += 1) {
    if (!taken.has(candidate)) return candidate;
    const suffix = `_${number}`;
    candidate = name.slice(0, maxNameLength - suffix.length) + suffix;
  }
}
