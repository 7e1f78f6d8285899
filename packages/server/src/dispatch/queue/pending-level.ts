import { type Requirement, requirementKey } from '../graphs/capability.ts';
import { modelHashOf } from '../graphs/fingerprint.ts';
import { goesBefore, isOlder, type PendingEntry, type PendingTask } from './pending-entry.ts';
import { type Candidate, PendingGroup } from './pending-group.ts';
import type { FairShare } from './scheduling.ts';

export interface TakeOptions {
  /** The instance's id. */
  id: string;
  /** The fingerprint of the instance's last execution; null before the first. */
  lastFingerprint: string | null;
  /** Returns whether the instance can run a task with this requirement now. Asked once for each kind of requirement. */
  canRun: (requirement: Requirement) => boolean;
  /** Returns whether the instance may now be given this owner's tasks with this requirement. */
  mayServe: (owner: string, requirement: Requirement) => boolean;
}

export interface TasksAhead {
  total: number;
  higherPriority: number;
  /** Tasks of the same owner and priority. */
  own: number;
  /** Tasks of other owners with the same priority that have their turn before. */
  others: number;
  /** The other owners whose tasks these are. */
  rivals: number;
}

type AheadInLevel = Pick<TasksAhead, 'own' | 'others' | 'rivals'>;

/** The number of times that a task lets a younger one of its owner go first. */
const maxPasses = 8;
const maxGroupsLookedAt = 500;
const none: PendingTask['avoids'] = [];

/**
 * All waiting tasks of one priority, in groups of equal requirement: an instance that can run one task of a group can
 * run all of them.
 */
export class PendingLevel {
  readonly priority: number;
  /** The number of times that a higher priority was picked since this level had its last turn. */
  timesPassed = 0;
  size = 0;
  readonly #groups = new Map<string, PendingGroup>();

  constructor(priority: number) {
    this.priority = priority;
  }

  /** The values that the task has in common with others are kept once, since a hundred thousand such tasks may wait. */
  add(task: PendingTask, { arrival, share }: { arrival: number; share: FairShare }): PendingEntry {
    const group = this.#groupOf(task);
    const { owner, fingerprint } = group.lineOf(task.owner)?.firstWithGraph(task.fingerprint)?.task ?? task;
    const avoids = task.avoids.length === 0 ? none : task.avoids;
    const entry: PendingEntry = {
      task: { ...task, owner, fingerprint, requirement: group.requirement, avoids },
      groupKey: group.key,
      arrival,
      timesPassed: 0,
    };
    group.add(entry, share);
    this.size++;
    return entry;
  }

  remove(entry: PendingEntry): void {
    const group = this.#groups.get(entry.groupKey);
    if (!group) return;
    group.remove(entry);
    if (group.isEmpty) this.#groups.delete(entry.groupKey);
    this.size--;
  }

  /** The owner's turn decides first; loaded models only decide among that owner's tasks. */
  choose({ id, lastFingerprint, canRun, mayServe }: TakeOptions, share: FairShare): PendingEntry | null {
    const groups = [...this.#groups.values()].filter(
      (group) => !group.avoids(id) && canRun(group.requirement),
    );
    let next: Candidate | null = null;
    for (const group of groups) {
      const candidate = group.next(share, (owner) => mayServe(owner, group.requirement));
      if (candidate && (!next || isSooner(candidate, next))) next = candidate;
    }
    if (!next) return null;
    const { entry } = next;
    if (lastFingerprint === null || entry.task.frontMs !== null || entry.timesPassed >= maxPasses)
      return entry;
    const { owner } = entry.task;
    const served = groups.filter((group) => mayServe(owner, group.requirement));
    const warm = warmest(served, owner, lastFingerprint);
    if (!warm || warm === entry) return entry;
    entry.timesPassed++;
    return warm;
  }

