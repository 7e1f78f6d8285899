import { useState } from 'react';

/** Steps beyond these cannot be taken back. */
const maxSteps = 200;

interface Steps<Value> {
  past: Value[];
  value: Value;
  future: Value[];
  /** What the last step was about: another one about the same belongs to it. */
  of: string | undefined;
}

/** A value with the steps that led to it. */
export function useHistory<Value>(first: () => Value) {
  const [steps, setSteps] = useState<Steps<Value>>(() => begun(first()));
  const { past, value, future } = steps;
  return {
    value,
    canUndo: past.length > 0,
    canRedo: future.length > 0,
    put: (next: Value, of?: string) =>
      setSteps(({ past: before, value: present, of: last }) => ({
        past: of !== undefined && of === last ? before : [...before, present].slice(-maxSteps),
        value: next,
        future: [],
        of,
      })),
    undo: () =>
      setSteps((now) => {
        const before = now.past.at(-1);
        if (before === undefined) return now;
        return {
          past: now.past.slice(0, -1),
          value: before,
          future: [now.value, ...now.future],
          of: undefined,
        };
      }),
    redo: () =>
      setSteps((now) => {
        const [next, ...later] = now.future;
        if (next === undefined) return now;
        return { past: [...now.past, now.value], value: next, future: later, of: undefined };
      }),
    restart: (next: Value) => setSteps(begun(next)),
  };
}

function begun<Value>(value: Value): Steps<Value> {
  return { past: [], value, future: [], of: undefined };
}
