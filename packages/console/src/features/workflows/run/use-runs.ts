import { ApiError } from '@switchyard/client/errors';
import { randomId } from '@switchyard/client/random-id';
import { runWorkflow, type SavedWorkflowDetail } from '@switchyard/contract/dispatch/workflow';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { seedAfterRuns } from '../../../kit/fields/seed.ts';
import type { FormState } from '../../../kit/fields/use-form-state.ts';
import { setQuery } from '../../../lib/address.ts';
import { keys } from '../../../lib/data/keys.ts';
import { workflowOutlookQuery } from '../../../lib/data/workflow-outlook.ts';
import { useFormat } from '../../../lib/format/use-format.ts';
import { gateway } from '../../../lib/gateway.ts';
import { faultsOf } from '../../../lib/gateway-words/faults.ts';
import { useGatewayWords } from '../../../lib/gateway-words/use-gateway-words.ts';
import { benchId, type Sitting } from '../bench/use-sitting.ts';
import { problemsOfFaults } from '../form/server-faults.ts';
import { useBlockWords } from './block-words.ts';
import { askedOf } from './outlook-facts.tsx';
import { runBlock } from './run-block.ts';
import { paramsOfRun, type RunSeed, seedsOf } from './run-params.ts';

export interface Runs {
  count: number;
  setCount: (count: number) => void;
  priority: number;
  setPriority: (priority: number) => void;
  isStarting: boolean;
  started: number;
  /** The problems that belong to no single field. */
  others: readonly string[];
  /** The number of times that a run was tried: the summary takes the focus with each. */
  attempt: number;
  /** With a new seed, each seed is drawn for this click, whatever its field says. */
  start: (options?: { newSeed: boolean }) => void;
}

export const maxRuns = 200;

/** Submits the form so many times, each with its own seed, under the tag of the sitting. */
export function useRuns(workflow: SavedWorkflowDetail, form: FormState, sitting: Sitting): Runs {
  const queries = useQueryClient();
  const words = useGatewayWords();
  const format = useFormat();
  const blockWords = useBlockWords();
  const [count, setCount] = useState(1);
  const [priority, setPriority] = useState(0);
  const [started, setStarted] = useState(0);
  const [others, setOthers] = useState<readonly string[]>([]);
  const [attempt, setAttempt] = useState(0);
  /** The gateway names everything that some instance lacks. The page has asked already what keeps all of them from it. */
  const refusal = (error: unknown): string => {
    const isNowhere = error instanceof ApiError && error.code === 'no_capable_instance';
    const { queryKey } = workflowOutlookQuery(workflow.id, workflow.version, askedOf(form.params));
    const outlook = isNowhere ? queries.getQueryData(queryKey) : undefined;
    const block = outlook && runBlock(outlook, workflow.parameters, form.draft);
    return block ? format.sentences(blockWords(block)) : words.error(error);
  };
  const submit = useMutation({
    mutationFn: async ({ newSeed }: { newSeed: boolean }) => {
      const click = randomId();
      const tag = sitting.begin();
      const seeds = seedsOf(workflow.parameters, form.draft).map((seed) =>
        newSeed ? { ...seed, mode: 'random' as const } : seed,
      );
      const last: Record<string, number> = {};
      setStarted(0);
      for (let index = 0; index < count; index += 1) {
        const params = paramsOfRun(form.params, seeds, { index, last });
        const task = await gateway.call(runWorkflow, {
          params: { workflowId: workflow.id },
          body: { params, tags: [tag], version: workflow.version, ...(priority !== 0 && { priority }) },
          headers: { 'idempotency-key': `${click}-${index}` },
        });
        sitting.add(task);
        if (index === 0) showBench();
        setStarted(index + 1);
      }
      return { seeds, last };
    },
    onSuccess: ({ seeds, last }) => moveSeeds(seeds, { last, runs: count, form }),
    onError: (error) => {
      const faults = faultsOf(error).map((fault) => ({ path: fault.path, message: words.said(fault) }));
      const { problems, others: rest } = problemsOfFaults(faults, workflow.parameters);
      form.setRefused(problems);
      setOthers(problems.size + rest.length > 0 ? rest : [refusal(error)]);
      setAttempt((tries) => tries + 1);
    },
    // The sitting has the tasks already; other lists read them when they are opened.
    onSettled: () => queries.invalidateQueries({ queryKey: keys.tasks, refetchType: 'none' }),
  });
  const start = ({ newSeed } = { newSeed: false }) => {
    if (submit.isPending) return;
    form.showProblems();
    setOthers([]);
    if (form.problems.size > 0) setAttempt((tries) => tries + 1);
    else submit.mutate({ newSeed });
  };
  return {
    count,
    setCount,
    priority,
    setPriority,
    isStarting: submit.isPending,
    started,
    others,
    attempt,
    start,
  };
}

/** The result may stand behind a grid, or on a narrow page below the button. */
function showBench(): void {
  setQuery({ sweep: null, cell: null }, { push: true });
  requestAnimationFrame(() => document.getElementById(benchId)?.scrollIntoView({ block: 'nearest' }));
}

function moveSeeds(
  seeds: readonly RunSeed[],
  { last, runs, form }: { last: Record<string, number>; runs: number; form: FormState },
): void {
  const next = seeds.map(({ parameter, value, mode }): [string, string] => {
    const after = seedAfterRuns({ value, mode, last: last[parameter.name] ?? value, runs }, parameter);
    return [parameter.name, String(after)];
  });
  form.setValues(Object.fromEntries(next));
}
