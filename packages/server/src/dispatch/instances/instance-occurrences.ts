import type { InstanceEventKind } from '@switchyard/contract/dispatch/instance-event';
import type { Sentence } from '@switchyard/contract/sentences/sentence';
import { say, type Wording } from '@switchyard/contract/sentences/sentences';
import type { LiveInstance } from './instance-state.ts';
import type { Capabilities } from './instance-store.ts';

interface Happened {
  kind: InstanceEventKind;
  message: Wording;
}

/** Returns what has happened to an instance, found by comparing its state before with its state now. */
export function changesOfLive(before: LiveInstance, now: LiveInstance): Happened[] {
  const changes: Happened[] = [];
  if (now.alive && !before.alive) changes.push({ kind: 'up', message: describeUp(now) });
  if (!now.alive && now.isProbed && (before.alive || !before.isProbed)) {
    changes.push({ kind: 'down', message: now.lastError ?? say('no_answer') });
  }
  if (now.suspicion !== null && before.suspicion === null) {
    changes.push({ kind: 'suspect', message: now.suspicion });
  }
  if (now.suspicion === null && before.suspicion !== null) {
    changes.push({ kind: 'trusted', message: say('trusted', { cause: before.suspicion }) });
  }
  return changes;
}

/** Compares the switches in its row that decide whether it gets tasks. */
export function changesOfUse(
  before: { enabled: number; removed: number },
  now: { enabled: number; removed: number },
): Happened[] {
  if (now.removed === 1 && before.removed === 0) {
    return [{ kind: 'draining', message: say('leaving') }];
  }
  if (now.enabled === before.enabled) return [];
  if (now.enabled === 1) return [{ kind: 'enabled', message: say('enabled') }];
  return [{ kind: 'draining', message: say('disabled') }];
}

/** Returns null when it can run the same as before. */
export function changeOfCapabilities(
  before: Pick<Capabilities, 'nodeClasses' | 'models'> | null,
  now: Pick<Capabilities, 'nodeClasses' | 'models'>,
): Happened | null {
  const kind = 'capabilities_changed';
  const models = filesOf(now);
  if (!before) {
    return { kind, message: say('offer', { nodes: now.nodeClasses.length, models: models.length }) };
  }
  const parts = [
    ...named('nodes_new', lackedBy(before.nodeClasses, now.nodeClasses)),
    ...named('nodes_gone', lackedBy(now.nodeClasses, before.nodeClasses)),
    ...named('models_new', lackedBy(filesOf(before), models)),
    ...named('models_gone', lackedBy(models, filesOf(before))),
  ];
  return parts.length > 0 ? { kind, message: parts } : null;
}

function describeUp({ version, devices }: LiveInstance): Sentence[] {
  const known = version ?? 'unknown';
  const [first] = devices;
  return first
    ? say('answers_on', { version: known, device: first.name })
    : say('answers', { version: known });
}

/** A file that several inputs offer counts once. */
function filesOf({ models }: Pick<Capabilities, 'models'>): string[] {
  return [...new Set(Object.values(models).flat())];
}

const maxNamed = 5;

function lackedBy(some: readonly string[], others: readonly string[]): string[] {
  const had = new Set(some);
  return others.filter((name) => !had.has(name));
}

function named(code: 'nodes_new' | 'nodes_gone' | 'models_new' | 'models_gone', names: string[]): Sentence[] {
  if (names.length === 0) return [];
  const shown = names.slice(0, maxNamed).join(', ');
  const more = names.length > maxNamed ? `, +${names.length - maxNamed}` : '';
  return say(code, { names: `${shown}${more}` });
}
