import type { SavedWorkflow } from './workflow-runner.ts';

/** Keeps these names apart from those of all other tools, whatever users call their workflows. */
const prefix = 'workflow_';
const maxNameLength = 64;

/** Returns a unique name for each tool that every provider of models accepts, in the order of the workflows. */
export function toolNamesOf(saved: readonly Pick<SavedWorkflow, 'id' | 'name'>[], before = prefix): string[] {
  const taken = new Set<string>();
  return saved.map(({ id, name }) => {
    const wanted = toolNameOf(name, before) ?? `${before}${plain(id).slice(-12)}`;
    let free = wanted;
    for (let count = 2; taken.has(free); count += 1) free = `${wanted.slice(0, maxNameLength - 4)}_${count}`;
    taken.add(free);
    return free;
  });
}

export function isWorkflowTool(name: string): boolean {
  return name.startsWith(prefix);
}

/** Returns null when nothing of the name is left. */
export function toolNameOf(name: string, before = prefix): string | null {
  const words = plain(name);
  return words === '' ? null : `${before}${words}`.slice(0, maxNameLength);
}

function plain(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}+/gu, '')
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '');
}
