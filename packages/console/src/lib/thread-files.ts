import { browserCookies } from '@switchyard/client/cookies';
import { ApiError, ConnectionError } from '@switchyard/client/errors';
import { readError, readValue } from '@switchyard/client/read-answer';
import type { UploadedFile } from '@switchyard/contract/conversation/upload';
import { uploadFiles } from '@switchyard/contract/conversation/uploads';

/** Puts files into a thread, where its agents find them. */
export async function uploadToThread(threadId: string, files: readonly File[]): Promise<UploadedFile[]> {
  const form = new FormData();
  for (const file of files) form.append('files', file, file.name);
  const headers = { 'x-csrf-token': browserCookies().csrfToken() ?? '' };
  const url = uploadFiles.url.replace(':thread_id', encodeURIComponent(threadId));
  const response = await fetch(url, { method: 'POST', body: form, headers }).catch((cause: unknown) => {
    throw new ConnectionError('unreachable', 'The gateway did not answer the upload.', cause);
  });
  if (!response.ok) throw await readError(response);
  const { files: uploaded } = (await readValue(response)) as { files: UploadedFile[] };
  return uploaded;
}

const maxTextBytes = 2 * 1024 * 1024;

/** Reads a text that may be changed. A file that is not text, or is longer than the gateway takes back, is refused. */
export async function readThreadText(
  threadId: string,
  virtualPath: string,
  signal: AbortSignal,
): Promise<string> {
  const response = await fetch(threadFileUrl(threadId, virtualPath), { signal });
  if (!response.ok) throw await readError(response);
  if (Number(response.headers.get('content-length')) > maxTextBytes) {
    await response.body?.cancel();
    const message = 'Only texts of at most 2 MB can be changed here. Download the file instead.';
    throw new ApiError({ status: 415, code: 'edit_too_large', message });
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await response.arrayBuffer());
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const message = 'The file is not text. Download it instead.';
    throw new ApiError({ status: 415, code: 'edit_no_text', message });
  }
}

/** The address of a file of a thread, by its virtual path. */
export function threadFileUrl(threadId: string, virtualPath: string): string {
  const path = virtualPath.split('/').filter(Boolean).map(encodeURIComponent).join('/');
  return `/api/threads/${encodeURIComponent(threadId)}/artifacts/${path}`;
}

export function isPicture(name: string): boolean {
  return /\.(png|jpe?g|gif|webp|avif)$/i.test(name);
}
