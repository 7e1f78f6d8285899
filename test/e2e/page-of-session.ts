import type { HttpSession } from '@switchyard/dev-env/http-session';

// biome-ignore lint/suspicious/noExplicitAny: a test reads what is on the wire as it comes
export type WireData = any;

export interface StreamFrame {
  event: string;
  data: WireData;
}

/** As a page of the gateway sends it, whatever the method and the body. */
export async function sendAsPage(
  { url, session }: { url: string; session: HttpSession },
  path: string,
  request: RequestInit,
): Promise<Response> {
  const csrf = /csrf_token=([^;]+)/.exec(session.cookieHeader)?.[1] ?? '';
  const answer = await fetch(new URL(path, url), {
    ...request,
    headers: { ...request.headers, cookie: session.cookieHeader, 'x-csrf-token': csrf },
  });
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
  return answer;
}

export async function uploadAsPage(
  page: { url: string; session: HttpSession },
  threadId: string,
  { name, bytes }: { name: string; bytes: Uint8Array },
): Promise<WireData> {
  const body = new FormData();
  body.append('files', new Blob([new Uint8Array(bytes)]), name);
  const answer = await sendAsPage(page, `/api/threads/${threadId}/uploads`, { method: 'POST', body });
  return answer.json();
}

/** The text of an event stream, after its end. */
export function framesIn(text: string): StreamFrame[] {
  return text.split('\n\n').flatMap((frame) => {
    const [, event] = /^event: (.*)$/m.exec(frame) ?? [];
    const [, data] = /^data: (.*)$/m.exec(frame) ?? [];
    return event !== undefined && data !== undefined ? [{ event, data: JSON.parse(data) }] : [];
  });
}

export function dataOf(frames: readonly StreamFrame[], event: string): WireData[] {
  return frames.filter((frame) => frame.event === event).map(({ data }) => data);
}
