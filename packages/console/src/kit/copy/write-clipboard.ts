/**
 * Resolves to whether the clipboard has the text. Browsers give a clipboard only to pages of a secure origin, and may refuse it
 * there as well.
 */
export async function writeClipboard(text: string): Promise<boolean> {
  const { clipboard } = navigator as { clipboard?: Clipboard };
  if (!clipboard) return false;
  try {
    await clipboard.writeText(text);
    return true;
  } catch {
    return false; // the caller shows the text to be copied by hand
  }
}
