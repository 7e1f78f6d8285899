import { gateway } from '../../../lib/gateway.ts';

/** Saves the chosen files as one archive under a name with the day. */
export async function saveZip(fileIds: readonly string[]): Promise<void> {
  const { stream } = await gateway.downloadZip({ fileIds });
  const blob = await new Response(stream).blob();
  const address = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = address;
  link.download = `switchyard-${new Date().toISOString().slice(0, 10)}.zip`;
  link.click();
  URL.revokeObjectURL(address);
}
