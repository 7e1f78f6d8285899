/** Names and values as lines: `NAME=value`. The gateway shows each value as `***` and keeps those that are sent back so. */
export function linesOf(secrets: Readonly<Record<string, string>>): string {
  return Object.entries(secrets)
    .map(([name, value]) => `${name}=${value}`)
    .join('\n');
}

export interface ParsedLines {
  secrets: Record<string, string>;
  /** The numbers of lines without a name or an equals sign, from 1. */
  faults: number[];
}

/** A value may hold further equals signs. Empty lines do not count. */
export function parseLines(text: string): ParsedLines {
  const secrets: Record<string, string> = {};
  const faults: number[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const at = line.indexOf('=');
    const name = line.slice(0, at).trim();
    if (at < 1 || name === '') faults.push(index + 1);
    else secrets[name] = line.slice(at + 1).trim();
  }
  return { secrets, faults };
}
