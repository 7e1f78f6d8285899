/** Gives the person a file that the page has made. */
export function saveFile(name: string, content: string | Blob, type = 'text/csv;charset=utf-8'): void {
  const address = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  saveAddress(address, name);
  // The browser has begun to read the file when the click returns; some read on for a moment.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

/** Lets the browser save what stands at an address, with a link that is never shown. */
export function saveAddress(address: string, name: string): void {
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
}
