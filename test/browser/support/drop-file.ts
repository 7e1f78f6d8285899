import type { Locator, Page } from 'playwright-core';

interface DroppedFile {
  name: string;
  content: string | Buffer;
  type?: string;
}

/** Lets go of a file over an element, as a hand does that has dragged it from a folder. */
export async function dropFile(place: Locator, { name, content, type = '' }: DroppedFile): Promise<void> {
  const base64 = Buffer.from(content).toString('base64');
  await place.evaluate(
    (element, file) => {
      const data = new DataTransfer();
      const bytes = Uint8Array.from(atob(file.base64), (letter) => letter.charCodeAt(0));
      data.items.add(new File([bytes], file.name, { type: file.type }));
      const happens = { bubbles: true, cancelable: true, dataTransfer: data };
      element.dispatchEvent(new DragEvent('dragover', happens));
      element.dispatchEvent(new DragEvent('drop', happens));
    },
    { name, type, base64 },
  );
}

/** Pastes a picture into the page, as a hand does that has copied it elsewhere. */
export async function pasteFile(page: Page, { name, content }: DroppedFile): Promise<void> {
  const base64 = Buffer.from(content).toString('base64');
  await page.evaluate(
    (file) => {
      const data = new DataTransfer();
      const bytes = Uint8Array.from(atob(file.base64), (letter) => letter.charCodeAt(0));
      data.items.add(new File([bytes], file.name, { type: 'image/png' }));
      document.body.dispatchEvent(
        new ClipboardEvent('paste', { bubbles: true, cancelable: true, clipboardData: data }),
      );
    },
    { name, base64 },
  );
}
