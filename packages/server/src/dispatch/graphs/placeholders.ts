import type { Graph } from './graph.ts';

/** The length is bounded because the text comes from clients. */
const placeholder = /\{\{([^{}]{1,200})\}\}/g;
const wholePlaceholder = /^\{\{([^{}]{1,200})\}\}$/;

/** A string that is only a placeholder stands for a value of any type. */
export function isPlaceholder(value: unknown): boolean {
  return typeof value === 'string' && wholePlaceholder.test(value);
}

/** The names in `{{name}}` inside string inputs. */
export function placeholderNames(graph: Graph): Set<string> {
  const names = new Set<string>();
  for (const node of Object.values(graph)) {
    for (const value of Object.values(node.inputs)) {
      if (typeof value !== 'string') continue;
      for (const name of placeholdersIn(value)) names.add(name);
    }
  }
  return names;
}

export function placeholdersIn(text: string): string[] {
  if (!text.includes('{{')) return [];
  return [...text.matchAll(placeholder)].map(([, name = '']) => name.trim());
}

interface Filling {
  values: ReadonlyMap<string, unknown>;
  onFault: (name: string, message: string) => void;
}

/** Returns a new graph; nodes without placeholders are shared with the given one. */
export function fillPlaceholders(graph: Graph, filling: Filling): Graph {
  const filled = { ...graph };
  for (const [id, node] of Object.entries(graph)) {
    let inputs = node.inputs;
    for (const [name, value] of Object.entries(node.inputs)) {
      const next = typeof value === 'string' && value.includes('{{') ? fillText(value, filling) : value;
      if (next !== value) inputs = { ...inputs, [name]: next };
    }
    if (inputs !== node.inputs) filled[id] = { ...node, inputs };
  }
  return filled;
}

function fillText(text: string, { values, onFault }: Filling): unknown {
  const whole = wholePlaceholder.exec(text)?.[1]?.trim();
  if (whole !== undefined) return values.has(whole) ? values.get(whole) : text;
  return text.replace(placeholder, (original, rawName: string) => {
    const name = rawName.trim();
    const value = values.get(name);
    if (value === undefined) return original;
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
      return String(value);
    onFault(
      name,
      `{{${name}}} stands inside a longer text, so its value must be a string, number or boolean.`,
    );
    return original;
  });
}
