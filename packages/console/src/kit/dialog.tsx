import { useState } from 'react';
import { lazyPart, useLazyPart } from '../lib/lazy-part.ts';
import type { DialogProps } from './parts/dialog-props.ts';

const layer = lazyPart(async () => (await import('./parts/dialog-layer.tsx')).DialogLayer);

/**
 * A question or a form in front of the page. It keeps the focus inside and gives it back when it closes. Its code is loaded
 * when a dialog is first shown.
 */
export function Dialog(props: DialogProps) {
  const [wasOpen, setWasOpen] = useState(props.open);
  if (props.open && !wasOpen) setWasOpen(true);
  return wasOpen ? <OpenedDialog {...props} /> : null;
}

function OpenedDialog(props: DialogProps) {
  const DialogLayer = useLazyPart(layer);
  return DialogLayer === null ? null : <DialogLayer {...props} />;
}
