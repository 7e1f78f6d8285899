import { type ComponentProps, type ReactNode, useState } from 'react';
import { lazyPart, useLazyPart } from '../../lib/lazy-part.ts';
import type { CopyDialog } from './copy-dialog.tsx';

const dialogPart = lazyPart(async () => (await import('./copy-dialog.tsx')).CopyDialog);

interface Copying {
  /** Resolves to true when the clipboard has the text. Otherwise the dialog shows it. */
  copy: (text: string) => Promise<boolean>;
  /** Stands beside the control that copies, so that it lies above a dialog that the control is in. */
  dialog: ReactNode;
}

/** Copies a text. Where the browser gives no clipboard, the text is shown, selected, to be copied by hand. */
export function useCopy(): Copying {
  const [shown, setShown] = useState<string | null>(null);
  const copy = async (text: string): Promise<boolean> => {
    const isCopied = await writeClipboard(text);
    if (!isCopied) setShown(text);
    return isCopied;
  };
  const dialog = shown === null ? null : <LazyCopyDialog text={shown} onClose={() => setShown(null)} />;
  return { copy, dialog };
}

/**
 * Resolves to whether the clipboard has the text. Browsers give a clipboard only to pages of a secure origin, and may refuse it
 * there as well.
 */
async function writeClipboard(text: string): Promise<boolean> {
  const { clipboard } = navigator as { clipboard?: Clipboard };
  if (!clipboard) return false;
  try {
    await clipboard.writeText(text);
    return true;
  } catch {
    return false; // the caller shows the text to be copied by hand
  }
}

function LazyCopyDialog(props: ComponentProps<typeof CopyDialog>) {
  const Opened = useLazyPart(dialogPart);
  return Opened === null ? null : <Opened {...props} />;
}