  /** Estimates what is ahead in the level: owners take turns, and with equal claims the one whose first task is older begins. */
  ahead(entry: PendingEntry, share: FairShare): AheadInLevel {
    return aheadIn([...this.#groups.values()], entry, share);
  }

  /**
   * Returns how many of the tasks ahead have a requirement of this kind. Returns null when the level has too many kinds to look
   * at each.
   */
  competing(
    entry: PendingEntry | null,
    share: FairShare,
    isOfKind: (requirement: Requirement) => boolean,
  ): number | null {
    if (this.#groups.size > maxGroupsLookedAt) return null;
    const groups = [...this.#groups.values()].filter(({ requirement }) => isOfKind(requirement));
    if (entry === null) return [...waitingIn(groups).values()].reduce((sum, { waiting }) => sum + waiting, 0);
    const { own, others } = aheadIn(groups, entry, share);
    return own + others;
  }

  #groupOf(task: PendingTask): PendingGroup {
    const key = groupKeyOf(task);
    let group = this.#groups.get(key);
    if (!group) {
      group = new PendingGroup(key, task);
      this.#groups.set(key, group);
    }
    return group;
  }
}

function groupKeyOf({ requirement, avoids }: PendingTask): string {
  const key = requirementKey(requirement);
  return avoids.length === 0 ? key : JSON.stringify([key, avoids.map(({ instanceId }) => instanceId).sort()]);
}

/** The tasks of the entry's owner in this group that go before the entry. */
function countAhead(group: PendingGroup, entry: PendingEntry): number {
  return group.lineOf(entry.task.owner)?.all.countBefore(entry) ?? 0;
}

/** The tasks of these groups that go before the entry. */
function aheadIn(groups: readonly PendingGroup[], entry: PendingEntry, share: FairShare): AheadInLevel {
  const { owner } = entry.task;
  const own = groups.reduce((sum, group) => sum + countAhead(group, entry), 0);
  const waiting = waitingIn(groups);
  const first = waiting.get(owner)?.first ?? entry;
  let [others, rivals] = [0, 0];
  for (const [other, line] of waiting) {
    if (other === owner) continue;
    const isFirst = isOlder(line.first, first);
    const before = share.turnsBefore({ owner, own }, { owner: other, waiting: line.waiting, isFirst });
    others += before;
    if (before > 0) rivals += 1;
  }
  return { own, others, rivals };
}

/** Returns the number of each owner's tasks in these groups, and the first of them. */
function waitingIn(groups: readonly PendingGroup[]): Map<string, { waiting: number; first: PendingEntry }> {
  const waitingOf = new Map<string, { waiting: number; first: PendingEntry }>();
  for (const group of groups) {
    for (const [owner, { first, all }] of group.lines()) {
      if (first === null) continue;
      const known = waitingOf.get(owner);
      const foremostOf = known && goesBefore(known.first, first) ? known.first : first;
      waitingOf.set(owner, { waiting: (known?.waiting ?? 0) + all.size, first: foremostOf });
    }
  }
  return waitingOf;
}

function isSooner(a: Candidate, b: Candidate): boolean {
  if (a.virtualTime !== b.virtualTime) return a.virtualTime < b.virtualTime;
  const isBefore = a.entry.task.owner === b.entry.task.owner ? goesBefore : isOlder;
  return isBefore(a.entry, b.entry);
}

/** The owner's foremost task with the same graph, or else with the same models. */
function warmest(groups: PendingGroup[], owner: string, fingerprint: string): PendingEntry | null {
  const models = modelHashOf(fingerprint);
  const lines = groups.flatMap((group) => group.lineOf(owner) ?? []);
  return (
    foremost(lines.map((line) => line.firstWithGraph(fingerprint))) ??
    (models === null ? null : foremost(lines.map((line) => line.firstWithModels(models))))
  );
}

function foremost(entries: (PendingEntry | null)[]): PendingEntry | null {
  let first: PendingEntry | null = null;
  for (const entry of entries) if (entry && (!first || goesBefore(entry, first))) first = entry;
  return first;
}
