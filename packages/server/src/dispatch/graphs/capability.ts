import type { QueuePlace } from '../dispatch-events.ts';
import { type ModelUse, modelsIn } from './fingerprint.ts';
import { type Graph, nodeClasses } from './graph.ts';

export type Requirement = QueuePlace['requirement'];

/** The things that an instance offers. It is replaced as a whole when it changes, never altered. */
export interface Offer {
  instanceId: string;
  tags: readonly string[];
  /**
   * Null until the worker has reported what it can do. Until then it gets no task, since it may not be able to run it.
   */
  capabilities: {
    nodeClasses: ReadonlySet<string>;
    /** Per `<class>.<input>` the model files on offer. An input that is not listed takes anything. */
    models: ReadonlyMap<string, ReadonlySet<string>>;
  } | null;
}

export function requirementOf(
  graph: Graph,
  place: { pool: string | null; pinnedInstanceId: string | null },
): Requirement {
  return { nodeClasses: nodeClasses(graph), models: modelsIn(graph), ...place };
}

/** Two tasks with equal keys can run on the same instances. */
export function requirementKey(requirement: Requirement): string {
  const { nodeClasses: classes, models, pool, pinnedInstanceId } = requirement;
  return JSON.stringify([pinnedInstanceId, pool, classes, models.map(({ input, model }) => [input, model])]);
}

export type Incapability =
  /** The task names another instance or another pool. */
  | { code: 'not_targeted' }
  /** The instance has not reported yet what it has. */
  | { code: 'checking' }
  | ({ code: 'lacks' } & Lack);

interface Lack {
  nodes: string[];
  models: ModelUse[];
}

/** Returns null when the instance lacks nothing that the task needs. */
export function whyNotCapable(offer: Offer, requirement: Requirement): Incapability | null {
  if (!isEligible(offer, requirement)) return { code: 'not_targeted' };
  if (offer.capabilities === null) return { code: 'checking' };
  const lack = lackOn(offer.capabilities, requirement);
  return lack.nodes.length + lack.models.length === 0 ? null : { code: 'lacks', ...lack };
}

export function canRun(offer: Offer, requirement: Requirement): boolean {
  return whyNotCapable(offer, requirement) === null;
}

/** Returns true when the instance lacks nothing, or has not reported yet what it has. */
export function mightRun(offer: Offer, requirement: Requirement): boolean {
  return isEligible(offer, requirement) && missingOn(offer, requirement).length === 0;
}

/** Looks at the instance's address and tags alone. */
function isEligible(offer: Offer, { pool, pinnedInstanceId }: Requirement): boolean {
  if (pinnedInstanceId !== null && pinnedInstanceId !== offer.instanceId) return false;
  return pool === null || offer.tags.includes(pool);
}

/** Lists what a worker lacks, each as `class` or `class.input = file`; empty while it has not reported what it has. */
export function missingOn({ capabilities }: Offer, requirement: Requirement): string[] {
  if (capabilities === null) return [];
  const { nodes, models } = lackOn(capabilities, requirement);
  return [...nodes, ...models.map(({ input, model }) => `${input} = ${model}`)];
}

function lackOn(capabilities: NonNullable<Offer['capabilities']>, requirement: Requirement): Lack {
  return {
    nodes: requirement.nodeClasses.filter((name) => !capabilities.nodeClasses.has(name)),
    models: requirement.models.filter(({ input, model }) => {
      const offered = capabilities.models.get(input);
      return offered !== undefined && !offered.has(model);
    }),
  };
}

export type CapabilityVerdict =
  | { possible: true }
  /** No permitted instance has everything. */
  | { possible: false; missing: MissingThing[]; instances: number };

/** A thing that some instances lack, with the number of those that have it and the first of them. */
export interface MissingThing {
  name: string;
  instancesWithIt: number;
  instanceIds: string[];
}

const maxInstancesNamed = 5;

/**
 * Decides whether a task is worth queueing. It is refused only when every permitted instance has reported what it can
 * do; otherwise one of them may still turn out to be able.
 */
export function judge(requirement: Requirement, offers: readonly Offer[]): CapabilityVerdict {
  const eligible = offers.filter((offer) => isEligible(offer, requirement));
  const isUndecided = eligible.length === 0 || eligible.some(({ capabilities }) => capabilities === null);
  if (isUndecided) return { possible: true };
  const missingPerOffer = eligible.map((offer) => missingOn(offer, requirement));
  if (missingPerOffer.some((missing) => missing.length === 0)) return { possible: true };
  const names = [...new Set(missingPerOffer.flat())].sort();
  return {
    possible: false,
    instances: eligible.length,
    missing: names.map((name) => {
      const having = eligible.filter((_, index) => !missingPerOffer[index]?.includes(name));
      const instanceIds = having.map(({ instanceId }) => instanceId).slice(0, maxInstancesNamed);
      return { name, instancesWithIt: having.length, instanceIds };
    }),
  };
}
