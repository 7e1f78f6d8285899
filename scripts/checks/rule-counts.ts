import type { Finding } from './finding.ts';

export interface Rule {
  name: string;
  /** The sentence that the rule enforces. */
  sentence: string;
  fix?: string;
}

/** Returns one line for each rule with the number of its findings, 0 included. */
export function countByRule(rules: readonly Rule[], findings: readonly Finding[]): string[] {
  const counts = new Map(rules.map(({ name }) => [name, 0]));
  for (const { rule } of findings) {
    const count = counts.get(rule);
    if (count === undefined) throw new Error(`A check found ${rule}, which is not in the table of rules.`);
    counts.set(rule, count + 1);
  }
  const width = Math.max(...[...counts.keys()].map((name) => name.length));
  return [...counts].map(([name, count]) => `${name.padEnd(width)}  ${count}`);
}
