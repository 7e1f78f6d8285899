import { browserCookies } from '@switchyard/client/cookies';
import { ApiError, ConnectionError } from '@switchyard/client/errors';
import type { UploadedFile } from '@switchyard/contract/conversation/upload';
import { uploadFiles } from '@switchyard/contract/conversation/uploads';
import { isRecord } from './is-record.ts';

/** Puts files into a thread, where its agents find them. */
export async function uploadToThread(threadId: string, files: readonly File[]): Promise<UploadedFile[]> {
  const form = new FormData();
  for (const file of files) form.append('files', file, file.name);
  const headers = { 'x-csrf-token': browserCookies().csrfToken() ?? '' };
  const url = uploadFiles.url.replace(':thread_id', encodeURIComponent(threadId));
  const response = await fetch(url, { method: 'POST', body: form, headers }).catch((cause: unknown) => {
    throw new ConnectionError('unreachable', 'The gateway did not answer the upload.', cause);
  });
  const answer: unknown = await response.json().catch(() => null);
  if (!response.ok || !isRecord(answer)) throw refusal(response, answer);
  return answer.files as UploadedFile[];
}

function refusal({ status, headers }: Response, answer: unknown): ApiError {
  const { detail, message = detail, code } = isRecord(answer) ? answer : {};
  return new ApiError({
    status,
    code: typeof code === 'string' ? code : 'upload_refused',
    message: typeof message === 'string' ? message : `The gateway refused the upload (${status}).`,
    requestId: headers.get('x-request-id'),
  });
}

/** The address of a file of a thread, by its virtual path. */
export function threadFileUrl(threadId: string, virtualPath: string): string {
  const path = virtualPath.split('/').filter(Boolean).map(encodeURIComponent).join('/');
  return `/api/threads/${encodeURIComponent(threadId)}/artifacts/${path}`;
}

export function isPicture(name: string): boolean {
  return /\.(png|jpe?g|gif|webp|avif)$/i.test(name);
}
