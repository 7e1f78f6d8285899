import type { WorkflowParameter } from '@switchyard/contract/dispatch/workflow';
import { useState } from 'react';
import { forgetLastValues, keepLastValues, readLastValues } from '../last-values.ts';
import { type Draft, draftOf, type FormDraft } from './form-draft.ts';
import { type FieldProblem, paramsOf } from './form-params.ts';
import type { SeedMode } from './seed.ts';

export interface FormState {
  draft: FormDraft;
  /** What a run sends now; without the fields that have a problem. */
  params: Record<string, unknown>;
  problems: ReadonlyMap<string, FieldProblem>;
  hasProblem: (name: string) => boolean;
  /** A problem is shown at its field once a run was tried. */
  shownProblem: (name: string) => FieldProblem | undefined;
  setValue: (name: string, value: Draft) => void;
  setValues: (values: Record<string, Draft>) => void;
  setSeedMode: (name: string, mode: SeedMode) => void;
  setRefused: (problems: Map<string, FieldProblem>) => void;
  showProblems: () => void;
  reset: () => void;
}

const noProblems: Map<string, FieldProblem> = new Map();

/** The values of a form. They outlive the page, and a changed field loses what the gateway said about it. */
export function useFormState(workflowId: string, parameters: readonly WorkflowParameter[]): FormState {
  const [draft, setDraft] = useState(() => draftOf(parameters, readLastValues(workflowId)));
  const [refused, setRefused] = useState(noProblems);
  const [isTried, setTried] = useState(false);
  const { params, problems: own } = paramsOf(parameters, draft);
  const problems = new Map([...refused, ...own]);
  const change = (next: FormDraft): void => {
    setDraft(next);
    keepLastValues(workflowId, next);
  };
  return {
    draft,
    params,
    problems,
    hasProblem: (name) => isTried && problems.has(name),
    shownProblem: (name) => (isTried ? problems.get(name) : undefined),
    setValue: (name, value) => {
      change({ ...draft, values: { ...draft.values, [name]: value } });
      if (refused.has(name)) setRefused(new Map([...refused].filter(([key]) => key !== name)));
    },
    setValues: (values) => change({ ...draft, values: { ...draft.values, ...values } }),
    setSeedMode: (name, mode) => change({ ...draft, seeds: { ...draft.seeds, [name]: mode } }),
    setRefused,
    showProblems: () => setTried(true),
    reset: () => {
      forgetLastValues(workflowId);
      setDraft(draftOf(parameters));
      setRefused(noProblems);
      setTried(false);
    },
  };
}
