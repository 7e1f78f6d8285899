import { type ModelUse, modelsIn } from './fingerprint.ts';
import { type Graph, nodeClasses } from './graph.ts';

/** What a task needs of the worker that runs it. */
export interface Requirement {
  nodeClasses: readonly string[];
  models: readonly ModelUse[];
  /** Only on an instance of a server with this tag. */
  pool: string | null;
  pinnedInstanceId: string | null;
}

/** What an instance offers. Replaced as a whole when it changes, never altered. */
export interface Offer {
  instanceId: string;
  tags: readonly string[];
  /** Null until the worker has told: nothing is sent there, for it may not be able to run it. */
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

/** Equal keys: whoever can run one can run the other. */
export function requirementKey(requirement: Requirement): string {
  const { nodeClasses: classes, models, pool, pinnedInstanceId } = requirement;
  return JSON.stringify([pinnedInstanceId, pool, classes, models.map(({ input, model }) => [input, model])]);
}

/** Nothing is missing: this instance can run it. */
export function canRun(offer: Offer, requirement: Requirement): boolean {
  return (
    isEligible(offer, requirement) &&
    offer.capabilities !== null &&
    missingOn(offer, requirement).length === 0
  );
}

/** Nothing speaks against it: it has everything, or has not told yet what it has. */
export function mightRun(offer: Offer, requirement: Requirement): boolean {
  return isEligible(offer, requirement) && missingOn(offer, requirement).length === 0;
}

/** By its address and tags alone. */
function isEligible(offer: Offer, { pool, pinnedInstanceId }: Requirement): boolean {
  if (pinnedInstanceId !== null && pinnedInstanceId !== offer.instanceId) return false;
  return pool === null || offer.tags.includes(pool);
}

/** What a worker lacks, each as `class` or `class.input = file`; empty while it has not told what it has. */
export function missingOn({ capabilities }: Offer, requirement: Requirement): string[] {
  if (capabilities === null) return [];
  const classes = requirement.nodeClasses.filter((name) => !capabilities.nodeClasses.has(name));
  const models = requirement.models.filter(({ input, model }) => {
    const offered = capabilities.models.get(input);
    return offered !== undefined && !offered.has(model);
  });
  return [...classes, ...models.map(({ input, model }) => `${input} = ${model}`)];
}

export type CapabilityVerdict =
  | { possible: true }
  /** No instance that may take it has everything; per thing that is missing somewhere, how many have it. */
  | { possible: false; missing: { name: string; instancesWithIt: number }[]; instances: number };

/**
 * Whether it makes sense to queue it. Only where every instance that may take it has told what it can do is there a
 * "no"; otherwise one of them may turn out to be able.
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
    missing: names.map((name) => ({
      name,
      instancesWithIt: missingPerOffer.filter((missing) => !missing.includes(name)).length,
    })),
  };
}
