import { useState } from 'react';
import { type Draft, draftOf, type FormDraft } from './field-draft.ts';
import { type FieldProblem, paramsOf } from './field-params.ts';
import type { FieldSpec } from './field-spec.ts';
import type { SeedMode } from './seed.ts';

export interface FormState {
  draft: FormDraft;
  /** The values that a run sends now, without the fields that have a problem. */
  params: Record<string, unknown>;
  problems: ReadonlyMap<string, FieldProblem>;
  hasProblem: (name: string) => boolean;
  /** A problem is shown at its field once a run was tried. */
  shownProblem: (name: string) => FieldProblem | undefined;
  setValue: (name: string, value: Draft) => void;
  setValues: (values: Record<string, Draft>) => void;
  /** Takes the place of all values and of what happens to each seed. */
  fill: (draft: FormDraft) => void;
  setSeedMode: (name: string, mode: SeedMode) => void;
  setRefused: (problems: Map<string, FieldProblem>) => void;
  showProblems: () => void;
  reset: () => void;
}

const noProblems: Map<string, FieldProblem> = new Map();

/** Keeps the values of a form for longer than the page. */
interface FormMemory {
  read: () => Partial<FormDraft>;
  keep: (draft: FormDraft) => void;
  forget: () => void;
}

/** The values of a form. A changed field loses the gateway's message about it. */
export function useFormState(parameters: readonly FieldSpec[], memory?: FormMemory): FormState {
  const [draft, setDraft] = useState(() => draftOf(parameters, memory?.read()));
  const [refused, setRefused] = useState(noProblems);
  const [isTried, setTried] = useState(false);
  const { params, problems: own } = paramsOf(parameters, draft);
  const problems = new Map([...refused, ...own]);
  const change = (next: FormDraft): void => {
    setDraft(next);
    memory?.keep(next);
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
    fill: (next) => {
      change(next);
      setRefused(noProblems);
    },
    setSeedMode: (name, mode) => change({ ...draft, seeds: { ...draft.seeds, [name]: mode } }),
    setRefused,
    showProblems: () => setTried(true),
    reset: () => {
      memory?.forget();
      setDraft(draftOf(parameters));
      setRefused(noProblems);
      setTried(false);
    },
  };
}
