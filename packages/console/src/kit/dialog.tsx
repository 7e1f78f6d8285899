import { lazy, Suspense, useState } from 'react';
import type { DialogProps } from './parts/dialog-props.ts';

const DialogLayer = lazy(async () => {
  const { DialogLayer: layer } = await import('./parts/dialog-layer.tsx');
  return { default: layer };
});

/**
 * A question or a form in front of the page. It keeps the focus inside and gives it back when it closes. Its code is loaded
 * when a dialog is first shown.
 */
export function Dialog(props: DialogProps) {
  const [wasOpen, setWasOpen] = useState(props.open);
  if (props.open && !wasOpen) setWasOpen(true);
  return wasOpen ? (
    <Suspense fallback={null}>
      <DialogLayer {...props} />
    </Suspense>
  ) : null;
}
