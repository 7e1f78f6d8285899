import { createContext, type ReactNode, useContext, useId } from 'react';
import { classes } from './parts/classes.ts';

interface FieldIds {
  id: string;
  describedBy: string | undefined;
  invalid: boolean;
}

const FieldContext = createContext<FieldIds | null>(null);

/** The attributes that tie a control to the label, hint and error around it. */
export function useFieldAttributes() {
  const field = useContext(FieldContext);
  if (!field) return {};
  return {
    id: field.id,
    'aria-describedby': field.describedBy,
    'aria-invalid': field.invalid || undefined,
  };
}

/** A control with its label above, and its hint and its error below. */
export function Field({
  label,
  hint,
  error,
  id: given,
  action,
  className,
  children,
}: {
  label: ReactNode;
  hint?: ReactNode;
  error?: ReactNode;
  /** The id of the control, for links of a summary that lead to it. */
  id?: string | undefined;
  /** A small button at the end of the label. Keys reach it behind the control. */
  action?: ReactNode;
  /** Where it stands beside other controls, and how wide it is. */
  className?: string;
  children: ReactNode;
}) {
  const own = useId();
  const id = given ?? own;
  const hintId = hint ? `${id}-hint` : undefined;
  const errorId = error ? `${id}-error` : undefined;
  const describedBy = [errorId, hintId].filter(Boolean).join(' ') || undefined;
  return (
    <FieldContext.Provider value={{ id, describedBy, invalid: Boolean(error) }}>
      <div className={classes('flex min-w-0 flex-col gap-1', Boolean(action) && 'group relative', className)}>
        <label
          htmlFor={id}
          className={classes('text-table font-medium break-words text-text', Boolean(action) && 'pr-16')}
        >
          {label}
        </label>
        {children}
        {error ? (
          <p id={errorId} className="text-table text-failed">
            {error}
          </p>
        ) : null}
        {hint ? (
          <p id={hintId} className="text-meta text-text-2">
            {hint}
          </p>
        ) : null}
        {action}
      </div>
    </FieldContext.Provider>
  );
}
