import type { InstanceEventKind } from '@switchyard/contract/dispatch/instance-event';
import type { LiveInstance } from './instance-state.ts';
import type { Capabilities } from './instance-store.ts';

interface Happened {
  kind: InstanceEventKind;
  message: string;
}

/** What has happened to an instance, found by comparing its state before with its state now. */
export function changesOfLive(before: LiveInstance, now: LiveInstance): Happened[] {
  const changes: Happened[] = [];
  if (now.alive && !before.alive) changes.push({ kind: 'up', message: describeUp(now) });
  if (!now.alive && now.isProbed && (before.alive || !before.isProbed)) {
    changes.push({ kind: 'down', message: now.lastError ?? 'It does not answer.' });
  }
  if (now.suspicion !== null && before.suspicion === null) {
    changes.push({ kind: 'suspect', message: now.suspicion });
  }
  if (now.suspicion === null && before.suspicion !== null) {
    changes.push({ kind: 'trusted', message: `It gets tasks again. The suspicion was: ${before.suspicion}` });
  }
  return changes;
}

/** Compares what its row says about whether it gets tasks. */
export function changesOfUse(
  before: { enabled: number; removed: number },
  now: { enabled: number; removed: number },
): Happened[] {
  if (now.removed === 1 && before.removed === 0) {
    return [{ kind: 'draining', message: 'It left the configuration. What it runs finishes first.' }];
  }
  if (now.enabled === before.enabled) return [];
  if (now.enabled === 1) return [{ kind: 'enabled', message: 'It gets tasks again.' }];
  return [{ kind: 'draining', message: 'It was disabled. What it runs finishes first.' }];
}

/** Returns null when it can run the same as before. */
export function changeOfCapabilities(
  before: Pick<Capabilities, 'nodeClasses' | 'models'> | null,
  now: Pick<Capabilities, 'nodeClasses' | 'models'>,
): Happened | null {
  const kind = 'capabilities_changed';
  const models = filesOf(now);
  if (!before) {
    return {
      kind,
      message: `It has ${now.nodeClasses.length} node classes and ${models.length} model files.`,
    };
  }
  const parts = [
    ...difference('node class', before.nodeClasses, now.nodeClasses),
    ...difference('model file', filesOf(before), models),
  ];
  return parts.length > 0 ? { kind, message: `${parts.join('; ')}.` } : null;
}

function describeUp({ version, devices }: LiveInstance): string {
  const device = devices[0] ? ` on ${devices[0].name}` : '';
  return `It answers: version ${version ?? 'unknown'}${device}.`;
}

/** A file that several inputs offer counts once. */
function filesOf({ models }: Pick<Capabilities, 'models'>): string[] {
  return [...new Set(Object.values(models).flat())];
}

const maxNamed = 5;

function difference(noun: string, before: readonly string[], now: readonly string[]): string[] {
  const [had, has] = [new Set(before), new Set(now)];
  const added = now.filter((name) => !had.has(name));
  const gone = before.filter((name) => !has.has(name));
  return [...named('New', noun, added), ...named('Gone', noun, gone)];
}

function named(word: string, noun: string, names: readonly string[]): string[] {
  if (names.length === 0) return [];
  const shown = names.slice(0, maxNamed).join(', ');
  const more = names.length > maxNamed ? ` and ${names.length - maxNamed} more` : '';
  const plural = noun.endsWith('s') ? `${noun}es` : `${noun}s`;
  return [`${word} ${names.length === 1 ? noun : plural}: ${shown}${more}`];
}
