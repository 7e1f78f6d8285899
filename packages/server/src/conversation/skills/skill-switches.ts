import { isRecord } from '@switchyard/contract/is-record';
/** The `skills` section of the extensions file: `{ <name>: { enabled } }`. A skill that is not listed is on. */
export type SkillSwitches = Record<string, unknown>;

export function switchesIn(section: unknown): SkillSwitches {
  return isRecord(section) ? section : {};
}

export function isEnabled(switches: SkillSwitches, name: string): boolean {
  const entry = Object.hasOwn(switches, name) ? switches[name] : undefined;
  return !isRecord(entry) || entry.enabled !== false;
}

/** Keeps unknown keys. */
export function withSwitch(switches: SkillSwitches, name: string, enabled: boolean): SkillSwitches {
  const entry = Object.hasOwn(switches, name) ? switches[name] : undefined;
  return { ...switches, [name]: { ...(isRecord(entry) && entry), enabled } };
}

export function withoutSwitch(switches: SkillSwitches, name: string): SkillSwitches {
  return Object.fromEntries(Object.entries(switches).filter(([key]) => key !== name));
}
