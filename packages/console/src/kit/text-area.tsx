import type { ComponentProps } from 'react';
import { useFieldAttributes } from './field.tsx';
import { classes, controlFrame, focusRing } from './parts/classes.ts';

/** Text of several lines; it grows with its content where the browser can do that. */
export function TextArea({ className, rows = 3, ...rest }: ComponentProps<'textarea'>) {
  return (
    <textarea
      {...useFieldAttributes()}
      rows={rows}
      className={classes(
        controlFrame,
        focusRing,
        'field-sizing-content max-h-96 w-full min-w-0 resize-y px-2 py-1.5 text-body pointer-coarse:text-lead',
        className,
      )}
      {...rest}
    />
  );
}
